/* check.h for C++: the two adapters of an objective, by one line. */
#ifndef ENZYME_PROGRAM_CPP_CHECK_H
#define ENZYME_PROGRAM_CPP_CHECK_H

#include "check.h"

#define ADAPTERS(objective)                                                              \
  static void objective##_reverse(const double *x, double *g) {                          \
    __enzyme_autodiff((void *)objective, enzyme_dup, x, g);                              \
  }                                                                                      \
  static double objective##_forward(const double *x, const double *v) {                  \
    return __enzyme_fwddiff((void *)objective, enzyme_dup, x, v);                        \
  }
#define CHECK_BOTH(objective, x) CHECK(objective, objective##_reverse, objective##_forward, x)

#endif
