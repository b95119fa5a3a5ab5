#ifndef CPROCESS_SHIM_H
#define CPROCESS_SHIM_H

#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The macros of wait(2) aren't imported.
static inline int cprocess_has_exited(int status) { return WIFEXITED(status); }
static inline int cprocess_exit_code(int status) { return WEXITSTATUS(status); }
static inline int cprocess_signal(int status) { return WTERMSIG(status); }

// prctl is variadic.
static inline int cprocess_die_with_parent(int signal) { return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0); }

// In unistd.h for _GNU_SOURCE alone, as what follows; syscall is variadic.
static inline int cprocess_close_range(unsigned int first, unsigned int last) {
    return (int)syscall(SYS_close_range, first, last, 0);
}

// The C library has no functions for these before 2.36.
static inline int cprocess_pidfd_open(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }
static inline int cprocess_pidfd_send_signal(int descriptor, int signal) {
    return (int)syscall(SYS_pidfd_send_signal, descriptor, signal, 0, 0);
}

// Swift takes fork for unavailable where it takes it for a mistake.
static inline pid_t cprocess_fork(void) { return fork(); }

// In spawn.h for _GNU_SOURCE alone, with which other headers no longer agree with Swift's own module of them.
enum { cprocess_spawn_setsid = 0x80 };

// A variable of C that Swift takes for unsafe to share.
extern char **environ;
static inline char *_Nullable *_Nonnull cprocess_environment(void) { return environ; }

#endif
