#define _GNU_SOURCE
#include "CSandbox.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Called by number, since glibc's function before 2.39 uses a call that also takes names, which helpers are not
// allowed.
long long menagerie_file_size(int descriptor) {
    struct stat status;
    if (syscall(SYS_fstat, descriptor, &status) != 0) return -1;
    if (S_ISREG(status.st_mode)) return status.st_size;
    errno = ESPIPE;
    return -1;
}

int menagerie_set_debuggable(int is_debuggable) { return prctl(PR_SET_DUMPABLE, is_debuggable, 0, 0, 0); }

// MARK: Another user

static void write_text(const char *path, const char *text) {
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return;
    // Without a mapping of its own number the process is "nobody" in its namespace, which is sufficient.
    if (write(file, text, strlen(text)) < 0) errno = 0;
    close(file);
}

static int own_user_namespace(void) {
    unsigned user = geteuid(), group = getegid();
    if (unshare(CLONE_NEWUSER) != 0) return -1;
    char line[64];
    write_text("/proc/self/setgroups", "deny");
    snprintf(line, sizeof line, "%u %u 1", user, user);
    write_text("/proc/self/uid_map", line);
    snprintf(line, sizeof line, "%u %u 1", group, group);
    write_text("/proc/self/gid_map", line);
    return 0;
}

static pid_t keeper;

// For root, whose user id has too many rights: an unused id, different for each helper. If only few ids are mapped, it
// is nobody's.
static int own_user_number(void) {
    static const unsigned first = 0x60000000, nobody = 65534;
    unsigned number = first + (unsigned)keeper % 0xFFFFFF;
    if (setgroups(0, NULL) != 0) return -1;
    if (setresgid(number, number, number) == 0 && setresuid(number, number, number) == 0) return 0;
    if (setresgid(nobody, nobody, nobody) != 0) return -1;
    return setresuid(nobody, nobody, nobody);
}

// - kept: the bits of the lower 32 to keep.
static void keep_capabilities(unsigned kept) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[2] = {{.effective = kept, .permitted = kept}};
    syscall(SYS_capset, &header, sets);
}

// An empty folder without write permission becomes the root of all files.
static int empty_root(void) {
    if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) return -1;
    if (mount("none", "/proc", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k,mode=555") != 0) return -1;
    if (chdir("/proc") != 0 || syscall(SYS_pivot_root, ".", ".") != 0) return -1;
    if (umount2(".", MNT_DETACH) != 0) return -1;
    return mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL);
}

// MARK: Landlock

// Taken from <linux/landlock.h>, since older systems' headers lack the newer parts.
#ifndef SYS_landlock_create_ruleset
#define SYS_landlock_create_ruleset 444
#define SYS_landlock_add_rule 445
#define SYS_landlock_restrict_self 446
#endif

struct landlock_rights {
    uint64_t files, network, scopes;
};

struct __attribute__((packed)) landlock_beneath {
    uint64_t rights;
    int32_t folder;
};

static void allow_reading(int rules, const char *path) {
    enum { READ_FILE = 1 << 2, READ_FOLDER = 1 << 3, BENEATH = 1 };
    struct stat status;
    int place = open(path, O_PATH | O_CLOEXEC);
    if (place < 0) return;
    if (syscall(SYS_fstat, place, &status) == 0) {
        struct landlock_beneath rule = {S_ISDIR(status.st_mode) ? READ_FILE | READ_FOLDER : READ_FILE, place};
        syscall(SYS_landlock_add_rule, rules, BENEATH, &rule, 0);
    }
    close(place);
}

// Everything that this kernel can forbid (landlock(7)): access to files, TCP, and signals and sockets to processes
// outside. Tracing them is always forbidden.
static int confine(const char *const *readable) {
    enum { VERSION = 1 };
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, VERSION);
    if (version < 1) return -1;
    struct landlock_rights rights = {
        .files = version >= 5 ? 0xFFFF : version >= 3 ? 0x7FFF : version >= 2 ? 0x3FFF : 0x1FFF,
        .network = version >= 4 ? 3 : 0,
        .scopes = version >= 6 ? 3 : 0,
    };
    size_t size = version >= 6 ? sizeof rights : version >= 4 ? 16 : 8;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &rights, size, 0);
    if (rules < 0) return -1;
    for (; readable && *readable; readable++) allow_reading(rules, *readable);
    int is_confined = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return is_confined ? 0 : -1;
}

