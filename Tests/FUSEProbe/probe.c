// Makes system calls that no command makes, and prints what the kernel says: one line a call, name and error.
//
// fuse-probe writes DIRECTORY FILE OTHER   every call that would change something
// fuse-probe locks FILE                flock and fcntl locks, ioctl
// fuse-probe seek FILE                 SEEK_DATA and SEEK_HOLE
// fuse-probe attribute FILE NAME       getxattr with the sizes 0, 1 and enough
// fuse-probe handle FILE               name_to_handle_at, drop of caches, open_by_handle_at
// fuse-probe direct FILE               an O_DIRECT read
// fuse-probe map FILE                  bytes of the file by mmap, private and shared
// fuse-probe watch DIRECTORY           inotify events until it is ended
// fuse-probe announce STATE DIRECTORY create|unlink NAME   as the announcer
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static void report(const char *name, long result) {
    printf("%s %s\n", name, result < 0 ? strerrorname_np(errno) : "ok");
    if (result > 2 && strncmp(name, "open", 4) == 0)
        close(result);
}

static int probe_writes(const char *directory, const char *file, const char *other) {
    char new_name[4096], outside[] = "/tmp/fuse-probe.XXXXXX", target[64];
    snprintf(new_name, sizeof new_name, "%s/new", directory);
    report("open-wronly", open(file, O_WRONLY));
    report("open-rdwr", open(file, O_RDWR));
    report("open-trunc", open(file, O_RDONLY | O_TRUNC));
    report("open-append", open(file, O_WRONLY | O_APPEND));
    report("open-create", open(new_name, O_CREAT | O_RDONLY, 0600));
    report("open-create-write", open(new_name, O_CREAT | O_WRONLY, 0600));
    report("open-create-existing", open(file, O_CREAT | O_RDONLY, 0600));
    report("open-exclusive-existing", open(file, O_CREAT | O_EXCL | O_RDONLY, 0600));
    report("open-tmpfile", open(directory, O_TMPFILE | O_RDWR, 0600));
    report("open-directory-write", open(directory, O_WRONLY));
    report("truncate", truncate(file, 0));
    report("chmod", chmod(file, 0600));
    report("chown", chown(file, 1, 1));
    report("utimensat", utimensat(AT_FDCWD, file, NULL, 0));
    report("mkdir", mkdir(new_name, 0700));
    report("mkdir-existing", mkdir(directory, 0700));
    report("mknod", mknod(new_name, S_IFREG | 0600, 0));
    report("mkfifo", mkfifo(new_name, 0600));
    report("mknod-device", mknod(new_name, S_IFCHR | 0600, 0x103));
    report("symlink", symlink("to", new_name));
    report("link", link(file, new_name));
    report("unlink", unlink(file));
    report("rmdir", rmdir(directory));
    report("rename", rename(file, new_name));
    report("rename-noreplace", renameat2(AT_FDCWD, file, AT_FDCWD, new_name, RENAME_NOREPLACE));
    report("rename-exchange", renameat2(AT_FDCWD, file, AT_FDCWD, other, RENAME_EXCHANGE));
    int descriptor = mkstemp(outside);
    snprintf(target, sizeof target, "%s.2", outside);
    report("rename-in", rename(outside, new_name));
    report("rename-out", rename(file, target));
    report("link-in", link(outside, new_name));
    close(descriptor);
    unlink(outside);
    report("setxattr", setxattr(file, "user.note", "x", 1, 0));
    report("removexattr", removexattr(file, "user.mime_type"));
    // Version 2; owner, group and others may read.
    static const char acl[] = "\2\0\0\0\1\0\4\0\377\377\377\377\4\0\4\0\377\377\377\377\40\0\4\0\377\377\377\377";
    report("setxattr-acl", setxattr(file, "system.posix_acl_access", acl, sizeof acl - 1, 0));
    report("access-write", access(file, W_OK));
    report("access-write-directory", access(directory, W_OK));
    report("access-read", access(file, R_OK));
    report("access-execute", access(file, X_OK));
    report("access-execute-directory", access(directory, X_OK));
    int readable = open(file, O_RDONLY);
    report("write", write(readable, "x", 1));
    report("ftruncate", ftruncate(readable, 0));
    report("fallocate", fallocate(readable, 0, 0, 10));
    report("fchmod", fchmod(readable, 0600));
    report("fsync", fsync(readable));
    report("close", close(readable));
    return 0;
}

static int probe_locks(const char *file) {
    int first = open(file, O_RDONLY), second = open(file, O_RDONLY), flags;
    struct flock lock = {.l_type = F_RDLCK};
    report("flock", flock(first, LOCK_EX | LOCK_NB));
    report("flock-held", flock(second, LOCK_EX | LOCK_NB));
    report("flock-free", flock(first, LOCK_UN));
    report("fcntl", fcntl(first, F_SETLK, &lock));
    report("ioctl", ioctl(first, 0x12345, &flags));
    flags = FS_IMMUTABLE_FL;
    report("ioctl-setflags", ioctl(first, FS_IOC_SETFLAGS, &flags));
    return 0;
}

static void report_seek(const char *name, off_t result) {
    if (result < 0)
        printf("%s %s\n", name, strerrorname_np(errno));
    else
        printf("%s %ld\n", name, (long)result);
}

