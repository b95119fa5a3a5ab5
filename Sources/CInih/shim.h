#ifndef CINIH_SHIM_H
#define CINIH_SHIM_H

#include <ini.h>
#include <pthread.h>

/* The longest line that is parsed, without its end. The library's own limit is 200. */
#define BOOKSHELF_INI_MAXIMUM_LINE 4096

/* The library keeps its options in global variables, which Swift 6 can't set safely. They are set once, before the
   first parse: longer lines, no continuation lines, and no comments behind a value, so that a value is what stands
   on its line. */
static void bookshelf_ini_set_options(void) {
    ini_max_line = BOOKSHELF_INI_MAXIMUM_LINE + 3;
    ini_allow_multiline = false;
    ini_allow_inline_comments = false;
}

static inline int bookshelf_ini_parse(ini_reader reader, void *stream, ini_handler handler, void *user) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, bookshelf_ini_set_options);
    return ini_parse_stream(reader, stream, handler, user);
}

#endif
