/* Declarations for programs that ask for derivatives.
 *
 *     double f(const double *x, int n);
 *     void gradient(const double *x, double *dx, int n) {
 *         __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_const, n);
 *     }
 *
 * Reverse mode, __enzyme_autodiff(function, arguments...): gradients are added to the shadow that follows an enzyme_dup
 * (or enzyme_dupnoneed) argument; the gradients of enzyme_out arguments are the call's result: nothing, the one
 * number, or a struct of them in order. The function's own result has adjoint 1.
 *
 * Forward mode, __enzyme_fwddiff(function, arguments...): an enzyme_dup argument, pointer or number, is followed by its
 * tangent; the call's result is the tangent of the function's.
 *
 * Arguments without a marker: a pointer is enzyme_dup, a floating-point number enzyme_out (reverse) or enzyme_dup
 * (forward), an integer enzyme_const.
 *
 * The calls are known by name, and any name that contains one of these will do: C programs that need another result
 * declare their own, for example `struct pair __enzyme_autodiff_pair(void *, ...);`.
 */
#ifndef ENZYME_ENZYME_H
#define ENZYME_ENZYME_H

#ifdef __cplusplus
extern "C" {
#endif

extern int enzyme_const;
extern int enzyme_dup;
extern int enzyme_dupnoneed;
extern int enzyme_out;

#ifdef __cplusplus
}

/* The result's type comes first: __enzyme_autodiff<double>((void *)f, enzyme_out, x). */
template <typename Result, typename... Arguments> Result __enzyme_autodiff(void *function, Arguments... arguments);
template <typename Result, typename... Arguments> Result __enzyme_fwddiff(void *function, Arguments... arguments);
#else
double __enzyme_autodiff(void *function, ...);
double __enzyme_fwddiff(void *function, ...);
#endif

#endif
