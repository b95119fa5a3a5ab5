#ifndef CFUSE3_SHIM_H
#define CFUSE3_SHIM_H

// The API level this package is written against; libfuse refuses to compile without it.
#define FUSE_USE_VERSION 314
#include <fuse_lowlevel.h>

#endif
