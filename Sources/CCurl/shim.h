#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <curl/curl.h>
#include <string.h>

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, which Swift can't import. One function here for
// each type of argument; the compiler then checks what the variadic form takes on trust.

static inline CURLcode bookshelf_curl_set_long(CURL *_Nonnull handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bookshelf_curl_set_string(CURL *_Nonnull handle, CURLoption option, const char *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bookshelf_curl_set_list(
    CURL *_Nonnull handle, CURLoption option, struct curl_slist *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bookshelf_curl_set_buffer(CURL *_Nonnull handle, CURLoption option, char *_Nullable value) {
    return curl_easy_setopt(handle, option, value);
}

// The size has to be set before, as what is copied may hold zeros.
static inline CURLcode bookshelf_curl_set_body(CURL *_Nonnull handle, const void *_Nullable bytes) {
    return curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes ? bytes : "");
}

// The first certificate of those that the server showed, which is its own; NULL if none was kept.
static inline const char *_Nullable bookshelf_curl_get_certificate(CURL *_Nonnull handle) {
    struct curl_certinfo *info = NULL;
    if (curl_easy_getinfo(handle, CURLINFO_CERTINFO, &info) != CURLE_OK || !info || info->num_of_certs < 1) {
        return NULL;
    }
    for (struct curl_slist *line = info->certinfo[0]; line; line = line->next) {
        if (strncmp(line->data, "Cert:", 5) == 0) {
            return line->data + 5;
        }
    }
    return NULL;
}

typedef size_t (*bookshelf_curl_data_function)(
    char *_Nullable bytes, size_t size, size_t count, void *_Nullable context);

static inline CURLcode bookshelf_curl_set_body_function(
    CURL *_Nonnull handle, bookshelf_curl_data_function _Nonnull function, void *_Nonnull context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_WRITEDATA, context);
}

static inline CURLcode bookshelf_curl_set_header_function(
    CURL *_Nonnull handle, bookshelf_curl_data_function _Nonnull function, void *_Nonnull context) {
    CURLcode code = curl_easy_setopt(handle, CURLOPT_HEADERFUNCTION, function);
    return code != CURLE_OK ? code : curl_easy_setopt(handle, CURLOPT_HEADERDATA, context);
}

static inline CURLcode bookshelf_curl_set_private(CURL *_Nonnull handle, void *_Nonnull context) {
    return curl_easy_setopt(handle, CURLOPT_PRIVATE, context);
}

static inline CURLcode bookshelf_curl_get_private(CURL *_Nonnull handle, void *_Nullable *_Nonnull context) {
    return curl_easy_getinfo(handle, CURLINFO_PRIVATE, (char **)context);
}

static inline CURLcode bookshelf_curl_get_offset(CURL *_Nonnull handle, CURLINFO info, curl_off_t *_Nonnull value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLMcode bookshelf_curl_multi_set_long(CURLM *_Nonnull multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

// Bit masks that are made of casts, which Swift can't import.
static const long bookshelf_curl_auth_basic = (long)CURLAUTH_BASIC;
static const long bookshelf_curl_auth_digest = (long)CURLAUTH_DIGEST;
static const long bookshelf_curl_auth_bearer = (long)CURLAUTH_BEARER;

#endif
