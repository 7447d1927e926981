/* Time loops under a limit on the tape: states are kept and steps run again, whatever a state is made of. */
// engine: --tape-limit=600
#include "check.h"

#define N 6

/* How many rounds there are hangs on the data; a number and a count go from one to the next; two ways out. */
static double newton(const double *x) {
  double y = x[0] + 2, d = 1;
  int k = 0;
  while (fabs(d) > 1e-13 && k < 60) {
    d = 0.5 * (y * y - (2 + x[1] * x[1])) / y;
    y -= d * 0.7;
    k++;
    if (x[2] > 100) return y * k;
  }
  return y * x[3] + k * x[4];
}

/* Left from its midst, with a sum behind it, and a round that is cut short. */
static double early(const double *x) {
  double s = 0, p = x[0];
  for (int i = 0; i < 400; i++) {
    p = p * 0.97 + x[1] * 0.002 * sin(p);
    if (p < 0.2) {
      s += p * p * x[2];
      break;
    }
    if (i % 3 == 1) continue;
    s += p * x[3];
  }
  return s + p;
}

/* Works in place on what it is given, whose size only the loops tell. */
static NOINLINE double in_place(double *u, int n, int steps) {
  for (int t = 0; t < steps; t++)
    for (int i = 1; i < n; i++) u[i] = u[i] * 0.9 + 0.1 * u[i - 1] * u[0] + 0.001 * t;
  double s = 0;
  for (int i = 0; i < n; i++) s += u[i] * u[i];
  return s;
}
static int steps_now;
static double overwritten_later(const double *x) {
  double u[N];
  for (int i = 0; i < N; i++) u[i] = x[i];
  double s = in_place(u, N, steps_now);
  for (int i = 0; i < N; i++) u[i] = 7;
  return s + u[2];
}

/* Two addresses of one array. */
static NOINLINE double both(double *a, double *b, int n) {
  for (int t = 0; t < 25; t++)
    for (int i = 0; i < n; i++) {
      a[i] = 0.9 * a[i] + 0.1 * b[n - 1 - i] * b[i];
      b[i] = 0.95 * b[i] + 0.01 * a[0];
    }
  return a[0] * b[n - 1];
}
static double aliasing(const double *x) {
  double u[N + 2];
  for (int i = 0; i < N + 2; i++) u[i] = x[i % N];
  return both(u, u + 2, N);
}

/* Loops inside, of numbers of rounds that change from step to step; elements chosen by the step. */
static double nested(const double *x) {
  double a[N], s = 0;
  for (int i = 0; i < N; i++) a[i] = x[i];
  for (int t = 0; t < 12; t++) {
    double q = 1;
    for (int k = 0; k < 3 + t % 4; k++) {
      q *= 0.8 + 0.05 * a[k % N];
      a[(t + k) % N] += 0.02 * q;
    }
    for (int j = 0; j < t; j++) s += q * a[j % N];
  }
  return s;
}

/* A fourth order Runge-Kutta method: scratch in each step, the right-hand side in a function. */
static NOINLINE void rate(const double *y, const double *p, double *f) {
  f[0] = p[0] + y[0] * y[0] * y[1] - (p[1] + 1) * y[0];
  f[1] = p[1] * y[0] - y[0] * y[0] * y[1];
}
static double brusselator(const double *x) {
  double y[2] = {x[2], x[3]}, k1[2], k2[2], k3[2], k4[2], z[2], h = 0.02 * x[4];
  for (int t = 0; t < 150; t++) {
    rate(y, x, k1);
    for (int i = 0; i < 2; i++) z[i] = y[i] + 0.5 * h * k1[i];
    rate(z, x, k2);
    for (int i = 0; i < 2; i++) z[i] = y[i] + 0.5 * h * k2[i];
    rate(z, x, k3);
    for (int i = 0; i < 2; i++) z[i] = y[i] + h * k3[i];
    rate(z, x, k4);
    for (int i = 0; i < 2; i++) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return y[0] * y[1];
}

/* Buffers from the heap that are copied to and fro; a global variable; momentum. */
static double carried[2];
static double descent(const double *x) {
  int n = N - 1;
  double *w = (double *)malloc((size_t)n * sizeof *w), *v = (double *)calloc((size_t)n, sizeof *v), *old;
  old = (double *)malloc((size_t)n * sizeof *old);
  carried[0] = x[5], carried[1] = 0;
  for (int i = 0; i < n; i++) w[i] = x[i];
  for (int t = 0; t < 60; t++) {
    memcpy(old, w, (size_t)n * sizeof *w);
    for (int i = 0; i < n; i++) {
      v[i] = 0.8 * v[i] - 0.01 * (old[i] * old[(i + 1) % n] - carried[0]);
      w[i] += v[i];
    }
    carried[1] += w[0] * 0.01;
    carried[0] *= 0.99;
  }
  double s = carried[1];
  for (int i = 0; i < n; i++) s += w[i] * (i + 1);
  free(w), free(v), free(old);
  return s;
}

DERIVED(newton)
DERIVED(early)
DERIVED(overwritten_later)
DERIVED(aliasing)
DERIVED(nested)
DERIVED(brusselator)
DERIVED(descent)

/* Behind a derivative the memory holds what it holds behind the function. */
static void memory_behind(void) {
  double u[N], v[N], d[N] = {0};
  for (int i = 0; i < N; i++) u[i] = v[i] = 0.4 + 0.1 * i;
  in_place(u, N, 30);
  CHECK_ENGINE(__enzyme_autodiff((void *)in_place, enzyme_dup, v, d, enzyme_const, N, enzyme_const, 30));
  if (ENGINE)
    for (int i = 0; i < N; i++) check_close("memory", i, v[i], u[i], 1e-15);
  if (ENGINE) in_place(v, N, 0);
  CHECK_ENGINE(__enzyme_autodiff((void *)in_place, enzyme_dup, (double *)0, (double *)0, enzyme_const, 0, enzyme_const, 9));
}

int main(void) {
  double x[N] = {0.9, 0.7, 0.5, 1.1, 0.3, 0.8};
  CHECK_DERIVED(newton, x);
  CHECK_DERIVED(early, x);
  for (steps_now = 0; steps_now < 4; steps_now++) CHECK_DERIVED(overwritten_later, x);
  steps_now = 40;
  CHECK_DERIVED(overwritten_later, x);
  CHECK_DERIVED(aliasing, x);
  CHECK_DERIVED(nested, x);
  double y[5] = {1.0, 2.5, 1.2, 1.4, 0.9};
  CHECK_DERIVED(brusselator, y);
  CHECK_DERIVED(descent, x);
  memory_behind();
  return check_done();
}
