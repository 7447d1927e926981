/* A recursive FFT with stack scratch of changing size, in place; the energy of a filtered spectrum. */
#include "check.h"

#define N 8

static void fft(double *re, double *im, int n) {
  if (n == 1) return;
  int h = n / 2;
  double er[N / 2], ei[N / 2], or_[N / 2], oi[N / 2];
  for (int i = 0; i < h; i++) {
    er[i] = re[2 * i];
    ei[i] = im[2 * i];
    or_[i] = re[2 * i + 1];
    oi[i] = im[2 * i + 1];
  }
  fft(er, ei, h);
  fft(or_, oi, h);
  for (int k = 0; k < h; k++) {
    double angle = -2 * 3.14159265358979323846 * k / n, c = cos(angle), s = sin(angle);
    double tr = c * or_[k] - s * oi[k], ti = c * oi[k] + s * or_[k];
    re[k] = er[k] + tr;
    im[k] = ei[k] + ti;
    re[k + h] = er[k] - tr;
    im[k + h] = ei[k] - ti;
  }
}

static double energy(double *re, double *im, int n) {
  double s = 0;
  fft(re, im, n);
  for (int k = 0; k < n; k++) s += (k + 1) * (re[k] * re[k] + im[k] * im[k]);
  return s;
}

static double objective(const double *x) {
  double u[2 * N];
  memcpy(u, x, sizeof u);
  return energy(u, u + N, N);
}
static void gradient(const double *x, double *g) {
  double u[2 * N];
  memcpy(u, x, sizeof u);
  __enzyme_autodiff((void *)energy, enzyme_dup, u, g, enzyme_dup, u + N, g + N, N);
}
static double tangent(const double *x, const double *v) {
  double u[2 * N], d[2 * N];
  memcpy(u, x, sizeof u);
  memcpy(d, v, sizeof d);
  return __enzyme_fwddiff((void *)energy, enzyme_dup, u, d, enzyme_dup, u + N, d + N, N);
}

int main(void) {
  double x[2 * N];
  for (int i = 0; i < 2 * N; i++) x[i] = sin(1.7 * i + 0.2);
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
