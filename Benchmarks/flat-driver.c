/*
 * The yardstick for reading: a flat directory served as simply as libfuse's low-level interface lets one.
 *
 *     flat-driver DIRECTORY MOUNTPOINT
 *
 * It serves what the directory holds when it starts, stays in the foreground, and ends when it is unmounted. Everything that
 * the kernel is told about caching, splicing and read-ahead is what Bookshelf tells it; there is no catalog, no check and
 * no fetch. Inode number N + 2 is the name N of the sorted names.
 */
#define FUSE_USE_VERSION 314
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VALIDITY 86400.0

static int root = -1;
static char **names;
static size_t name_count;

static int compare(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int read_names(const char *path) {
    DIR *stream = opendir(path);
    if (!stream)
        return -1;
    size_t capacity = 0;
    for (struct dirent *entry; (entry = readdir(stream));) {
        if (entry->d_type != DT_REG)
            continue;
        if (name_count == capacity) {
            capacity = capacity ? capacity * 2 : 1024;
            names = realloc(names, capacity * sizeof *names);
            if (!names)
                return -1;
        }
        names[name_count++] = strdup(entry->d_name);
    }
    closedir(stream);
    qsort(names, name_count, sizeof *names, compare);
    return 0;
}

/* 0 for what isn't there; only what a kernel that was told nothing else asks comes here. */
static int attributes(fuse_ino_t inode, struct stat *status) {
    int is_root = inode == FUSE_ROOT_ID;
    if (!is_root && (inode < 2 || inode - 2 >= name_count))
        return -1;
    if (fstatat(root, is_root ? "." : names[inode - 2], status, AT_SYMLINK_NOFOLLOW) != 0)
        return -1;
    status->st_ino = inode;
    return 0;
}

static void on_init(void *data, struct fuse_conn_info *connection) {
    (void)data;
    connection->want = connection->capable
        & (FUSE_CAP_ASYNC_READ | FUSE_CAP_PARALLEL_DIROPS | FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO
           | FUSE_CAP_SPLICE_WRITE | FUSE_CAP_SPLICE_MOVE | FUSE_CAP_EXPORT_SUPPORT | FUSE_CAP_ATOMIC_O_TRUNC
           | FUSE_CAP_EXPLICIT_INVAL_DATA);
    connection->max_background = 1024;
    connection->congestion_threshold = 1024;
}

static int fill(fuse_ino_t inode, struct fuse_entry_param *entry) {
    memset(entry, 0, sizeof *entry);
    entry->ino = inode;
    entry->attr_timeout = entry->entry_timeout = VALIDITY;
    return attributes(inode, &entry->attr);
}

static void on_lookup(fuse_req_t request, fuse_ino_t parent, const char *name) {
    struct fuse_entry_param entry;
    char **found = parent == FUSE_ROOT_ID ? bsearch(&name, names, name_count, sizeof *names, compare) : NULL;
    if (found && fill((fuse_ino_t)(found - names) + 2, &entry) == 0)
        fuse_reply_entry(request, &entry);
    else
        fuse_reply_err(request, ENOENT);
}

static void on_getattr(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file) {
    struct stat status;
    (void)file;
    if (attributes(inode, &status) == 0)
        fuse_reply_attr(request, &status, VALIDITY);
    else
        fuse_reply_err(request, ESTALE);
}

static void on_open(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file) {
    int descriptor = inode < 2 || inode - 2 >= name_count ? -1 : openat(root, names[inode - 2], O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) {
        fuse_reply_err(request, ESTALE);
        return;
    }
    file->fh = (uint64_t)descriptor;
    file->keep_cache = 1;
    file->noflush = 1;
    if (fuse_reply_open(request, file) != 0)
        close(descriptor);
}

static void on_read(fuse_req_t request, fuse_ino_t inode, size_t size, off_t offset, struct fuse_file_info *file) {
    struct fuse_bufvec buffers = FUSE_BUFVEC_INIT(size);
    (void)inode;
    buffers.buf[0].flags = FUSE_BUF_IS_FD | FUSE_BUF_FD_SEEK;
    buffers.buf[0].fd = (int)file->fh;
    buffers.buf[0].pos = offset;
    fuse_reply_data(request, &buffers, FUSE_BUF_SPLICE_MOVE);
}

static void on_release(fuse_req_t request, fuse_ino_t inode, struct fuse_file_info *file) {
    (void)inode;
    fuse_reply_err(request, 0);
    close((int)file->fh);
}

static void on_readdirplus(fuse_req_t request, fuse_ino_t inode, size_t size, off_t offset, struct fuse_file_info *file) {
    char *buffer = inode == FUSE_ROOT_ID ? malloc(size) : NULL;
    size_t used = 0;
    (void)file;
    if (!buffer) {
        fuse_reply_err(request, ENOTDIR);
        return;
    }
    for (size_t index = (size_t)offset; index < name_count; index++) {
        struct fuse_entry_param entry;
        if (fill(index + 2, &entry) != 0)
            continue;
        size_t length
            = fuse_add_direntry_plus(request, buffer + used, size - used, names[index], &entry, (off_t)index + 1);
        if (length > size - used)
            break;
        used += length;
    }
    fuse_reply_buf(request, buffer, used);
    free(buffer);
}

int main(int count, char **arguments) {
    static const struct fuse_lowlevel_ops operations = {
        .init = on_init,
        .lookup = on_lookup,
        .getattr = on_getattr,
        .open = on_open,
        .read = on_read,
        .release = on_release,
        .readdirplus = on_readdirplus,
    };
    char *words[] = {"flat-driver", "-o", "fsname=flat,subtype=flat-driver,ro", NULL};
    struct fuse_args options = FUSE_ARGS_INIT(3, words);
    if (count != 3 || (root = open(arguments[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 || read_names(arguments[1]) != 0) {
        fprintf(stderr, "usage: flat-driver DIRECTORY MOUNTPOINT\n");
        return 2;
    }
    struct fuse_session *session = fuse_session_new(&options, &operations, sizeof operations, NULL);
    if (!session || fuse_set_signal_handlers(session) != 0 || fuse_session_mount(session, arguments[2]) != 0)
        return 1;
    /* As many threads as Bookshelf has, which all read from the one descriptor. */
    struct fuse_loop_config *threads = fuse_loop_cfg_create();
    fuse_loop_cfg_set_clone_fd(threads, 0);
    fuse_loop_cfg_set_max_threads(threads, 4);
    fuse_loop_cfg_set_idle_threads(threads, 4);
    fuse_session_loop_mt(session, threads);
    fuse_loop_cfg_destroy(threads);
    fuse_session_unmount(session);
    fuse_remove_signal_handlers(session);
    fuse_session_destroy(session);
    return 0;
}
