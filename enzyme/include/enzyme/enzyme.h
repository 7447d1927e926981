/* Declarations for programs that ask for derivatives.
 *
 *     double f(const double *x, int n);
 *     void gradient(const double *x, double *dx, int n) {
 *         __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n);
 *     }
 *
 * ENTRY POINTS. The calls are known by name, and any name that contains one of these will do: C programs that need
 * another result declare their own, for example `struct pair __enzyme_autodiff_pair(void *, ...);`.
 *
 * __enzyme_autodiff(function, arguments...): reverse mode. Gradients are added to the shadow that follows an enzyme_dup
 * (or enzyme_dupnoneed) argument; the gradients of enzyme_out arguments are the call's result: nothing, the one number,
 * or a struct of them in order. The function's own result has adjoint 1; where it is a struct of numbers, its adjoint is
 * passed behind the arguments.
 *
 * __enzyme_fwddiff(function, arguments...): forward mode. An enzyme_dup argument, pointer or number, is followed by its
 * tangent; the call's result is the tangent of the function's.
 *
 * __enzyme_augmentfwd(function, arguments...) and __enzyme_reverse(function, arguments..., [adjoint,] tape): reverse mode
 * in two calls. The first runs the function and returns a struct of the tape (a pointer), the function's result, and,
 * where that is a pointer, its shadow; it may be declared to return only the first of these. The second is given the
 * same arguments with the same markers, the adjoint of the result if that is a number, and the tape, which it frees;
 * it returns what __enzyme_autodiff would. Memory may change between the two.
 *
 * __enzyme_augmentsize(function, activities...): bytes that enzyme_tape needs in a buffer of the caller's.
 *
 * __enzyme_fwdsplit(function, arguments..., tape): forward mode for a function that __enzyme_augmentfwd has run. Only for
 * functions that use no memory but their own.
 *
 * __enzyme_batch(function, enzyme_width, n, arguments...): no derivative, n calls of the function; their results in a
 * struct.
 *
 * __enzyme_virtualreverse(function): what a shadow of a pointer to the function holds.
 *
 * MARKERS stand in front of an argument:
 *
 * enzyme_const, x             not differentiated
 * enzyme_dup, x, dx           a shadow or tangent follows
 * enzyme_dupnoneed, x, dx     the same; what the primal computes there is not needed
 * enzyme_out, x               a number whose gradient is returned (reverse mode)
 * enzyme_dupv, d, x, dx       enzyme_dup whose n shadows lie d bytes apart, from dx on (enzyme_width)
 * enzyme_dupnoneedv, d, x, dx enzyme_dupnoneed likewise
 * enzyme_byref, size, m, &x   in front of or behind a marker m: the value, and its shadow, are read from memory
 * enzyme_scalar, x            of a batch: the same in all lanes
 * enzyme_vector, x1, ..., xn  of a batch: one for each lane; also without the marker
 * enzyme_buffer, d, x         of a batch: lane i uses what is at x + i d bytes, a pointer parameter that address itself
 *
 * A struct that is passed by value has one marker, also where the machine passes it in several registers.
 * Arguments without a marker: a pointer is enzyme_dup, a floating-point number enzyme_out (reverse) or enzyme_dup
 * (forward), an integer enzyme_const.
 *
 * OPTIONS stand anywhere between the arguments:
 *
 * enzyme_width, n             n derivatives at once: n shadows or tangents follow an enzyme_dup argument, and each tangent
 *                             and gradient in the result is an array of n
 * enzyme_primal_return        the function's own result is returned, in front of the derivative
 * enzyme_noret                the result is not differentiated: no adjoint, no tangent; of __enzyme_augmentfwd, neither
 *                             result nor shadow. enzyme_const_return is the same
 * enzyme_tape, &t             the tape is left in, and taken from, t
 * enzyme_allocated, size      the size of t, from __enzyme_augmentsize
 * enzyme_nofree               __enzyme_reverse leaves the tape as it is, so that it can run again with it
 * enzyme_runtime_activity     a shadow that is the argument itself says that this memory is constant
 * enzyme_interleave           behind all arguments: their shadows follow here, in order
 * enzyme_strong_zero          zero times infinity is zero in derivatives
 */
#ifndef ENZYME_ENZYME_H
#define ENZYME_ENZYME_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

extern int enzyme_const;
extern int enzyme_dup;
extern int enzyme_dupnoneed;
extern int enzyme_out;
extern int enzyme_dupv;
extern int enzyme_dupnoneedv;
extern int enzyme_byref;
extern int enzyme_scalar;
extern int enzyme_vector;
extern int enzyme_buffer;
extern int enzyme_width;
extern int enzyme_primal_return;
extern int enzyme_noret;
extern int enzyme_const_return;
extern int enzyme_active_return;
extern int enzyme_dup_return;
extern int enzyme_tape;
extern int enzyme_allocated;
extern int enzyme_nofree;
extern int enzyme_runtime_activity;
extern int enzyme_interleave;
extern int enzyme_strong_zero;

#ifdef __cplusplus
}
#endif

/* Derivatives made ahead of time: in a header that the file which defines f and those which differentiate it share.
 * ENZYME_AHEAD_AS(f, "dup const out") names other activities than a shadow for every pointer. */
#define ENZYME_AHEAD_JOINED(name, line) __enzyme_ahead_##name##_##line
#define ENZYME_AHEAD_NAME(name, line) ENZYME_AHEAD_JOINED(name, line)
#define ENZYME_AHEAD(f) static void *ENZYME_AHEAD_NAME(f, 0)[] __attribute__((used)) = {(void *)f}
#define ENZYME_AHEAD_AS(f, activities) \
  static void *ENZYME_AHEAD_NAME(f, __LINE__)[] __attribute__((used)) = {(void *)f, (void *)activities}

#ifdef __cplusplus
/* The result's type comes first: __enzyme_autodiff<double>((void *)f, enzyme_out, x). */
template <typename Result, typename... Arguments> Result __enzyme_autodiff(void *function, Arguments... arguments);
template <typename Result, typename... Arguments> Result __enzyme_fwddiff(void *function, Arguments... arguments);
template <typename Result, typename... Arguments> Result __enzyme_augmentfwd(void *function, Arguments... arguments);
template <typename Result, typename... Arguments> Result __enzyme_reverse(void *function, Arguments... arguments);
template <typename Result, typename... Arguments> Result __enzyme_fwdsplit(void *function, Arguments... arguments);
template <typename Result, typename... Arguments> Result __enzyme_batch(void *function, Arguments... arguments);
template <typename... Arguments> size_t __enzyme_augmentsize(void *function, Arguments... arguments);
#else
double __enzyme_autodiff(void *function, ...);
double __enzyme_fwddiff(void *function, ...);
void *__enzyme_augmentfwd(void *function, ...);
double __enzyme_reverse(void *function, ...);
double __enzyme_fwdsplit(void *function, ...);
size_t __enzyme_augmentsize(void *function, ...);
void *__enzyme_virtualreverse(void *function);
#endif

#endif
