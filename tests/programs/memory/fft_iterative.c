/* An iterative in-place FFT: bit reversal by swaps, three nested loops of butterflies, rotating twiddle factors. */
#include "check.h"

#define N 16

static void fft(double *x, int n) {
  for (int i = 1, j = 0; i < n; i++) {
    int bit = n >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) {
      double t = x[2 * i];
      x[2 * i] = x[2 * j];
      x[2 * j] = t;
      t = x[2 * i + 1];
      x[2 * i + 1] = x[2 * j + 1];
      x[2 * j + 1] = t;
    }
  }
  for (int length = 2; length <= n; length <<= 1) {
    double angle = 2 * 3.14159265358979323846 / length, wr = cos(angle), wi = sin(angle);
    for (int i = 0; i < n; i += length) {
      double cr = 1, ci = 0;
      for (int k = 0; k < length / 2; k++) {
        double *p = x + 2 * (i + k), *q = p + length;
        double tr = q[0] * cr - q[1] * ci, ti = q[0] * ci + q[1] * cr;
        q[0] = p[0] - tr;
        q[1] = p[1] - ti;
        p[0] += tr;
        p[1] += ti;
        double t = cr * wr - ci * wi;
        ci = cr * wi + ci * wr;
        cr = t;
      }
    }
  }
}
static double energy(double *x, int n) {
  double s = 0;
  fft(x, n);
  for (int k = 0; k < n; k++) s += (k % 5) * (x[2 * k] * x[2 * k] + x[2 * k + 1] * x[2 * k + 1]) + sin(x[2 * k]);
  return s;
}

static double objective(const double *x) {
  double u[2 * N];
  memcpy(u, x, sizeof u);
  return energy(u, N);
}
static void gradient(const double *x, double *g) {
  double u[2 * N];
  memcpy(u, x, sizeof u);
  __enzyme_autodiff((void *)energy, u, g, N);
}
static double tangent(const double *x, const double *v) {
  double u[2 * N], d[2 * N];
  memcpy(u, x, sizeof u);
  memcpy(d, v, sizeof d);
  return __enzyme_fwddiff((void *)energy, enzyme_dup, u, d, N);
}

int main(void) {
  double x[2 * N];
  for (int i = 0; i < 2 * N; i++) x[i] = sin(1.7 * i + 0.2);
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
