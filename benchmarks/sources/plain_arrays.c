/* Kernels as most C has them: arrays by pointer, some in a struct, nothing promised of them.
 *
 * NAME SIZE prints the least seconds of the function and of its gradient, the sum of the gradient, and how many bytes
 * the gradient added to the most that the process had. PROMISED is put before the name of each array: nothing, or
 * `restrict`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measured.h"

#ifndef PROMISED
#define PROMISED
#endif

extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
struct layer {
  double *weights, *biases;
  int in, out;
};

__attribute__((noinline)) static void dense(double *PROMISED a, double *PROMISED x, double *PROMISED y, int n) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++) s += a[i * n + j] * x[j];
    y[i] = tanh(s);
  }
}
__attribute__((noinline)) static void columns(double *PROMISED a, double *PROMISED x, double *PROMISED y, int n) {
  for (int i = 0; i < n; i++) y[i] = 0;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++) y[i] += a[j * n + i] * x[j] * x[j];
}
__attribute__((noinline)) static void outer(double *PROMISED a, double *PROMISED x, double *PROMISED y, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i * n + j] += 1e-3 * x[i] * y[j];
}
__attribute__((noinline)) static void filter(double *PROMISED a, double *PROMISED x, double *PROMISED y, int n) {
  for (int i = 0; i < n * n - 16; i++) {
    double s = 0;
    for (int k = 0; k < 16; k++) s += a[i + k] * x[k];
    y[i] = s * s;
  }
}
__attribute__((noinline)) static void heat(double *PROMISED a, double *PROMISED x, double *PROMISED y, int n) {
  for (int step = 0; step < 50; step++) {
    for (int i = 1; i < n - 1; i++) y[i] = x[i] + 0.1 * a[i] * (x[i - 1] - 2 * x[i] + x[i + 1]);
    for (int i = 1; i < n - 1; i++) x[i] = y[i] + 0.01 * y[i] * y[i];
  }
}
__attribute__((noinline)) static void turned(double *PROMISED a, double *PROMISED x, double *PROMISED y, int n) {
  for (int i = 0; i < n * n / 4; i++) {
    const double *q = a + 4 * i;
    double *p = y + 3 * i, r = 1 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] + x[0]);
    double s = q[0] * r, b = q[1] * r, c = q[2] * r, d = q[3] * r;
    double tx = 2 * (c * p[2] - d * p[1]), ty = 2 * (d * p[0] - b * p[2]), tz = 2 * (b * p[1] - c * p[0]);
    p[0] += s * tx + c * tz - d * ty, p[1] += s * ty + d * tx - b * tz, p[2] += s * tz + b * ty - c * tx;
  }
}
__attribute__((noinline)) static void of_layer(const struct layer *l, double *PROMISED x, double *PROMISED y) {
  for (int i = 0; i < l->out; i++) {
    double s = l->biases[i];
    for (int j = 0; j < l->in; j++) s += l->weights[i * l->in + j] * x[j];
    y[i] = tanh(s);
  }
}

#define EACH(do) do(dense) do(columns) do(outer) do(filter) do(heat) do(turned)

int main(int count, char **words) {
  if (count != 3) return 2;
  int n = atoi(words[2]), all = n * n, found = 0;
  double *a = malloc(sizeof(double) * all), *x = malloc(sizeof(double) * n), *y = malloc(sizeof(double) * all);
  double *da = malloc(sizeof(double) * all), *dx = malloc(sizeof(double) * n), *dy = malloc(sizeof(double) * all);
  double primal = 1e30, gradient = 1e30, sum = 0;
  long before = 0;
  for (int round = 0; round < 7; round++) {
    struct layer l = {a, x, n, n}, dl = {da, dx, n, n};
    for (int i = 0; i < all; i++) a[i] = sin(0.1 * i) / n, y[i] = 0.5, da[i] = dy[i] = 0.001;
    for (int i = 0; i < n; i++) x[i] = 1 + 0.3 * cos(i), dx[i] = 0;
    double start = now();
#define PRIMAL(f) if (!strcmp(words[1], #f)) found = 1, f(a, x, y, n);
    EACH(PRIMAL)
    if (!strcmp(words[1], "layer")) found = 1, of_layer(&l, x, y);
    double middle = now();
    if (!round) before = most();
    for (int i = 0; i < all; i++) a[i] = sin(0.1 * i) / n, y[i] = 0.5;
    for (int i = 0; i < n; i++) x[i] = 1 + 0.3 * cos(i);
    double from = now();
#define GRADIENT(f) \
  if (!strcmp(words[1], #f))                                                                                        \
    __enzyme_autodiff((void *)f, enzyme_dup, a, da, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);
    EACH(GRADIENT)
    if (!strcmp(words[1], "layer"))
      __enzyme_autodiff((void *)of_layer, enzyme_dup, &l, &dl, enzyme_dup, x, dx, enzyme_dup, y, dy);
    double end = now();
    primal = fmin(primal, middle - start);
    gradient = fmin(gradient, end - from);
  }
  if (!found) return 3;
  for (int i = 0; i < all; i++) sum += da[i];
  for (int i = 0; i < n; i++) sum += dx[i];
  printf("%.6g %.6g %.17g %ld\n", primal, gradient, sum, (most() - before) * 1024);
  return 0;
}
