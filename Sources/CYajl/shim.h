#ifndef CYAJL_SHIM_H
#define CYAJL_SHIM_H

#include <yajl/yajl_parse.h>

/* yajl_config is variadic, which Swift can't import. */
static inline int cyajl_skip_utf8_check(yajl_handle _Nonnull handle) {
    return yajl_config(handle, yajl_dont_validate_strings, 1);
}

#endif
