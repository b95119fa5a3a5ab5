// Crashes whoever opens the cached file of one book, for as long as there is a file that says which:
//     BOOKSHELF_TEST_POISON=FILE LD_PRELOAD=poisoned-book.so PROGRAM
// The first line of FILE is the end of the path that is deadly to open.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int (*open_file)(const char *, int, ...);

static int is_deadly(const char *path)
{
    const char *name = getenv("BOOKSHELF_TEST_POISON");
    char end[256] = "";
    int file = name ? open_file(name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return 0;
    ssize_t count = read(file, end, sizeof end - 1);
    close(file);
    if (count <= 0)
        return 0;
    end[strcspn(end, "\n")] = 0;
    size_t length = strlen(path), wanted = strlen(end);
    return length >= wanted && strcmp(path + length - wanted, end) == 0;
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = va_arg(rest, int);
    va_end(rest);
    if (!open_file)
        open_file = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");
    if (is_deadly(path))
        __builtin_trap();
    return open_file(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    int mode = va_arg(rest, int);
    va_end(rest);
    return open(path, flags, mode);
}
