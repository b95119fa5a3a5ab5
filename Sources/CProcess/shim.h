#ifndef CPROCESS_SHIM_H
#define CPROCESS_SHIM_H

#include <execinfo.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
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

static inline int cprocess_pidfd_getfd(int process, int number) { return (int)syscall(SYS_pidfd_getfd, process, number, 0); }
static inline pid_t cprocess_thread(void) { return (pid_t)syscall(SYS_gettid); }

// PIDFD_THREAD, from Linux 6.9 on: of one thread, readable when that thread has ended.
static inline int cprocess_pidfd_open_thread(pid_t thread) { return (int)syscall(SYS_pidfd_open, thread, 0200); }

// Where the program lies in memory; set by the linker.
extern const char __executable_start, etext;
static inline uint64_t cprocess_image_start(void) { return (uint64_t)(uintptr_t)&__executable_start; }
static inline uint64_t cprocess_image_end(void) { return (uint64_t)(uintptr_t)&etext; }

// The handler of a crash runs on whichever thread has crashed, with the heap and every lock in any state. So it is C, calls what
// signal-safety(7) allows, and backtrace(3), which was called once before and so has nothing to load. Swift emits no
// variable of a header, hence the function. Only CrashRecord.swift calls this.
enum { cprocess_crash_frames = 32, cprocess_crash_words = 8 + cprocess_crash_frames };

static inline uint64_t *_Nullable *_Nonnull cprocess_crash_slot(void) {
    static uint64_t *_Nullable slot;
    return &slot;
}

static inline void cprocess_record_crash(int number, siginfo_t *_Nonnull information, void *_Nullable context) {
    uint64_t *record = *cprocess_crash_slot();
    uint64_t nobody = 0;
    (void)context;
    if (record && __atomic_compare_exchange_n(&record[0], &nobody, (uint64_t)syscall(SYS_gettid), 0, __ATOMIC_SEQ_CST,
                                              __ATOMIC_SEQ_CST)) {
        // Whatever it finds on a broken stack, this must not hold up those who wait for the next process.
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGALRM);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        alarm(1);
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        record[1] = (uint64_t)number;
        record[2] = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
        // What isn't positive was sent by somebody.
        if (information->si_code > 0)
            record[3] = (uint64_t)(uintptr_t)information->si_addr;
        else
            record[4] = (uint64_t)information->si_pid;
        void *frames[cprocess_crash_frames];
        int count = backtrace(frames, cprocess_crash_frames);
        for (int index = 0; index < count; index++)
            record[8 + index] = (uint64_t)(uintptr_t)frames[index];
        __atomic_store_n(&record[5], (uint64_t)count, __ATOMIC_SEQ_CST);
    }
    // Its default by now; a fault would come again by itself, a signal that was sent wouldn't.
    raise(number);
}

static inline void cprocess_record_crashes_in(uint64_t *_Nonnull record) {
    void *frame[1];
    backtrace(frame, 1);
    *cprocess_crash_slot() = record;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = cprocess_record_crash;
    action.sa_flags = SA_SIGINFO | SA_RESETHAND | SA_NODEFER | SA_ONSTACK;
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    for (unsigned index = 0; index < sizeof numbers / sizeof numbers[0]; index++)
        sigaction(numbers[index], &action, NULL);
}

// dladdr(3), which dlfcn.h has for _GNU_SOURCE alone.
struct cprocess_library {
    const char *_Nullable path;
    const void *_Nullable base;
    const char *_Nullable symbol;
    const void *_Nullable symbol_address;
};
extern int cprocess_library_at(const void *_Nullable address, struct cprocess_library *_Nonnull library) __asm__("dladdr");

// In spawn.h for _GNU_SOURCE alone, with which other headers no longer agree with Swift's own module of them.
enum { cprocess_spawn_setsid = 0x80 };

// A variable of C that Swift takes for unsafe to share.
extern char **environ;
static inline char *_Nullable *_Nonnull cprocess_environment(void) { return environ; }

#endif
