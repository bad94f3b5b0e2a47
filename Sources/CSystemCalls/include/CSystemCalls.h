#pragma once

// What Swift's Glibc module leaves out. _GNU_SOURCE must not be defined here: it would change types that the Glibc
// module declares too.
#include "CSandbox.h"
#include <malloc.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/un.h>

/// accept4(2): Glibc's module does not carry it.
int menagerie_accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);

/// Flushes standard output. False if that or an earlier write to it failed.
bool menagerie_flush_output(void);

/// syncfs(2), likewise.
int menagerie_syncfs(int descriptor);

/// O_DIRECT of open(2), likewise; its value differs between processors.
int menagerie_o_direct(void);

/// memmem(3), likewise: where the `needle` first begins, or NULL.
const void *menagerie_memmem(const void *hay, size_t hay_count, const void *needle, size_t needle_count);

/// posix_spawn_file_actions_addclosefrom_np(3), likewise: closes every descriptor from `first` on.
int menagerie_spawn_close_from(posix_spawn_file_actions_t *actions, int first);

/// POSIX_SPAWN_SETSID of posix_spawnattr_setflags(3), likewise: the process leads a session of its own.
short menagerie_spawn_new_session(void);

/// pipe2(2) with O_CLOEXEC, likewise.
int menagerie_pipe(int ends[2]);

/// fcntl(2) with F_SETPIPE_SZ, likewise.
int menagerie_set_pipe_size(int descriptor, int bytes);
