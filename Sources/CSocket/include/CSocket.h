#ifndef CSOCKET_H
#define CSOCKET_H

/* Takes the next connection of a listening socket, not inherited and never waiting; -1 with errno if there is none.

   accept4(2) is an extension of GNU, which the C library's headers hide from Swift. Without it a descriptor could be
   inherited by a process that another thread starts between accept(2) and fcntl(2).

   No header of the system is included here: its declarations would belong to this module instead of Glibc. */
int bookshelf_accept(int listener);

#endif
