// Replaces FFmpeg's libswscale and acts like a decoder that a video has taken over. With its first picture it tries
// every attack on the service that started it, and reports the successful ones in its error message.
//
//   clang -shared -fPIC -Wl,-soname,libswscale.so.N -Wl,--version-script=MAP stand_in_decoder.c -o FOLDER/libswscale.so.N
//
// With -DLINGER it leaves threads behind that compute forever, and reports nothing. With -DCRASH it crashes at its
// first picture, with -DCRASH_AT_ONCE before the first byte. With -DPRY it does nothing to films. In an isolated helper
// that tries a model it then looks for the files MODEL and SECRET, and writes the results to the pipe RESULT.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

static pid_t service;
static char worked[400];

static void note(const char *name, int is_done) {
    if (is_done && strlen(worked) + strlen(name) + 2 < sizeof worked) strcat(strcat(worked, " "), name);
}

static void call(const char *name, long result) { note(name, result >= 0); }

#ifdef PRY
#include <sys/time.h>

static int result = -1;

// A timer calls this again and again in the helper that tries a model. The attack runs once, after the isolation.
static void pry(int number) {
    // The isolation forbids this call, so a successful call means that the helper is not yet isolated.
    if (result < 0 || prctl(PR_GET_DUMPABLE) >= 0) return;
    int told = result;
    result = -1;
    call("model", open(MODEL, O_RDONLY));
    call("secret", open(SECRET, O_RDONLY));
    call("passwords", open("/etc/passwd", O_RDONLY));
    call("folder", open("/", O_RDONLY | O_DIRECTORY));
    call("service", open("/proc/1/environ", O_RDONLY));
    call("write", open(MODEL, O_RDWR));
    call("inet", socket(AF_INET, SOCK_STREAM, 0));
    call("unix", socket(AF_UNIX, SOCK_STREAM, 0));
    call("kill", kill(service, 0));
    call("exec", execve("/bin/true", (char *[]){"true", NULL}, NULL));
    if (write(told, worked, strlen(worked)) < 0 || write(told, ".", 1) < 0) _exit(3);
}

static void watch(void) {
    struct itimerval often = {{0, 5000}, {0, 5000}};
    struct sigaction action = {.sa_handler = pry, .sa_flags = SA_RESTART};
    result = open(RESULT, O_RDWR);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
}
#endif

static int is_helper(const char *command) {
    char words[128] = {0};
    int file = open("/proc/self/cmdline", O_RDONLY);
    int is_one = read(file, words, sizeof words - 1) > 0 && strcmp(words + strlen(words) + 1, command) == 0;
    close(file);
    return is_one;
}

// The library is loaded before any byte of the video is read, so that is not the attack.
__attribute__((constructor)) static void remember(void) {
    service = getppid();
#if defined(CRASH_AT_ONCE)
    signal(SIGSEGV, SIG_DFL);
    if (is_helper("video-worker")) raise(SIGSEGV);
#elif defined(PRY)
    if (is_helper("model-trial")) pthread_atfork(NULL, NULL, watch);
#endif
}

static void reach_service(void) {
    char path[64], byte;
    struct iovec here = {&byte, 1}, there = {&service, 1};
    siginfo_t information = {.si_signo = SIGCONT, .si_code = SI_QUEUE};
    call("kill", kill(service, 0));
    call("kill-all", kill(-1, 0));
    call("tgkill", syscall(SYS_tgkill, service, service, 0));
    call("tkill", syscall(SYS_tkill, service, 0));
    call("queue", syscall(SYS_rt_sigqueueinfo, service, SIGCONT, &information));
    call("queue-thread", syscall(SYS_rt_tgsigqueueinfo, service, service, SIGCONT, &information));
    call("ptrace", ptrace(PTRACE_SEIZE, service, 0, 0));
    long read_memory = process_vm_readv(service, &here, 1, &there, 1, 0);
    note("read-memory", read_memory >= 0 || errno == EFAULT);
    int handle = syscall(SYS_pidfd_open, service, 0);
    call("pidfd", handle);
    if (handle < 0) handle = 0;
    for (int number = 0; number < 64; number++) call("steal", syscall(SYS_pidfd_getfd, handle, number, 0));
    call("pidfd-signal", syscall(SYS_pidfd_send_signal, handle, 0, NULL, 0));
    for (int what = 0; what < 3; what++) {
        snprintf(path, sizeof path, "/proc/%d/%s", service, (const char *[]){"fd", "mem", "environ"}[what]);
        call(path, open(path, O_RDONLY));
    }
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    call("limit-service", prlimit(service, RLIMIT_CPU, &limit, NULL));
    call("priority-service", setpriority(PRIO_PROCESS, service, 19));
    cpu_set_t cores;
    CPU_ZERO(&cores);
    call("cores-service", sched_setaffinity(service, sizeof cores, &cores));
}

