/* A root times what it is the root of, or itself, in all orders, and what only looks like that. */
#include "scalar_table.h"

#define TABLE(row)                                                                                                 \
  row(f_times, ({ double s = x * x + y; s * sqrt(s); }), 1.4, 0.6)                                                 \
  row(f_other_way, ({ double s = x * x + y; 3 / (sqrt(s) * s); }), 1.4, 0.6)                                       \
  row(f_square, ({ double r = sqrt(x * y); r * r + y; }), 1.4, 0.6)                                                \
  row(f_cube, ({ double r = sqrt(x + y * y); 1 / (r * r * r); }), 1.4, 0.6)                                        \
  row(f_cube_from_right, ({ double r = sqrt(x + y * y); r * (r * r); }), 1.4, 0.6)                                 \
  row(f_square_used, ({ double r = sqrt(x + y), q = r * r; q * r + sin(q) * r; }), 1.4, 0.6)                       \
  row(f_root_used, ({ double s = x + y * y, r = sqrt(s); s * r + exp(-r) / r; }), 1.4, 0.6)                        \
  row(f_twice, ({ double s = x + y * y, r = sqrt(s); s * r + (s * r) * (r * s); }), 1.4, 0.6)                      \
  row(f_fourth, ({ double r = sqrt(x + y); (r * r) * (r * r); }), 1.4, 0.6)                                        \
  row(f_fused, ({ double s = x + y, r = sqrt(s); fma(s, r, fma(r, r, s * s)); }), 1.4, 0.6)                        \
  row(f_added, ({ double s = x + y, r = sqrt(s); s * r + r; }), 1.4, 0.6)                                         \
  row(f_square_added, ({ double s = x + y, r = sqrt(s); fma(r, r, r); }), 1.4, 0.6)                                \
  row(f_both_times, ({ double s = x + y, r = sqrt(s); r * r - s * r * y; }), 1.4, 0.6)                             \
  row(f_other_root, ({ double s = x + y, r = sqrt(s + 1e-3); s * r; }), 1.4, 0.6)                                  \
  row(f_root_of_root, ({ double r = sqrt(x), q = sqrt(r); r * q + q * x + q * q * q; }), 1.4, 0.6)                 \
  row(f_one_constant, ({ double r = sqrt(2.5), s = x * y; s * r + r * r * s; }), 1.4, 0.6)                         \
  row(f_branch, ({ double s = x + y, r = sqrt(s), t = r; if (x > y) t = s * r; else t = r * r * x; t; }), 1.4, 0.6) \
  row(f_branch_other, ({ double s = x + y, r = sqrt(s), t = r; if (x < y) t = s * r; else t = r * r * r; t; }), 1.4, 0.6) \
  row(f_float, ({ double s = x + y; float t = (float)s; double r = sqrt(s); r * s + 0 * t; }), 1.4, 0.6)           \
  row(f_loop, ({ double s = x, t = 0; for (int i = 0; i < 5; i++) s = s * sqrt(s) * 0.5 + y, t += s; t; }), 1.4, 0.6) \
  row(f_outside, ({ double s = x + y, r = sqrt(s), t = 0; for (int i = 0; i < 4; i++) t += r * s * i + r * r * t * 0.1; t; }), 1.4, 0.6)
TABLE(DEFINE_ROW)

/* The root goes into memory, through a call, around a loop, or by a choice, and is multiplied besides. */
static NOINLINE double handed(double r, double s) { return r * r + s; }
static void keep(double *to, double r) { *to = r; }
static double stored(const double *x) {
  double a[4], sum = 0;
  for (int i = 0; i < 4; i++) {
    double s = x[0] * x[1] + i, r = sqrt(s);
    keep(&a[(i * 3) % 4], r);
    sum += s * r;
  }
  for (int i = 0; i < 4; i++) sum += a[i] * (i + 1);
  return sum;
}
static double given(const double *x) {
  double s = x[0] * x[1], r = sqrt(s);
  return s * r + handed(r, x[2]);
}
static double around(const double *x) {
  double before = x[2], sum = 0;
  for (int i = 0; i < 4; i++) {
    double s = x[0] + i * x[1], r = sqrt(s);
    sum += r * r * r + before, before = r;
  }
  return sum + before;
}
static double chosen(const double *x) {
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    double s = x[0] + i * x[1], r = sqrt(s), t = i % 2 ? r : x[2];
    sum += r * s * t + (r < 1 ? 2 * s : r * r);
  }
  return sum;
}
DERIVED(stored)
DERIVED(given)
DERIVED(around)
DERIVED(chosen)

/* What the root is of is overwritten between the sweeps. */
static double overwritten(const double *x) {
  double a[8], sum = 0;
  for (int i = 0; i < 8; i++) a[i] = x[i % 3] + 0.1 * i;
  for (int k = 0; k < 3; k++)
    for (int i = 1; i < 8; i++) {
      double s = a[i] * a[i] + 0.2, r = sqrt(s);
      a[i - 1] = s * r * 0.2 + a[i];
      a[i] = a[i - 1] / (r * r * r) + r;
    }
  for (int i = 0; i < 8; i++) sum += a[i] * (i + 1);
  return sum;
}
DERIVED(overwritten)

/* Bodies at the same place: no softening, and a law that is smooth there. */
static double met(const double *x) {
  double sum = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double d = x[i] - x[j], s = d * d;
      sum += s * sqrt(s) + sqrt(s) * sqrt(s) * d;
    }
  return sum;
}
static void met_closed(const double *x, double *g) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double d = x[i] - x[j], slope = 3 * fabs(d) * d + 3 * d * d;
      g[i] += slope, g[j] -= slope;
    }
}
DERIVED(met)

int main(void) {
  double three[3] = {0.7, 1.1, 0.4}, places[3] = {0.5, -0.25, 1.5};
  TABLE(RUN_ROW)
  CHECK_DERIVED(overwritten, three);
  CHECK_DERIVED(stored, three);
  CHECK_DERIVED(given, three);
  CHECK_DERIVED(around, three);
  CHECK_DERIVED(chosen, three);
  CHECK_CLOSED(met, met_gradient, met_closed, met_tangent, places);
  return check_done();
}
