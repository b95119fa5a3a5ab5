#ifndef CSHAREDMEMORY_SHIM_H
#define CSHAREDMEMORY_SHIM_H

// <sys/mman.h> and <fcntl.h> have these for _GNU_SOURCE only, which Swift's module of the C library is built without.
extern int memfd_create(const char *_Nonnull name, unsigned int flags);
#define CSHAREDMEMORY_MFD_CLOEXEC 0x0001
#define CSHAREDMEMORY_MFD_ALLOW_SEALING 0x0002
#define CSHAREDMEMORY_F_ADD_SEALS 1033
#define CSHAREDMEMORY_F_GET_SEALS 1034
#define CSHAREDMEMORY_F_SEAL_SEAL 0x0001
#define CSHAREDMEMORY_F_SEAL_SHRINK 0x0002
#define CSHAREDMEMORY_F_SEAL_GROW 0x0004

#endif
