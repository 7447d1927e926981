/* Functions in a narrow or wide format, checked against the same function in double.
 *
 * PAIR(name, type, body) makes `name`, where T is the type, its derivatives, and `name_twin`, where T is double. The
 * body is that of a function of `const double *p`. */
#ifndef ENZYME_PROGRAM_NARROW_H
#define ENZYME_PROGRAM_NARROW_H
#include "check.h"
#define PAIR(name, type, ...)                                                  \
  static NOINLINE double name(const double *p) { typedef type T; __VA_ARGS__ } \
  static NOINLINE double name##_twin(const double *p) { typedef double T; __VA_ARGS__ } \
  DERIVED(name)
/* With two tolerances, as CHECK_FULL takes them. */
#define CHECK_PAIR(name, x, ...) CHECK_FULL(name##_twin, name##_gradient, 0, name##_tangent, x, COUNT(x), __VA_ARGS__)
#endif
