/* Derivatives in forward mode of loops over arrays, one and several at a time: seconds of the primal and of the derivative,
 * least of several, and a sum of what was found. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void __enzyme_fwddiff(void *, ...);
extern int enzyme_const, enzyme_width, enzyme_dupv;

static void products(const double *x, double *y, long n) {
  for (long i = 0; i < n; i++) y[i] += x[i] * x[i] * (1 + x[i]);
}

static void stencil(const double *x, double *y, long n) {
  for (long i = 1; i < n - 1; i++) y[i] = x[i - 1] * x[i + 1] - x[i] * x[i];
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* They may be called from other files: LLVM does not find out which arrays they are given. */
#define LANES(name, width)                                                                                    \
  __attribute__((noinline)) void name##width(double *x, double *dx, double *y, double *dy, long n) {          \
    __enzyme_fwddiff((void *)name, enzyme_width, width, enzyme_dupv, 8 * n, x, dx, enzyme_dupv, 8 * n, y, dy, n); \
  }                                                                                                           \
  static void measure_##name##width(double *x, double *dx, double *y, double *dy, long n) {                   \
    double best = 1e9, primal = 1e9, sum = 0;                                                                 \
    long calls = 1 + 20000 / n;                                                                               \
    for (int run = 0; run < 300; run++) {                                                                     \
      double begin = now();                                                                                   \
      for (long i = 0; i < calls; i++) name(x, y, n);                                                         \
      double middle = now();                                                                                  \
      for (long i = 0; i < n; i++) y[i] = 0;                                                                  \
      for (long i = 0; i < width * n; i++) dy[i] = 0;                                                         \
      double again = now();                                                                                   \
      for (long i = 0; i < calls; i++) name##width(x, dx, y, dy, n);                                          \
      double end = now();                                                                                     \
      if (middle - begin < primal) primal = middle - begin;                                                   \
      if (end - again < best) best = end - again;                                                             \
    }                                                                                                         \
    for (long i = 0; i < width * n; i++) sum += dy[i] * (1 + i % 7);                                          \
    printf("%s/%d/%ld %.9g %.9g %.17g\n", #name, width, n, primal / calls, best / calls, sum);                \
  }
LANES(products, 1) LANES(products, 4) LANES(stencil, 1) LANES(stencil, 8)

int main(int count, char **words) {
  static double x[1000], y[1000], dx[8000], dy[8000];
  for (int i = 0; i < 1000; i++) x[i] = 1e-3 * i;
  for (int i = 0; i < 8000; i++) dx[i] = 1e-3 * (i % 1009);
  long sizes[] = {4, 8, 16, 32, 100, 1000};
  int number = count > 1 ? atoi(words[1]) : 0;
  if (number < 24) {
    void (*const measured[])(double *, double *, double *, double *, long) = {
      measure_products1, measure_products4, measure_stencil1, measure_stencil8};
    measured[number / 6](x, dx, y, dy, sizes[number % 6]);
  }
  return 0;
}
