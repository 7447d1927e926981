/* Steps, whose derivative is zero, and what is left over: floor, ceil, rint, round, trunc, fmod, remainder, modf ... */
#define _GNU_SOURCE
#include "scalar_table.h"
static double split(double x) { double whole, rest = modf(x, &whole); return rest * whole + rest * rest; }
static double splitf(double x) { float whole, rest = modff((float)x, &whole); return (double)rest * 0 + x; }
static double quotient(double x, double y) { int q; double r = remquo(x, y, &q); return r * (q & 3) + x; }
#define TABLE(row)                                                    \
  row(r_floor, floor(x) * y + floor(y * 4) * x, 2.4, 1.3)              \
  row(r_ceil, ceil(x) * y, -2.4, 1.3)                                  \
  row(r_trunc, trunc(x) * y, -2.4, 1.3)                                \
  row(r_rint, rint(x) * y + nearbyint(x * 3) * y, 2.45, 1.3)           \
  row(r_round, round(x) * y + roundeven(x) * y, 2.35, 1.3)             \
  row(r_lround, lround(x) * y + llround(x) * y + lrint(x) * y, 2.35, 1.3) \
  row(r_rest, (x - floor(x)) * y, 2.4, 1.3)                            \
  row(r_fmod, fmod(x, y) * x, 7.4, 1.3)                                \
  row(r_fmod_negative, fmod(x, y) * y, -7.4, 1.3)                      \
  row(r_remainder, remainder(x, y) * x, 7.4, 1.3)                      \
  row(r_drem, drem(x, y) + x, 7.4, -1.3)                               \
  row(r_remquo, quotient(x, y), 7.4, 1.3)                              \
  row(r_modf, split(x) * y, 2.4, 1.3)                                  \
  row(r_modf_negative, split(x) * y, -2.4, 1.3)                        \
  row(r_modff, splitf(x) * y, 2.4, 1.3)                                \
  row(r_long, (double)(fmodl(x, y) * remainderl(x, 2) + floorl(x) * y), 7.4, 1.3)
TABLE(DEFINE_ROW)
int main(void) { TABLE(RUN_ROW) return check_done(); }
