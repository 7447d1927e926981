// flags: -frounding-math -ffp-exception-behavior=strict
/* Strict floating point: every operation, comparison and conversion is a constrained intrinsic. */
#define _GNU_SOURCE
#include "scalar_table.h"
#define TABLE(row)                                                    \
  row(t_arithmetic, (x + y) * (x - y) / (1 + y * y) - -x, 2.4, 1.3)    \
  row(t_branch, x > y ? x * y : y / x, 2.4, 1.3)                       \
  row(t_order, x <= y ? x * y : x == y ? 1 : fabs(x) * y, 2.4, 1.3)    \
  row(t_math, sqrt(x) * exp(y) + log(x) * sin(y) + cos(x) * pow(x, y) + fma(x, y, x), 2.4, 1.3) \
  row(t_rounded, floor(x) * y + rint(y) * x + ceil(x) + trunc(y) + round(x) * y + nearbyint(y), 2.4, 1.3) \
  row(t_integers, (int)x * y + (double)(int)(y * 3) * x + (unsigned)x * y + lround(x) * y, 2.4, 1.3) \
  row(t_formats, (double)(float)(y * 0) + (long double)x * y, 2.4, 1.3) \
  row(t_remainder, fmod(x, y) + fmin(x, y) * fmax(x, 1), 2.4, 1.3)     \
  row(t_contract, x * y + x, 2.4, 1.3)                                 \
  row(t_loop, ({ double s = 1; for (int i = 0; i < 5; i++) s = s * x * 0.25 + y / (i + 1); s; }), 2.4, 1.3)
TABLE(DEFINE_ROW)
int main(void) { TABLE(RUN_ROW) return check_done(); }