static int probe_seek(const char *file) {
    int descriptor = open(file, O_RDONLY);
    off_t end = lseek(descriptor, 0, SEEK_END);
    report_seek("end", end);
    report_seek("data-0", lseek(descriptor, 0, SEEK_DATA));
    report_seek("data-7", lseek(descriptor, 7, SEEK_DATA));
    report_seek("data-end", lseek(descriptor, end, SEEK_DATA));
    report_seek("hole-0", lseek(descriptor, 0, SEEK_HOLE));
    report_seek("hole-end", lseek(descriptor, end, SEEK_HOLE));
    report_seek("hole-beyond", lseek(descriptor, end + 1, SEEK_HOLE));
    return 0;
}

static int probe_attribute(const char *file, const char *name) {
    char value[256], names[256];
    report_seek("size", getxattr(file, name, NULL, 0));
    report_seek("small", getxattr(file, name, value, 1));
    ssize_t count = getxattr(file, name, value, sizeof value);
    report_seek("value", count);
    if (count >= 0)
        printf("%.*s\n", (int)count, value);
    report_seek("names-size", listxattr(file, NULL, 0));
    report_seek("names-small", listxattr(file, names, 1));
    count = listxattr(file, names, sizeof names);
    for (ssize_t at = 0; at < count; at += strlen(names + at) + 1)
        printf("%s\n", names + at);
    return 0;
}

static int probe_handle(const char *file) {
    struct {
        struct file_handle header;
        unsigned char bytes[128];
    } handle = {.header.handle_bytes = sizeof handle.bytes};
    int mount_id;
    report("name_to_handle_at", name_to_handle_at(AT_FDCWD, file, &handle.header, &mount_id, 0));
    char *parent = strdup(file);
    *strrchr(parent, '/') = 0;
    int mount = open(parent, O_RDONLY | O_DIRECTORY);
    int drop = open("/proc/sys/vm/drop_caches", O_WRONLY);
    report("drop_caches", write(drop, "3", 1));
    close(drop);
    int descriptor = open_by_handle_at(mount, &handle.header, O_RDONLY);
    report("handle-open", descriptor < 0 ? -1 : 0);
    char bytes[16];
    report_seek("handle-read", read(descriptor, bytes, sizeof bytes));
    return 0;
}

static int probe_direct(const char *file) {
    void *buffer;
    int descriptor = open(file, O_RDONLY | O_DIRECT);
    if (posix_memalign(&buffer, 4096, 4096) != 0)
        return 1;
    report_seek("read", read(descriptor, buffer, 4096));
    return 0;
}

static int probe_map(const char *file) {
    int descriptor = open(file, O_RDONLY);
    off_t size = lseek(descriptor, 0, SEEK_END);
    char *private = mmap(NULL, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    report("map-private", private == MAP_FAILED ? -1 : 0);
    char *shared = mmap(NULL, size, PROT_READ, MAP_SHARED, descriptor, 0);
    report("map-shared", shared == MAP_FAILED ? -1 : 0);
    report("map-shared-write", mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0) == MAP_FAILED ? -1 : 0);
    printf("map-equal %s\n", memcmp(private, shared, size) == 0 ? "ok" : "different");
    return 0;
}

static int watch(const char *directory) {
    char buffer[4096];
    int descriptor = inotify_init1(IN_CLOEXEC);
    report("watching", inotify_add_watch(descriptor, directory, IN_CREATE | IN_DELETE));
    fflush(stdout);
    for (;;) {
        ssize_t count = read(descriptor, buffer, sizeof buffer);
        for (ssize_t at = 0; at < count;) {
            struct inotify_event *event = (struct inotify_event *)(buffer + at);
            printf("%s %s\n", event->mask & IN_CREATE ? "CREATE" : "DELETE", event->len ? event->name : "");
            at += sizeof *event + event->len;
        }
        fflush(stdout);
        if (count <= 0)
            return 1;
    }
}

static int announce(const char *state, const char *directory, const char *what, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/announcer", state);
    FILE *file = fopen(path, "w");
    if (!file)
        return 1;
    fprintf(file, "%d", getpid());
    fclose(file);
    int parent = open(directory, O_RDONLY | O_DIRECTORY);
    if (strcmp(what, "create") == 0)
        report("announce", mknodat(parent, name, S_IFREG | 0444, 0));
    else
        report("announce", unlinkat(parent, name, 0));
    return 0;
}

int main(int count, char **arguments) {
    const char *what = count > 2 ? arguments[1] : "";
    if (strcmp(what, "writes") == 0 && count == 5)
        return probe_writes(arguments[2], arguments[3], arguments[4]);
    if (strcmp(what, "locks") == 0)
        return probe_locks(arguments[2]);
    if (strcmp(what, "seek") == 0)
        return probe_seek(arguments[2]);
    if (strcmp(what, "attribute") == 0 && count == 4)
        return probe_attribute(arguments[2], arguments[3]);
    if (strcmp(what, "handle") == 0)
        return probe_handle(arguments[2]);
    if (strcmp(what, "direct") == 0)
        return probe_direct(arguments[2]);
    if (strcmp(what, "map") == 0)
        return probe_map(arguments[2]);
    if (strcmp(what, "watch") == 0)
        return watch(arguments[2]);
    if (strcmp(what, "announce") == 0 && count == 6)
        return announce(arguments[2], arguments[3], arguments[4], arguments[5]);
    return 2;
}