static void reach_files(void) {
    struct stat status;
    call("read-file", open("/etc/passwd", O_RDONLY));
    call("stat-file", stat("/etc/passwd", &status));
    call("read-folder", open("/", O_RDONLY | O_DIRECTORY));
    call("write-file", open("/tmp/stand-in", O_WRONLY | O_CREAT, 0600));
    uint64_t how[3] = {O_RDONLY, 0, 0};
    call("openat2", syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", how, sizeof how));
    call("memfd", syscall(SYS_memfd_create, "x", 0));
    call("mount", mount("none", "/", "tmpfs", 0, NULL));
    call("chroot", chroot("/"));
    call("unlink", unlink("/tmp/stand-in"));
    call("mkdir", mkdir("/tmp/stand-in-folder", 0700));
    // The helper's own descriptors, which the service shares.
    call("truncate", ftruncate(0, 0));
    call("write-film", pwrite(0, "x", 1, 0));
    call("chmod", fchmod(0, 0777));
    call("unlock", flock(0, LOCK_UN));
    call("set-flags", fcntl(0, F_SETFL, O_NONBLOCK));
    call("set-owner", fcntl(0, F_SETOWN, service));
    call("dup", dup(0));
    char name[32];
    for (int number = 5; number < 1024; number++) {
        snprintf(name, sizeof name, "descriptor-%d", number);
        call(name, fcntl(number, F_GETFD));
    }
}

static void reach_network(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    call("inet", socket(AF_INET, SOCK_STREAM, 0));
    call("unix", socket(AF_UNIX, SOCK_STREAM, 0));
    call("netlink", socket(AF_NETLINK, SOCK_RAW, 0));
    call("socketpair", socketpair(AF_UNIX, SOCK_STREAM, 0, (int[2]){0}));
    call("connect", connect(1, (struct sockaddr *)&address, sizeof address));
    call("shared-memory", syscall(SYS_shmget, 1, 4096, 01600));
    call("message-queue", syscall(SYS_mq_open, "/x", O_CREAT | O_RDWR, 0600, NULL));
    call("keys", syscall(SYS_add_key, "user", "x", "y", 1, -3));
    call("io_uring", syscall(SYS_io_uring_setup, 1, (char[256]){0}));
    call("bpf", syscall(SYS_bpf, 0, (char[128]){0}, 128));
    call("perf", syscall(SYS_perf_event_open, (char[128]){0}, 0, -1, -1, 0));
    call("faults", syscall(SYS_userfaultfd, 0));
}

static long born(const char *name, long child) {
    // A child that would continue to compute.
    if (child == 0) {
        alarm(20);
        for (;;) {}
    }
    call(name, child);
    return child;
}

static void *spin(void *argument) {
    for (;;) {}
    return argument;
}

static void *rest(void *argument) {
    sleep(1000);
    return argument;
}

static void multiply(void) {
    born("fork", fork());
    born("clone", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    uint64_t arguments[8] = {0, 0, 0, 0, SIGCHLD};
    born("clone3", syscall(SYS_clone3, arguments, sizeof arguments));
    call("unshare", unshare(CLONE_NEWUSER));
    call("setns", setns(0, 0));
    call("session", setsid());
    call("group", setpgid(0, 0));
    call("uid", syscall(SYS_setuid, 0));
    call("outlive", prctl(PR_SET_PDEATHSIG, 0));
    call("dumpable", prctl(PR_SET_DUMPABLE, 1));
    struct rlimit limit;
    getrlimit(RLIMIT_CPU, &limit);
    call("limit", setrlimit(RLIMIT_CPU, &limit));
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 1 << 16);
    pthread_t thread;
    int threads = 0;
    while (threads < 2000 && pthread_create(&thread, &attributes, rest, NULL) == 0) threads++;
    note("threads", threads >= 2000);
    call("exec", execve("/bin/true", (char *[]){"true", NULL}, NULL));
}

static void tell(void) {
    char text[500];
    int count = snprintf(
        text + 5, sizeof text - 5, "{\"unreachable\":{\"_0\":\"worked:%s\"}}", *worked ? worked : " nothing");
    text[0] = 0x78;
    for (int byte = 0; byte < 4; byte++) text[1 + byte] = (char)(count >> (8 * byte));
    if (write(1, text, 5 + count) < 0) _exit(3);
    _exit(0);
}

int sws_scale(void *context, const void *source, const void *strides, int y, int rows, void *target, const void *lines) {
#ifdef CRASH
    *(volatile int *)8 = 1;
#elif defined(LINGER)
    pthread_t thread;
    for (int count = 0; count < 2; count++) pthread_create(&thread, NULL, spin, NULL);
    for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
    born("fork", fork());
    spin(NULL);
#else
    reach_service();
    reach_files();
    reach_network();
    multiply();
    tell();
#endif
    return rows;
}

void *sws_getContext(int a, int b, int c, int d, int e, int f, int g, void *h, void *i, void *j) {
    static int context;
    return &context;
}

const int *sws_getCoefficients(int space) {
    static const int none[4];
    return none;
}

int sws_setColorspaceDetails(
    void *context, const void *a, int b, const void *c, int d, int brightness, int contrast, int saturation) {
    return 0;
}

void sws_freeContext(void *context) {}
