/* What a tool that overloads operators brings, in a header `tool.hpp` of its own folder:
 *
 *   namespace tool {
 *   // The value of f, a function of n numbers, at x, and its gradient.
 *   template <class F> double gradient(long n, const double *x, double *dx, const F &f);
 *   // The Jacobian of f, which has m values, row after row: rows[m][n].
 *   template <class F> void jacobian(long n, const double *x, long m, double *rows, const F &f);
 *   // Its product with K directions, column after column: columns[K][m]. Direction c moves every x[i] whose lane[i] is c.
 *   template <int K, class F>
 *   void directions(long n, const double *x, const int *lane, long m, double *columns, const F &f);
 *   // Only of tools registered with the option "second": the gradient of f and its Hessian's product with ones.
 *   template <class F> void newton(long n, const double *x, double *dx, double *ones, const F &f);
 *   }
 *
 * and TOOL_VERSION, a string. f is a function of any type of numbers: f(x) where it has one value, else f(x, y). The
 * workloads' sources named overload.cpp, which are entered like those of any compiled tool, call these. */
#ifndef ADBENCH_OVERLOAD_HPP
#define ADBENCH_OVERLOAD_HPP

#include <stdlib.h>

#ifdef ADBENCH_NO_CPP_LIBRARY
/* A tool that stands on no library of others needs none for its arrays either. */
void *operator new[](unsigned long size) { return malloc(size); }
void operator delete[](void *memory) noexcept { free(memory); }
void operator delete[](void *memory, unsigned long) noexcept { free(memory); }
#endif

/* An array of numbers that goes when its scope ends. */
template <class T> struct numbers {
    T *const at;

    explicit numbers(long count) : at(new T[(size_t)count]) {}
    ~numbers() { delete[] at; }
    numbers(const numbers &) = delete;
    numbers &operator=(const numbers &) = delete;
    operator T *() const { return at; }
    T &operator[](long i) const { return at[i]; }
};

#include "tool.hpp"

#endif
