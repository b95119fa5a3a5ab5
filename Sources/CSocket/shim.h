#ifndef CSOCKET_SHIM_H
#define CSOCKET_SHIM_H

#include <stddef.h>
#include <sys/socket.h>

/* accept4(2) is an extension of GNU, which the C library's headers hide from Swift. Without it a descriptor could be
   inherited by a process that another thread starts between accept(2) and fcntl(2). */
extern int accept4(int listener, struct sockaddr *address, socklen_t *length, int flags);

/* Takes the next connection, not inherited and never waiting; -1 with errno if there is none. */
static inline int bookshelf_accept(int listener) {
    return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

#endif
