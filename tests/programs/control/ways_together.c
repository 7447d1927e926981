/* Iterations that go different ways, on records and on numbers: limiters, upwind fluxes, ways that would divide by
 * nothing where they are not gone, stores at the ends of ways, results that later iterations read after all. */
// heavy: ten functions, each in versions for arrays that are apart and for others
#include "check.h"

#define N 21
static double buffer[8 * N], other[8 * N];
static volatile int fifteen = 15, all = N, another; /* or a compiler counts iterations, and knows all distances */
#define START \
  double *u = another ? other : buffer, *f = u + 3 * N; \
  for (int i = 0; i < 8 * N; i++) u[i] = 0;

static double minmod(double a, double b) { return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b; }

static NOINLINE double limited_steps(double *u, double *f, const double *x, int n, int steps) {
  for (int i = 0; i < n; i++) u[3 * i] = 1 + 0.2 * x[i], u[3 * i + 1] = 0.4 * x[i], u[3 * i + 2] = 2.5 + 0.3 * x[i] * x[i];
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n - 2; i++) {
      double l[3], r[3], a[3], b[3];
      for (int k = 0; k < 3; k++) {
        l[k] = u[3 * i + k] + 0.5 * minmod(u[3 * i + k] - u[3 * i - 3 + k], u[3 * i + 3 + k] - u[3 * i + k]);
        r[k] = u[3 * i + 3 + k] - 0.5 * minmod(u[3 * i + 3 + k] - u[3 * i + k], u[3 * i + 6 + k] - u[3 * i + 3 + k]);
      }
      double vl = l[1] / l[0], vr = r[1] / r[0], sl = vl - 0.3 * sqrt(l[2]), sr = vr + 0.1 * sqrt(r[2]) - 0.15;
      a[0] = l[1], a[1] = l[1] * vl + l[2], a[2] = l[2] * vl;
      b[0] = r[1], b[1] = r[1] * vr + r[2], b[2] = r[2] * vr;
      for (int k = 0; k < 3; k++)
        f[3 * i + k] = sl >= 0 ? a[k] : sr <= 0 ? b[k] : (sr * a[k] - sl * b[k] + sl * sr * (r[k] - l[k])) / (sr - sl);
    }
    for (int i = 2; i < n - 2; i++)
      for (int k = 0; k < 3; k++) u[3 * i + k] -= 0.2 * (f[3 * i + k] - f[3 * i - 3 + k]);
  }
  double s = 0;
  for (int i = 0; i < n; i++) s += u[3 * i] * u[3 * i + 2] + u[3 * i + 1];
  return s;
}
static double limited(const double *x) { START return limited_steps(u, f, x, 14, 2); }
DERIVED(limited)

