// Preloaded into the service. The kernel then allows it and its processes less, as in a container or under a service
// manager.
//
//   clang -shared -fPIC narrow_kernel.c -o narrow.so; LD_PRELOAD=narrow.so menagerie serve
//
// Namespaces and mounts are refused. With -DORDINARY_USER root becomes an ordinary user. With -DNO_LANDLOCK the kernel
// has no Landlock.
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REFUSE(number, error) \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (error))

__attribute__((constructor)) static void narrow(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        REFUSE(__NR_unshare, EPERM),
        REFUSE(__NR_setns, EPERM),
        REFUSE(__NR_mount, EPERM),
        REFUSE(__NR_umount2, EPERM),
        REFUSE(__NR_pivot_root, EPERM),
        REFUSE(__NR_chroot, EPERM),
        // clone3 is refused completely, since the filter cannot read its flags.
        REFUSE(__NR_clone3, ENOSYS),
#ifdef NO_LANDLOCK
        REFUSE(444, ENOSYS),
        REFUSE(445, ENOSYS),
        REFUSE(446, ENOSYS),
#endif
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_clone, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(
            BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
#ifdef ORDINARY_USER
    if (geteuid() == 0 && (setgroups(0, NULL) != 0 || setresgid(54321, 54321, 54321) != 0 || setresuid(54321, 54321, 54321) != 0)) {
        abort();
    }
#endif
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) abort();
}
