/* The timing loop of every compiled tool: one clock, no conversion and no allocation inside the timed region.
 *
 * Each of the `count` samples is the time of `inner` calls in nanoseconds. */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <time.h>

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void adbench_measure(void (*f)(void *), void *problem, int64_t inner, int64_t count, int64_t *samples) {
    for (int64_t i = 0; i < count; i++) {
        int64_t start = now();
        for (int64_t j = 0; j < inner; j++) {
            f(problem);
        }
        samples[i] = now() - start;
    }
}
