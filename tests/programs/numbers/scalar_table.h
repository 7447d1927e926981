/* A table of functions of one or two numbers, each a row `row(name, value, x, y)`: the value in terms of x and y, and a
 * point. RUN_TABLE checks the derivatives of every row there and at a second point close by. */
#ifndef ENZYME_PROGRAM_SCALAR_TABLE_H
#define ENZYME_PROGRAM_SCALAR_TABLE_H
#include "check.h"
#define DEFINE_ROW(name, value, a, b)                                             \
  static double name(const double *p) { double x = p[0], y = p[1]; (void)y; return value; } \
  DERIVED(name)
#define RUN_ROW(name, value, a, b)                                                \
  { double first[2] = {a, b}, second[2] = {a * 1.03, b * 0.98};                   \
    CHECK_DERIVED(name, first); CHECK_DERIVED(name, second); }
#endif
