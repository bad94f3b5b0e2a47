// Counts the calls of a process to malloc and similar functions. Preload this library with LD_PRELOAD and name a file
// in ALLOCATION_COUNTS. The file is mapped as four 64-bit numbers: allocations, frees, requested bytes, and calls of
// realloc.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct counts {
    _Atomic uint64_t allocations, frees, bytes, reallocations;
};

// Used until the file is mapped, and without a file.
static struct counts unmapped;
static struct counts *counts = &unmapped;

// glibc's own names need no lookup, which would itself allocate.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

__attribute__((constructor)) static void map_counts(void) {
    const char *path = getenv("ALLOCATION_COUNTS");
    if (path == NULL) return;
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) return;
    if (ftruncate(file, sizeof(struct counts)) == 0) {
        void *mapped = mmap(NULL, sizeof(struct counts), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (mapped != MAP_FAILED) counts = mapped;
    }
    close(file);
}

static void *counted(void *memory, size_t bytes) {
    atomic_fetch_add_explicit(&counts->allocations, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counts->bytes, bytes, memory_order_relaxed);
    return memory;
}

void *malloc(size_t bytes) { return counted(__libc_malloc(bytes), bytes); }

void *calloc(size_t number, size_t bytes) { return counted(__libc_calloc(number, bytes), number * bytes); }

void *realloc(void *memory, size_t bytes) {
    if (memory == NULL) return malloc(bytes);
    atomic_fetch_add_explicit(&counts->reallocations, 1, memory_order_relaxed);
    return __libc_realloc(memory, bytes);
}

void *memalign(size_t alignment, size_t bytes) { return counted(__libc_memalign(alignment, bytes), bytes); }

void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }

int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    *memory = memalign(alignment, bytes);
    return *memory == NULL ? ENOMEM : 0;
}

void free(void *memory) {
    if (memory == NULL) return;
    atomic_fetch_add_explicit(&counts->frees, 1, memory_order_relaxed);
    __libc_free(memory);
}
