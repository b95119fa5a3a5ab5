#include "CKeyring.h"

#include <dlfcn.h>
#include <stddef.h>

/* As in libsecret's secret-schema.h. */
struct attribute {
    const char *name;
    int type;
};

struct schema {
    const char *name;
    int flags;
    struct attribute attributes[32];
    int reserved;
    void *reserved_pointers[7];
};

/* As in GLib's gerror.h. */
struct error {
    unsigned domain;
    int code;
    char *message;
};

typedef char *(*lookup_function)(const struct schema *, void *, struct error **, ...);
typedef int (*store_function)(
    const struct schema *, const char *, const char *, const char *, void *, struct error **, ...);
typedef int (*clear_function)(const struct schema *, void *, struct error **, ...);

/* What a secret is found by; none of it is one. */
static const struct schema schema = {
    "org.bookshelf.Source",
    0,
    {{"directory", 0}, {"source", 0}, {NULL, 0}},
    0,
    {NULL},
};

static void *function(const char *name) {
    void *library = dlopen("libsecret-1.so.0", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, name) : NULL;
}

static int refused(const struct error *error, const char **words) {
    *words = error->message;
    return 3;
}

int bookshelf_keyring_lookup(
    const char *directory, const char *source, char **secret, const char **words) {
    lookup_function lookup = (lookup_function)function("secret_password_lookup_sync");
    struct error *error = NULL;
    if (!lookup) {
        return 2;
    }
    *secret = lookup(&schema, NULL, &error, "directory", directory, "source", source, NULL);
    if (error) {
        return refused(error, words);
    }
    return *secret ? 0 : 1;
}

int bookshelf_keyring_store(
    const char *directory, const char *source, const char *label, const char *secret, const char **words) {
    store_function store = (store_function)function("secret_password_store_sync");
    struct error *error = NULL;
    if (!store) {
        return 2;
    }
    /* Into the default collection. */
    store(&schema, NULL, label, secret, NULL, &error, "directory", directory, "source", source, NULL);
    return error ? refused(error, words) : 0;
}

int bookshelf_keyring_clear(const char *directory, const char *source, const char **words) {
    clear_function clear = (clear_function)function("secret_password_clear_sync");
    struct error *error = NULL;
    if (!clear) {
        return 2;
    }
    int cleared = clear(&schema, NULL, &error, "directory", directory, "source", source, NULL);
    if (error) {
        return refused(error, words);
    }
    return cleared ? 0 : 1;
}
