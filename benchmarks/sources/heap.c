// What a call takes at its peak: bytes of the heap, by an allocator that counts, and of the stack, by a stack of its own
// that was zero before, in blocks of 64 bytes. To be loaded in front of the C library (LD_PRELOAD).
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t), __libc_free(void *);

static long now, peak;

static void *taken(void *block) {
    if (block) {
        long held = __atomic_add_fetch(&now, (long)malloc_usable_size(block), __ATOMIC_RELAXED);
        if (held > peak) peak = held;
    }
    return block;
}

static void given_back(void *block) {
    if (block) __atomic_sub_fetch(&now, (long)malloc_usable_size(block), __ATOMIC_RELAXED);
}

void *malloc(size_t size) { return taken(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return taken(__libc_calloc(count, size)); }
void *memalign(size_t align, size_t size) { return taken(__libc_memalign(align, size)); }
void *aligned_alloc(size_t align, size_t size) { return taken(__libc_memalign(align, size)); }

int posix_memalign(void **out, size_t align, size_t size) {
    void *block = taken(__libc_memalign(align, size));
    if (block) *out = block;
    return block ? 0 : ENOMEM;
}

void free(void *block) {
    given_back(block);
    __libc_free(block);
}

void *realloc(void *block, size_t size) {
    long before = block ? (long)malloc_usable_size(block) : 0;
    void *moved = __libc_realloc(block, size); // both blocks are there for a moment, unless it grew where it was
    if (moved || !size) {
        if (moved && moved != block) {
            taken(moved);
            __atomic_sub_fetch(&now, before, __ATOMIC_RELAXED);
        } else {
            __atomic_sub_fetch(&now, before, __ATOMIC_RELAXED);
            taken(moved);
        }
    }
    return moved;
}

struct call {
    void (*function)(void *);
    void *argument;
    char *stack;
    long heap, left, used;
};

#define BLOCK 64

static void *run(void *given) {
    struct call *call = given;
    char here;
    long before = peak = now;
    call->function(call->argument);
    call->heap = peak - before;
    call->left = now - before;
    // what was reserved and not touched is no memory
    for (char *block = call->stack; block + BLOCK <= &here; block += BLOCK) {
        int i = 0;
        while (i < BLOCK && !block[i]) i++;
        if (i < BLOCK) call->used += BLOCK;
    }
    return 0;
}

// 0, and in `found` the most bytes of the heap, those that are still held, the most bytes of the stack; else an error
int heap_peak(void (*function)(void *), void *argument, long found[3]) {
    size_t size = (size_t)64 << 20;
    char *stack = mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) return errno;
    struct call call = {function, argument, stack, 0, 0, 0};
    pthread_attr_t settings;
    pthread_t thread;
    int failed = pthread_attr_init(&settings);
    if (!failed) failed = pthread_attr_setstack(&settings, stack, size);
    if (!failed) failed = pthread_create(&thread, &settings, run, &call);
    if (!failed) failed = pthread_join(thread, 0);
    munmap(stack, size);
    found[0] = call.heap;
    found[1] = call.left;
    found[2] = call.used;
    return failed;
}
