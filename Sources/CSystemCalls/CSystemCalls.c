#define _GNU_SOURCE
#include "CSystemCalls.h"
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int menagerie_accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
    return accept4(descriptor, address, length, flags);
}

bool menagerie_flush_output(void) { return fflush(stdout) == 0 && ferror(stdout) == 0; }

int menagerie_syncfs(int descriptor) { return syncfs(descriptor); }

int menagerie_o_direct(void) { return O_DIRECT; }

const void *menagerie_memmem(const void *hay, size_t hay_count, const void *needle, size_t needle_count) {
    return memmem(hay, hay_count, needle, needle_count);
}

int menagerie_spawn_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

short menagerie_spawn_new_session(void) {
    return POSIX_SPAWN_SETSID;
}

int menagerie_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int menagerie_set_pipe_size(int descriptor, int bytes) { return fcntl(descriptor, F_SETPIPE_SZ, bytes); }
