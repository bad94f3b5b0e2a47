#define _GNU_SOURCE
#include "CSystemCalls.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int menagerie_accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
    return accept4(descriptor, address, length, flags);
}

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

int menagerie_no_new_privileges(void) {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

#define DENY(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

int menagerie_deny_system_calls(void) {
#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
    return -1;
#endif
    struct sock_filter filter[] = {
        // Calls of another architecture have other numbers.
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
#if defined(__x86_64__)
        // x32.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        DENY(open), DENY(creat), DENY(fork), DENY(vfork), DENY(rename), DENY(unlink), DENY(mkdir), DENY(rmdir),
        DENY(link), DENY(symlink), DENY(chmod), DENY(chown),
#endif
        DENY(openat), DENY(openat2), DENY(execve), DENY(execveat), DENY(socket), DENY(socketpair), DENY(connect),
        DENY(bind), DENY(listen), DENY(accept), DENY(accept4), DENY(sendto), DENY(sendmsg), DENY(recvfrom),
        DENY(recvmsg), DENY(ptrace), DENY(process_vm_readv), DENY(process_vm_writev), DENY(kill), DENY(tkill),
        DENY(renameat), DENY(renameat2), DENY(unlinkat), DENY(mkdirat), DENY(linkat), DENY(symlinkat),
        DENY(fchmodat), DENY(fchownat), DENY(mount), DENY(umount2), DENY(chroot), DENY(pivot_root), DENY(setns),
        DENY(unshare), DENY(bpf), DENY(keyctl), DENY(add_key), DENY(request_key), DENY(perf_event_open),
        DENY(io_uring_setup), DENY(userfaultfd), DENY(init_module), DENY(finit_module), DENY(kexec_load),
        DENY(setrlimit), DENY(memfd_create),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    return syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0 ? 0 : -1;
}
