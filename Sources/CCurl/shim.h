#pragma once

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Swift does not call functions with variable arguments.

static inline CURLcode menagerie_curl_set_number(CURL *transfer, CURLoption option, long value) {
    return curl_easy_setopt(transfer, option, value);
}

static inline CURLcode menagerie_curl_set_pointer(CURL *transfer, CURLoption option, const void *value) {
    return curl_easy_setopt(transfer, option, value);
}

typedef size_t (*menagerie_curl_receiver)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode menagerie_curl_set_receiver(
    CURL *transfer, CURLoption option, menagerie_curl_receiver receiver) {
    return curl_easy_setopt(transfer, option, receiver);
}

static inline CURLMcode menagerie_curl_set_connections(CURLM *transfers, long most) {
    return curl_multi_setopt(transfers, CURLMOPT_MAX_HOST_CONNECTIONS, most);
}

static inline curl_off_t menagerie_curl_sent(CURL *transfer) {
    curl_off_t bytes = 0;
    curl_easy_getinfo(transfer, CURLINFO_SIZE_UPLOAD_T, &bytes);
    return bytes;
}

/// The transfer that has ended and its result. Null if there is none.
static inline CURL *menagerie_curl_ended(CURLM *transfers, CURLcode *result) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(transfers, &left)))
        if (message->msg == CURLMSG_DONE) {
            *result = message->data.result;
            return message->easy_handle;
        }
    return NULL;
}
