#ifndef CKEYRING_H
#define CKEYRING_H

/* The keyring of the session (org.freedesktop.secrets), by libsecret.

   libsecret brings GLib along, so it isn't linked: dlopen(3) loads it into the process that asks for it, and its few
   functions are declared here by hand, as libsecret 0.18 and later have them. Each call may wait for a person who is asked
   for the keyring's password; the caller bounds it by ending the process.

   Each returns 0 when it was done, 1 when there is no such secret, 2 when libsecret isn't there, 3 when the keyring
   refuses; `words` then points to why, until the process ends. */

int bookshelf_keyring_lookup(
    const char *directory, const char *source, char **secret, const char **words);

int bookshelf_keyring_store(
    const char *directory, const char *source, const char *label, const char *secret, const char **words);

int bookshelf_keyring_clear(const char *directory, const char *source, const char **words);

#endif