// MARK: The keeper

static void end_as(int status) {
    int number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128 : 0;
    if (number > 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(number, SIG_DFL);
        kill(getpid(), number);
    }
    _exit(WEXITSTATUS(status));
}

// This is a process, since the child could stop a thread. PR_SET_PDEATHSIG alone would not suffice: in a service it
// refers to the thread that started the helper, and threads come and go. The keeper has only one.
_Noreturn static void keep(pid_t child, int messages) {
    int handle = (int)syscall(SYS_pidfd_open, child, 0);
    struct pollfd polled[2] = {{.fd = messages}, {.fd = handle, .events = POLLIN}};
    int status = 0;
    for (;;) {
        poll(polled, 2, handle < 0 ? 100 : -1);
        pid_t ended = waitpid(child, &status, WNOHANG);
        if (ended == child) end_as(status);
        if (ended < 0 && errno != EINTR) _exit(1);
        if (polled[0].revents & (POLLERR | POLLHUP | POLLNVAL)) {
            kill(child, SIGKILL);
            while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
            _exit(1);
        }
    }
}

// The kernel does not deliver signals with a fatal default action to the first process of a namespace.
static void end_on(int number) { _exit(128 + number); }

static int is_confined;

static int follow_keeper(int alive) {
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return -1;
    // It may have died before.
    struct pollfd polled = {.fd = alive};
    return poll(&polled, 1, 0) > 0 ? -1 : 0;
}

int menagerie_sandbox_enter(int reach, int messages, int first, const char *const *readable, int *lacking) {
    int is_root = geteuid() == 0;
    int missing = 0;
    keeper = getpid();
    // Before Linux 5.9 the starting program must have closed these descriptors.
    syscall(SYS_close_range, first, ~0U, 0);
    if (!is_root && own_user_namespace() != 0) missing |= MENAGERIE_WALL_USER;
    if (unshare(CLONE_NEWPID) != 0) missing |= MENAGERIE_WALL_PROCESSES;
    int alive[2];
    if (pipe2(alive, O_CLOEXEC) != 0) return errno;
    pid_t child = fork();
    if (child < 0) return errno;
    if (child > 0) {
        close(alive[0]);
        keep(child, messages);
    }
    close(alive[1]);
    if (reach < MENAGERIE_REACH_NETWORK && unshare(CLONE_NEWNET) != 0) missing |= MENAGERIE_WALL_NETWORK;
    if (unshare(CLONE_NEWIPC) != 0) missing |= MENAGERIE_WALL_PROCESSES;
    if (reach == MENAGERIE_REACH_NOTHING && (unshare(CLONE_NEWNS) != 0 || empty_root() != 0)) {
        missing |= MENAGERIE_WALL_FILES;
    }
    // Files may belong to any user. The process keeps root's right to read them, and no other right.
    if (is_root && (reach != MENAGERIE_REACH_NOTHING || own_user_number() != 0)) missing |= MENAGERIE_WALL_USER;
    keep_capabilities(is_root && reach == MENAGERIE_REACH_FILES ? 1U << CAP_DAC_READ_SEARCH : 0);
    // This follows the last change of user, which would reset it.
    int is_kept = follow_keeper(alive[0]) == 0;
    close(alive[0]);
    if (!is_kept) return ECHILD;
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) missing |= MENAGERIE_WALL_CALLS;
    if (reach == MENAGERIE_REACH_FILES) missing |= MENAGERIE_WALL_FILES;
    // There is only one thread now, so this holds for it and for all that it starts.
    is_confined = reach != MENAGERIE_REACH_NETWORK && confine(readable) == 0;
    signal(SIGXCPU, end_on);
    signal(SIGXFSZ, end_on);
    *lacking = missing;
    return 0;
}

// MARK: System calls

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define EQUAL(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define HAS(bits, yes, no) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, yes, no)
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
#define PASS RETURN(SECCOMP_RET_ALLOW)
#define FAIL(number) RETURN(SECCOMP_RET_ERRNO | number)

