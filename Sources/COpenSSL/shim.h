#pragma once

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// OpenSSL's macros that Swift cannot import.

/// No compression (CRIME), no renegotiation; an end without close_notify is an end: HTTP frames its messages itself.
static inline void menagerie_ssl_ctx_harden(SSL_CTX *context) {
    SSL_CTX_set_options(
        context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF |
                     SSL_OP_SINGLE_ECDH_USE);
}

static inline int menagerie_ssl_ctx_set_min_version(SSL_CTX *context, int version) {
    return SSL_CTX_set_min_proto_version(context, version);
}

static inline int menagerie_ssl_ctx_set_groups(SSL_CTX *context, const char *list) {
    return SSL_CTX_set1_groups_list(context, list);
}

static inline void menagerie_ssl_ctx_disable_session_cache(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

/// One read takes what is there; writes may be partial and retried from elsewhere; idle connections hold no buffers.
static inline void menagerie_ssl_ctx_set_modes(SSL_CTX *context) {
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_mode(
        context,
        SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
}

/// A new key on the curve P-256; NULL where it cannot be made.
static inline EVP_PKEY *menagerie_ec_key(void) { return EVP_EC_gen("P-256"); }
