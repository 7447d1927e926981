/* One objective for every compiled tool: in C its numbers are doubles, in C++ it is a template over their type.
 *
 * ADBENCH_DOUBLE keeps it double in C++ too, for a tool that compiles nothing else but differentiates as in C.
 * ADBENCH_TEMPLATE stands before each function whose active values are of type Real. ADBENCH_NEW and ADBENCH_DELETE
 * are for scratch arrays of them: a C++ tool's numbers have constructors. */
#ifndef ADBENCH_REAL_H
#define ADBENCH_REAL_H

#include <math.h>
#include <stdlib.h>

#define ADBENCH_RESTRICT __restrict

#if defined(__cplusplus) && !defined(ADBENCH_DOUBLE)
#define ADBENCH_TEMPLATE template <typename Real>
#define ADBENCH_NEW(count) (new Real[count])
#define ADBENCH_DELETE(array) (delete[] (array))
#else
typedef double Real;
#define ADBENCH_TEMPLATE
#define ADBENCH_NEW(count) ((Real *)malloc(sizeof(Real) * (size_t)(count)))
#define ADBENCH_DELETE(array) (free(array))
#endif

#endif