#define ALLOW(name) EQUAL(__NR_##name, 0, 1), PASS
// The lower halves, since both architectures are little-endian.
#define ALLOW_IF(name, argument, value) \
    EQUAL(__NR_##name, 0, 4), LOAD(args[argument]), EQUAL(value, 0, 1), PASS, FAIL(EPERM)
#define ALLOW_IF_EITHER(name, argument, value, other) \
    EQUAL(__NR_##name, 0, 5), LOAD(args[argument]), EQUAL(value, 1, 0), EQUAL(other, 0, 1), PASS, FAIL(EPERM)
#define ALLOW_IF_HAS(name, argument, bits) \
    EQUAL(__NR_##name, 0, 4), LOAD(args[argument]), HAS(bits, 0, 1), PASS, FAIL(EPERM)
#define ALLOW_UNLESS_HAS(name, argument, bits) \
    EQUAL(__NR_##name, 0, 4), LOAD(args[argument]), HAS(bits, 0, 1), FAIL(EPERM), PASS
#define ALLOW_IF_NULL(name, argument) \
    EQUAL(__NR_##name, 0, 6), LOAD(args[argument]), EQUAL(0, 0, 3), \
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[argument]) + 4), EQUAL(0, 0, 1), PASS, \
        FAIL(EPERM)

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

static int install_filter(int reach) {
    unsigned self = (unsigned)getpid();
    struct sock_filter first[] = {
        // Calls of another architecture have other numbers.
        LOAD(arch), EQUAL(ARCHITECTURE, 1, 0), RETURN(SECCOMP_RET_KILL_PROCESS), LOAD(nr),
#if defined(__x86_64__)
        // Calls of x32 have an additional bit.
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), RETURN(SECCOMP_RET_KILL_PROCESS),
#endif
    };
    struct sock_filter files[] = {
#if defined(__x86_64__)
        ALLOW_UNLESS_HAS(open, 1, O_CREAT | O_TRUNC), ALLOW(stat), ALLOW(lstat), ALLOW(access), ALLOW(readlink),
        ALLOW(pipe),
#endif
        ALLOW_UNLESS_HAS(openat, 2, O_CREAT | O_TRUNC), ALLOW(faccessat), ALLOW(readlinkat), ALLOW(getdents64),
        ALLOW(newfstatat), ALLOW(statx), ALLOW(pipe2), ALLOW(ioctl), ALLOW(fcntl), ALLOW(dup), ALLOW(dup3),
        ALLOW(statfs), ALLOW(fstatfs),
    };
    struct sock_filter network[] = {
        ALLOW(socket), ALLOW(socketpair), ALLOW(connect), ALLOW(bind), ALLOW(getsockname), ALLOW(getpeername),
        ALLOW(getsockopt), ALLOW(setsockopt), ALLOW(sendto), ALLOW(sendmsg), ALLOW(sendmmsg), ALLOW(recvfrom),
        ALLOW(recvmsg), ALLOW(recvmmsg), ALLOW(shutdown),
    };
    struct sock_filter common[] = {
#if defined(__x86_64__)
        ALLOW(arch_prctl), ALLOW(poll), ALLOW(select), ALLOW(time), ALLOW(getrlimit), ALLOW(epoll_wait),
#endif
        // The helper's descriptors.
        ALLOW(read), ALLOW(write), ALLOW(readv), ALLOW(writev), ALLOW(pread64), ALLOW(pwrite64), ALLOW(lseek),
        ALLOW(close), ALLOW(fstat), ALLOW(fsync), ALLOW(fdatasync), ALLOW(ppoll),
        ALLOW(pselect6), ALLOW(eventfd2), ALLOW(epoll_create1), ALLOW(epoll_ctl), ALLOW(epoll_pwait), ALLOW(timerfd_create),
        ALLOW(timerfd_settime),
        // Descriptors that the service shares must not change, nor send signals.
        ALLOW_IF_EITHER(fcntl, 1, F_GETFD, F_GETFL),
        // Memory.
        ALLOW(mmap), ALLOW(munmap), ALLOW(mprotect), ALLOW(mremap), ALLOW(madvise), ALLOW(brk), ALLOW(mincore),
        ALLOW(membarrier), ALLOW(get_mempolicy), ALLOW(set_mempolicy), ALLOW(mbind),
        // Threads, but no processes. The filter cannot inspect the flags of clone3. Without it glibc uses clone.
        ALLOW_IF_HAS(clone, 0, CLONE_THREAD), EQUAL(__NR_clone3, 0, 1), FAIL(ENOSYS),
        ALLOW(futex), ALLOW(set_robust_list), ALLOW(get_robust_list), ALLOW(set_tid_address), ALLOW(rseq),
        ALLOW(sched_yield), ALLOW(sched_getaffinity), ALLOW(sched_getparam), ALLOW(sched_getscheduler), ALLOW(gettid),
        ALLOW(getcpu), ALLOW_IF_EITHER(prctl, 0, PR_SET_NAME, 0x53564D41 /* PR_SET_VMA */), ALLOW(exit),
        ALLOW(exit_group),
        // Signals to itself.
        ALLOW_IF(tgkill, 0, self), ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn), ALLOW(sigaltstack),
        ALLOW(restart_syscall),
        // Times and facts about the system.
        ALLOW(clock_gettime), ALLOW(clock_getres), ALLOW(clock_nanosleep), ALLOW(nanosleep), ALLOW(gettimeofday),
        ALLOW(getpid), ALLOW(getppid), ALLOW(getuid), ALLOW(geteuid), ALLOW(getgid), ALLOW(getegid), ALLOW(uname),
        ALLOW(sysinfo), ALLOW(getrandom), ALLOW(getrusage), ALLOW(times), ALLOW(getcwd), ALLOW_IF_NULL(prlimit64, 2),
    };
    struct sock_filter last[] = {FAIL(EPERM)};
    struct sock_filter all[(sizeof first + sizeof files + sizeof network + sizeof common + sizeof last) / sizeof *first];
    size_t count = 0;
#define APPEND(part) (memcpy(all + count, part, sizeof part), count += sizeof part / sizeof *part)
    APPEND(first);
    if (reach != MENAGERIE_REACH_NOTHING) APPEND(files);
    if (reach == MENAGERIE_REACH_NETWORK) APPEND(network);
    APPEND(common);
    APPEND(last);
    struct sock_fprog program = {(unsigned short)count, all};
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0 ? 0 : -1;
}

#else

static int install_filter(int reach) { return -1; }

#endif

static void *nothing(void *argument) { return argument; }

// Before Linux 5.14 the limit counts the threads of all processes of a user, in any namespace.
static int limit_threads(int threads) {
    struct rlimit before, limit;
    pthread_t thread;
    if (getrlimit(RLIMIT_NPROC, &before) != 0) return -1;
    limit = (struct rlimit){(rlim_t)threads, before.rlim_max};
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_cur > limit.rlim_max) return 0;
    if (setrlimit(RLIMIT_NPROC, &limit) != 0) return -1;
    if (pthread_create(&thread, NULL, nothing, NULL) != 0) {
        setrlimit(RLIMIT_NPROC, &before);
        return -1;
    }
    pthread_join(thread, NULL);
    limit.rlim_max = limit.rlim_cur;
    return setrlimit(RLIMIT_NPROC, &limit);
}

void menagerie_sandbox_lock(int reach, int threads, int *lacking, int *replaced) {
    // A crash handler would begin with a forbidden call, and so crash again forever.
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS};
    for (size_t index = 0; index < sizeof fatal / sizeof *fatal; index++) signal(fatal[index], SIG_DFL);
    // If the user is the service's own, its other processes count too.
    int allowed = *lacking & MENAGERIE_WALL_USER ? 2 * threads : threads;
    // The kernel does not count root's threads.
    if (threads > 0 && (geteuid() == 0 || limit_threads(allowed) != 0)) *lacking |= MENAGERIE_WALL_THREADS;
    if (install_filter(reach) != 0) *lacking |= MENAGERIE_WALL_CALLS;
    // Landlock and the list of calls together replace namespaces, which a kernel may refuse to the helper.
    *replaced = 0;
    if (is_confined && !(*lacking & MENAGERIE_WALL_CALLS)) {
        *replaced = *lacking & (MENAGERIE_WALL_USER | MENAGERIE_WALL_PROCESSES | MENAGERIE_WALL_FILES | MENAGERIE_WALL_NETWORK);
        *lacking &= ~*replaced;
    }
}