/* What is stored behind the first numbers is read by later iterations, or is just not. */
#define HANDED(name, ahead)                                                                                      \
  static NOINLINE double name##_on(double *u, const double *x, int n) {                                          \
    double *g = u + 3 * (ahead);                                                                                 \
    for (int i = 0; i < n; i++)                                                                                  \
      for (int k = 0; k < 3; k++) u[3 * i + k] = 1 + 0.1 * (k + 1) * x[i];                                       \
    for (int i = 1; i < n - 2; i++) {                                                                            \
      double a = u[3 * i], b = u[3 * i + 4], c = u[3 * i - 1], v;                                                \
      if (a * b > c) v = a * b / (1 + c * c) + sqrt(a * a + b * b);                                              \
      else if (a > 1.03) v = a - b * c + 0.5 * a * a * b;                                                        \
      else v = b * b * c - a / (2 + b);                                                                          \
      g[3 * i] = v, g[3 * i + 1] = 0.3 * v * v + 0.1 * a, g[3 * i + 2] = 1 + 0.05 * v * b;                       \
    }                                                                                                            \
    double s = 0;                                                                                                \
    for (int i = 0; i < 2 * n; i++) s += u[i] * u[i] * (1 + i % 4);                                              \
    return s;                                                                                                    \
  }                                                                                                              \
  static double name(const double *x) { START (void)u; return name##_on(f, x, fifteen) + name##_on(f, x, fifteen - 4); } \
  DERIVED(name)
HANDED(far, n)
HANDED(just, n - 2)
HANDED(met, n - 4)
HANDED(near, 2)

/* Ways that divide by nothing, and take roots and logarithms of less, where they are not gone. */
static NOINLINE double singular_sum(double *y, const double *x, const double *m, int n) {
  for (int i = 0; i < n - 1; i++) {
    double d = x[i] * m[i], z = x[i + 1], p = x[i] + 0.3 * z, v, w = exp(0.1 * p) * sqrt(p * p + z * z + 1) / (3 + d);
    if (m[i] != 0) {
      double q = z / d;
      v = q * q * z + z / (1 + q * q);
    } else
      v = z * p;
    if (p > 0.4) v += sqrt(p - 0.4) * z + v / (p - 0.39);
    switch (i % 5) {
    case 0: w = v * p + w;
    case 1: v += w * w; break;
    case 3: v = w / (m[i] - 2) + v * w * m[i]; break;
    default: v -= w * p;
    }
    y[i] = v * 0.1 + w * p;
  }
  double s = 0;
  for (int i = 0; i < n - 1; i++) s += y[i] * y[i];
  return s;
}
static double singular(const double *x) {
  double m[N], y[N];
  for (int i = 0; i < N; i++) m[i] = i % 3 ? 1 + 0.1 * i : 0;
  return singular_sum(y, x, m, all);
}
DERIVED(singular)

/* In place, with a sum beside it, and a number that goes from iteration to iteration. */
static NOINLINE double in_place(double *u, const double *x, int n) {
  double s = 0, last = 0.5;
  for (int i = 0; i < n; i++) u[2 * i] = x[i], u[2 * i + 1] = 0.5 * x[i] + 1;
  for (int i = 0; i < n; i++) {
    double a = u[2 * i], b = u[2 * i + 1], c = a * b + 0.2 * b * b + 0.05 * sqrt(2 + a * a) / (1 + b * b);
    if (c > 0.6) {
      if (a > 0.9) c = c / (1 + a * a) + b; else c = sqrt(1 + c) * b - a * a;
      a += c * 0.5;
    } else if (c < 0.1)
      b -= c * c * a + 0.1 * b / (1 + c * c), a = a * b;
    u[2 * i] = a * c + b, u[2 * i + 1] = c - 0.3 * a * b;
    s += c * a;
  }
  for (int i = 0; i < n; i++) {
    double a = u[2 * i] + 0.1 * last, b = u[2 * i + 1];
    if (a > b) last = a * b / (2 + b * b) + 0.1 * a * a; else last = b * b / (2 + a * a) - 0.2 * a * b;
    u[2 * i] = last * a + b / (3 + a * a), u[2 * i + 1] -= last * b;
  }
  for (int i = 0; i < 2 * n; i++) s += u[i] * u[i];
  return s;
}
static double placed(const double *x) { START (void)f; return in_place(u, x, all); }
DERIVED(placed)

/* Few iterations, or none. */
static double few(const double *x) {
  double s = 0;
  for (int n = 0; n < 13; n++) {
    START
    s += limited_steps(u, f, x, n, 1) * (n + 1);
  }
  return s;
}
DERIVED(few)

/* All ways store to the same places, in another order, or not all of them. */
static NOINLINE double ends(double *y, double *z, const double *x, int n) {
  for (int i = 0; i < n; i++) {
    double a = x[i], b = x[n - 1 - i];
    if (a > 0.5) {
      y[2 * i] = a * b, y[2 * i + 1] = a / (2 + b);
    } else if (b > 0.4) {
      y[2 * i + 1] = b * b * a, y[2 * i] = sqrt(2 + a);
    } else {
      y[2 * i] = a - b;
      y[2 * i + 1] = y[2 * i] * a + y[2 * i] * y[2 * i];
      z[0] += y[2 * i + 1] * b;
    }
    y[2 * i] = y[2 * i] * y[2 * i + 1] + 0.1 * z[0];
  }
  double s = z[0] * z[0];
  for (int i = 0; i < 2 * n; i++) s += y[i] * y[i] * (i + 1);
  return s;
}
static double ended(const double *x) { START f[0] = 0.3; return ends(u, f, x, all); }
static double ended_inside(const double *x) { START (void)f; u[12] = 0.2; return ends(u, u + 12, x, all); }
DERIVED(ended)
DERIVED(ended_inside)

int main(void) {
  double x[N], y[N];
  for (int i = 0; i < N; i++) x[i] = 0.55 + 0.5 * sin(3.1 * i + 1), y[i] = 0.51 + 0.41 * cos(1.2 * i * i + 0.4);
  for (int round = 0; round < 2; round++) {
    double *at = round ? y : x;
    CHECK_N(limited, limited_gradient, limited_tangent, at, N);
    CHECK_N(far, far_gradient, far_tangent, at, N);
    CHECK_N(just, just_gradient, just_tangent, at, N);
    CHECK_N(met, met_gradient, met_tangent, at, N);
    CHECK_N(near, near_gradient, near_tangent, at, N);
    CHECK_N(singular, singular_gradient, singular_tangent, at, N);
    CHECK_N(placed, placed_gradient, placed_tangent, at, N);
    CHECK_N(few, few_gradient, few_tangent, at, N);
    CHECK_N(ended, ended_gradient, ended_tangent, at, N);
    CHECK_N(ended_inside, ended_inside_gradient, ended_inside_tangent, at, N);
  }
  return check_done();
}
