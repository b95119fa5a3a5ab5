#ifndef CFUSE3_SHIM_H
#define CFUSE3_SHIM_H

// The API level this package is written against; libfuse refuses to compile without it.
#define FUSE_USE_VERSION 314
#include <fuse_log.h>
#include <fuse_lowlevel.h>

#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mount.h>

// A log function gets its words as a va_list, which no Swift closure can take: they are put together here.
// libfuse has one log function a process and hands it no context, hence the one static pointer, in a function because
// Swift doesn't emit a variable of a header. Only LibfuseLog.swift calls this.
typedef void (*cfuse3_log_sink)(int level, const char *_Nonnull message);

static inline cfuse3_log_sink _Nullable *_Nonnull cfuse3_log_sink_slot(void) {
    static cfuse3_log_sink _Nullable sink;
    return &sink;
}

static inline void cfuse3_log(enum fuse_log_level level, const char *_Nonnull format, va_list arguments) {
    char message[512];
    vsnprintf(message, sizeof message, format, arguments);
    if (*cfuse3_log_sink_slot())
        (*cfuse3_log_sink_slot())(level, message);
}

static inline void cfuse3_set_log_sink(cfuse3_log_sink _Nullable sink) {
    *cfuse3_log_sink_slot() = sink;
    fuse_set_log_func(sink ? cfuse3_log : NULL);
}

#endif
