/* Long time loops, each timed by itself: NAME STEPS prints seconds of the primal, of its gradient, the gradient's sum,
 * and how much the gradient added to the most memory that the process ever had. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "measured.h"

extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

/* The heat equation on a ring, with a source. */
static double heat(const double *x, int n, int steps) {
  double *u = (double *)malloc((size_t)n * sizeof *u), *v = (double *)malloc((size_t)n * sizeof *v), s = 0;
  memcpy(u, x, (size_t)n * sizeof *u);
  for (int t = 0; t < steps; t++) {
    v[0] = u[0] + 0.1 * (u[n - 1] - 2 * u[0] + u[1]);
    for (int i = 1; i < n - 1; i++) v[i] = u[i] + 0.1 * (u[i - 1] - 2 * u[i] + u[i + 1]) - 1e-3 * u[i] * u[i];
    v[n - 1] = u[n - 1] + 0.1 * (u[n - 2] - 2 * u[n - 1] + u[0]);
    memcpy(u, v, (size_t)n * sizeof *u);
  }
  for (int i = 0; i < n; i++) s += u[i] * u[i];
  free(u), free(v);
  return s;
}

/* The Brusselator by the classical method of Runge and Kutta. */
static double brusselator(const double *x, int n, int steps) {
  double y = x[0], z = x[1], a = x[2], b = x[3] + 2, h = 1e-4;
  (void)n;
  for (int t = 0; t < steps; t++) {
    double k[4][2], p = y, q = z;
    for (int i = 0; i < 4; i++) {
      k[i][0] = a + p * p * q - (b + 1) * p;
      k[i][1] = b * p - p * p * q;
      p = y + (i == 2 ? h : 0.5 * h) * k[i][0];
      q = z + (i == 2 ? h : 0.5 * h) * k[i][1];
    }
    y += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
    z += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
  }
  return y * z;
}

/* A recurrent network without inputs, until its state settles or the steps are over. */
static double recurrent(const double *x, int n, int steps) {
  double *h = (double *)calloc((size_t)n, sizeof *h), *next = (double *)calloc((size_t)n, sizeof *next), moved = 1;
  for (int i = 0; i < n; i++) h[i] = x[i];
  for (int t = 0; t < steps && moved > 1e-300; t++) {
    moved = 0;
    for (int i = 0; i < n; i++) next[i] = tanh(0.9 * h[i] + 0.3 * h[(i + 1) % n] * x[i] + 0.1);
    for (int i = 0; i < n; i++) moved += 1e-3 + (next[i] - h[i]) * (next[i] - h[i]), h[i] = next[i];
  }
  double s = 0;
  for (int i = 0; i < n; i++) s += h[i];
  free(h), free(next);
  return s;
}

int main(int count, char **words) {
  if (count != 3) return 2;
  int steps = atoi(words[2]), n = 1000;
  double x[1000], d[1000], primal = 1e30, gradient = 1e30, sum = 0;
  for (int i = 0; i < n; i++) x[i] = 0.5 + 0.3 * sin(0.1 * i);
  long before = 0;
  for (int round = 0; round < 3; round++) {
    double start = now(), value;
    if (!strcmp(words[1], "heat")) value = heat(x, n, steps);
    else if (!strcmp(words[1], "brusselator")) value = brusselator(x, n, steps);
    else value = recurrent(x, n, steps);
    double middle = now();
    if (!round) before = most();
    memset(d, 0, sizeof d);
    double at = now();
    if (!strcmp(words[1], "heat"))
      __enzyme_autodiff((void *)heat, enzyme_dup, x, d, enzyme_const, n, enzyme_const, steps);
    else if (!strcmp(words[1], "brusselator"))
      __enzyme_autodiff((void *)brusselator, enzyme_dup, x, d, enzyme_const, n, enzyme_const, steps);
    else
      __enzyme_autodiff((void *)recurrent, enzyme_dup, x, d, enzyme_const, n, enzyme_const, steps);
    double end = now();
    if (value != value) return 3;
    primal = fmin(primal, middle - start);
    gradient = fmin(gradient, end - at);
  }
  for (int i = 0; i < n; i++) sum += d[i];
  printf("%.6g %.6g %.17g %ld\n", primal, gradient, sum, (most() - before) * 1024);
  return 0;
}
