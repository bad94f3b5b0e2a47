#pragma once

// What Swift's Glibc module leaves out.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/// accept4(2): Glibc's module does not carry it.
int menagerie_accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags);
