// flags: -ffast-math
/* Relaxed code: reassociated sums, reciprocals, contracted products, no NaN, no signed zero. */
#define _GNU_SOURCE
#include "scalar_table.h"
#define TABLE(row)                                                    \
  row(f_arithmetic, (x + y) * (x - y) / (1 + y * y) - -x / 3, 2.4, 1.3) \
  row(f_branch, (x > y ? x * y : y / x) + fmin(x, y) * fmax(x, 1), 2.4, 1.3) \
  row(f_math, sqrt(x) * exp(y) + log(x) * sin(y) + cos(x) * pow(x, y) + 1 / sqrt(x), 2.4, 1.3) \
  row(f_power, pow(x, 3) * pow(x, 0.5) + pow(x, 2) + exp2(y), 2.4, 1.3) \
  row(f_guarded, x > 100 ? log(x - 100) * y : x * y, 2.4, 1.3)          \
  row(f_divided, ({ double s = 1; for (int i = 0; i < 6; i++) s = s / x + y / x; s; }), 2.4, 1.3) \
  row(f_sum, ({ double s = 0; for (int i = 0; i < 20; i++) s += (i * x - y) * (i * x - y); s; }), 2.4, 1.3) \
  row(f_extreme, ({ double s = x; for (int i = 1; i < 20; i++) s = fmax(s, x * sin(i * 0.3) + y); s; }), 2.4, 1.3)
TABLE(DEFINE_ROW)
int main(void) { TABLE(RUN_ROW) return check_done(); }
