/* One-dimensional convolution with borders, strided pooling, and a depthwise stack of them. */
#include "check.h"

#define N 9

static void convolve(const double *x, const double *k, double *y, int n, int width) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < width; j++) {
      int at = i + j - width / 2;
      if (at >= 0 && at < n) s += x[at] * k[j];
    }
    y[i] = s;
  }
}

static double stack(const double *x, const double *k, int n) {
  double a[N], b[N], s = 0;
  convolve(x, k, a, n, 3);
  for (int i = 0; i < n; i++) a[i] = a[i] > 0 ? a[i] : 0.1 * a[i];
  convolve(a, k, b, n, 3);
  for (int i = 0; i + 2 < n; i += 2) {
    double m = b[i];
    for (int j = 1; j < 3; j++)
      if (b[i + j] > m) m = b[i + j];
    s += m * m;
  }
  return s;
}

static double objective(const double *x) { return stack(x, x + N, N); }
static void gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)stack, enzyme_dup, x, g, enzyme_dup, x + N, g + N, N);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)stack, enzyme_dup, x, v, enzyme_dup, x + N, v + N, N);
}

int main(void) {
  double x[N + 3];
  for (int i = 0; i < N + 3; i++) x[i] = sin(1.9 * i + 0.4);
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
