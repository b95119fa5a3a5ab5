#ifndef CEXPAT_SHIM_H
#define CEXPAT_SHIM_H

#include <expat.h>

/* A macro with a cast, which Swift can't import. */
static inline void cexpat_stop(XML_Parser _Nonnull parser) {
    XML_StopParser(parser, XML_FALSE);
}

#endif
