#define _GNU_SOURCE
#include "CSystemCalls.h"
#include <fcntl.h>
#include <unistd.h>

int menagerie_accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
    return accept4(descriptor, address, length, flags);
}

int menagerie_syncfs(int descriptor) { return syncfs(descriptor); }

int menagerie_o_direct(void) { return O_DIRECT; }
