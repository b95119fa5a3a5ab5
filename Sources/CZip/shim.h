#ifndef CZIP_SHIM_H
#define CZIP_SHIM_H

#include <stdio.h>
#include <zip.h>

#endif
