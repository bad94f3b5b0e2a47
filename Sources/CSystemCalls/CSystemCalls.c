#define _GNU_SOURCE
#include "CSystemCalls.h"

int menagerie_accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
    return accept4(descriptor, address, length, flags);
}
