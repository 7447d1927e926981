/* Adjoints of all lanes in vectors: numbers of several formats that become one another, choices, what goes from one
 * iteration to the next, branches that meet, calls, and partials that are infinite where an adjoint is zero. */
#ifndef NARROW
#define NARROW double
#endif
#define WIDTH_A 3
#define WIDTH_B 8
#include "vector.h"

#include <string.h>

struct split {
  double high;
  NARROW low;
};

static NOINLINE struct split apart(double a, NARROW b) {
  struct split s = {a * a + b, (NARROW)(a * 0.5) * b};
  return s;
}

/* No loops: a root at zero whose adjoint is zero, a sign in the bits, a choice between numbers, a long double. */
static NOINLINE double straight(const double *x, double *y) {
  double a = exp(0.3 * x[0] * x[1]) + x[2] / x[1], zero = x[3] - x[3];
  NARROW narrow = (NARROW)(a * x[4]), same = narrow;
  long double wide = (long double)a * x[5] + narrow;
  unsigned long bits;
  memcpy(&bits, &x[6], sizeof bits);
  bits &= ~(1ul << 63);
  double size, least = a < x[2] ? a : x[2];
  memcpy(&size, &bits, sizeof size);
  struct split s = apart(least, same);
  y[0] = x[7] > 0.5 ? sqrt(zero * zero) * 0.0 + s.high : s.low;
  y[1] = fmax(s.low, size) * (double)(wide / 3);
  return a * size + pow(x[5], 3) + (x[0] < 0.6 ? narrow : (NARROW)0.25);
}

/* The next number is computed from the one before, in two formats, until one of two things happens. */
static NOINLINE double after_another(const double *x, int n) {
  double a = x[0], b = 0.5, most = 0;
  NARROW c = (NARROW)x[1];
  for (int i = 0; i < 9 * n; i++) {
    double next = a * cos(b) + x[i % n] * (i & 1 ? c : b);
    if (i % 3 == 0) {
      c = (NARROW)0.75 * c + (NARROW)a * (NARROW)0.1;
    } else if (next > 1.2) {
      next = 1.2 + log(next);
    }
    b = b * 0.9 + 0.05 * a;
    most = most < next ? next : most;
    a = next;
    if (a > 40) break;
  }
  return a * b + c + most;
}

static NOINLINE void turn(double *x) { /* three and three, in place */
  double m[3][3], t[3];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) m[i][j] = x[i] * x[j + 3] + (i == j);
  for (int i = 0; i < 3; i++) {
    t[i] = 0;
    for (int j = 0; j < 3; j++) t[i] += m[i][j] * x[j];
  }
  for (int i = 0; i < 3; i++) x[i] = t[i] / (1 + t[i] * t[i]);
}

static REAL subject(REAL *x, int n) {
  double y[2] = {0, 0}, r = 0;
  for (int i = 0; i < 4; i++) {
    r += straight(x, y) * 0.3;
    x[i] += 0.1 * y[0];
    x[7 - i] *= 1 + 0.01 * y[1];
    turn(x + (i & 1));
  }
  return r + after_another(x, n) + y[1];
}
