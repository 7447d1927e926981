/* Scratch arrays of any number type. A tool's own numbers have constructors, and none of them needs the C++ library. */
#ifndef ADBENCH_SCALAR_SCRATCH_HPP
#define ADBENCH_SCALAR_SCRATCH_HPP

#include <stddef.h>
#include <stdlib.h>

struct scratch_place {};

inline void *operator new(size_t, scratch_place, void *place) noexcept { return place; }

/* An array of `count` numbers without values. */
template <class T> T *scratch(long count) {
    T *array = (T *)malloc(sizeof(T) * (size_t)count);
    for (long i = 0; i < count; i++) {
        new (scratch_place(), array + i) T;
    }
    return array;
}

template <class T> void release(T *array, long count) {
    for (long i = 0; i < count; i++) {
        array[i].~T();
    }
    free(array);
}

#endif
