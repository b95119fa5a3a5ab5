#ifndef CXATTR_SHIM_H
#define CXATTR_SHIM_H

// Not part of Swift's Glibc module.
#include <sys/xattr.h>

#endif
