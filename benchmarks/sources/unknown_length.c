/* Derivatives of loops that only know when they are over: seconds of the primal and of the derivative, least of several,
 * and a sum of what was found. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void __enzyme_autodiff(void *, ...);
extern int enzyme_const;

/* Two numbers. */
static double numbers(const double *x, int size, long most, double least) {
  double y = x[0], z = x[1];
  long k = 0;
  (void)size;
  do {
    double t = y * z;
    z -= 1e-7 * t * y;
    y *= 1 - 1e-7 * z;
  } while (++k < most && fabs(y * z) > least);
  return y * z;
}

/* Four numbers and a decision. */
static double decisions(const double *x, int size, long most, double least) {
  double a = x[0], b = x[1], c = 0.1, d = 0.2;
  long k = 0;
  (void)size;
  do {
    double t = a * b + c, u = a - d * d;
    if (u > 0)
      a -= 1e-7 * t * u, d += 1e-7 * u * t;
    else
      a += 1e-7 * t, c -= 1e-7 * u;
    b *= 1 - 1e-7 * a, c += 1e-7 * t;
  } while (++k < most && fabs(a * b) > least);
  return a * b + c * d;
}

/* Sweeps over two arrays. */
static double sweeps(const double *x, int size, long most, double least) {
  double *y = malloc(sizeof(double) * size), *z = malloc(sizeof(double) * size), change, sum = 0;
  long k = 0;
  for (int i = 0; i < size; i++) y[i] = x[i];
  do {
    change = 0;
    for (int i = 1; i < size - 1; i++) z[i] = 0.25 * (y[i - 1] + y[i + 1]) + 0.4 * y[i] * y[i] + 0.1 * x[i];
    for (int i = 1; i < size - 1; i++) {
      double step = z[i] - y[i];
      change += step * step;
      y[i] = z[i] * (1 - 0.01 * z[i]);
    }
  } while (++k < most && change > least);
  for (int i = 0; i < size; i++) sum += y[i] * y[i];
  free(y), free(z);
  return sum;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

#define MEASURED(name, size, most)                                                              \
  do {                                                                                          \
    double best = 1e9, primal = 1e9, sum = 0;                                                   \
    for (int run = 0; run < 2 + 20000000 / ((long)(size) * (most) + 100000); run++) {           \
      double begin = now();                                                                     \
      volatile double value = name(x, size, most, 0);                                           \
      double middle = now();                                                                    \
      for (int i = 0; i < size; i++) dx[i] = 0;                                                 \
      __enzyme_autodiff((void *)name, x, dx, enzyme_const, size, enzyme_const, (long)(most),    \
                        enzyme_const, 0.0);                                                     \
      double end = now();                                                                       \
      if (middle - begin < primal) primal = middle - begin;                                     \
      if (end - middle < best) best = end - middle;                                             \
      (void)value;                                                                              \
    }                                                                                           \
    for (int i = 0; i < size; i++) sum += dx[i] * (1 + i % 7);                                  \
    printf("%s/%d/%ld %.9g %.9g %.17g\n", #name, size, (long)(most), primal, best, sum);        \
  } while (0)

/* One case in each process: an allocator that has had large blocks back holds on to more than one that has not. */
int main(int count, char **words) {
  static double x[4000], dx[4000];
  for (int i = 0; i < 4000; i++) x[i] = 0.7 + 0.2 * sin(i);
  long lengths[] = {1000, 10000, 100000, 1000000, 10000000};
  int sizes[] = {10, 30, 100, 100, 1000, 1000, 4000};
  long sweeps_of[] = {1000, 300, 100, 1000, 100, 1000, 1000};
  int number = count > 1 ? atoi(words[1]) : 0;
  if (number < 5)
    MEASURED(numbers, 2, lengths[number]);
  else if (number < 10)
    MEASURED(decisions, 2, lengths[number - 5]);
  else if (number < 17)
    MEASURED(sweeps, sizes[number - 10], sweeps_of[number - 10]);
  return 0;
}
