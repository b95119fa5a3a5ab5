#define _GNU_SOURCE
#include "CSocket.h"

#include <stddef.h>
#include <sys/socket.h>

int bookshelf_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}
