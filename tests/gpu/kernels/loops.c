/* Loops of one thread: values that are overwritten, trip counts that nobody knows, memory of its own. */
#include "gpu.h"

/* in place, so that each round's value is kept */
static void squared(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  for (int k = 0; k < 3 + i % 4; k++) x[i] = x[i] * x[i] * 0.9 + y[0] * x[i];
}
DERIVED(squared)

/* until it is good enough: arrays of the tape that grow */
static void newton(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  double a = x[i], root = 10 + i;
  while (root * root - a > 1e-13 * a) root = 0.5 * (root + a / root);
  y[i] = root * x[0];
}
DERIVED(newton)

/* more rounds than there is room for in the beginning */
static void many(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  double at = x[i];
  int left = 300 + i;
  while (left > 0) {
    at = __nv_sin(at) + 0.01 * x[left % n];
    left -= 1 + (at > 2);
  }
  y[i] = at;
}
DERIVED(many)

/* memory of the thread's own, by a function that does not know whose it is */
static NOINLINE double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}
static void own(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  double mine[6];
  for (int k = 0; k < 6; k++) mine[k] = x[(i + k) % n] * x[i];
  y[i] = dot(mine, mine, 6) + dot(x, mine, 6);
}
DERIVED(own)

/* a branch in each round, and recursion */
static NOINLINE double power(double a, int k) { return k == 0 ? 1 : k % 2 ? a * power(a, k - 1) : power(a * a, k / 2); }
static void powers(double *x, double *y, int n) {
  int i = HERE;
  if (i >= n) return;
  double sum = 0;
  for (int k = 1; k < 6; k++) sum += x[k] > 1 ? power(x[i], k) : x[0] * __nv_log(x[i]);
  y[i] = sum;
}
DERIVED(powers)

/* a mixture of Gaussians: iterations that run again, for their tape would be in the heap; sizes that come in */
static void mixture(double *restrict x, double *restrict y, int n) {
  int i = HERE;
  if (i >= n) return;
  int k_ = n / 8, d_ = n / 10;
  const double *alphas = x, *means = alphas + k_, *scales = means + k_ * d_, *points = scales + k_ * d_;
  double total = 0;
  for (int k = 0; k < k_; k++) {
    double sum = 0, logs = 0;
    for (int d = 0; d < d_; d++) {
      double q = __nv_exp(scales[k * d_ + d]) * (points[i * d_ + d] - means[k * d_ + d]);
      sum += q * q;
      logs += scales[k * d_ + d];
    }
    total += __nv_exp(alphas[k] + 0.1 * logs - 0.5 * sum);
  }
  y[i] = __nv_log(total);
}
DERIVED(mixture)

/* the same of small sizes that are known: the tape lies on the stack; the largest term is taken out first */
static void small_mixture(double *restrict x, double *restrict y, int n) {
  int i = HERE;
  if (i >= n) return;
  const double *means = x, *points = x + 20;
  double terms[5], most = -1e300, total = 0;
  for (int k = 0; k < 5; k++) {
    double sum = 0;
    for (int d = 0; d < 4; d++) sum += __nv_exp(means[k * 4 + d]) * (points[i * 4 + d] - means[k * 4 + d]);
    terms[k] = -sum * sum;
    if (terms[k] > most) most = terms[k];
  }
  for (int k = 0; k < 5; k++) total += __nv_exp(terms[k] - most);
  y[i] = __nv_log(total) + most;
}
DERIVED(small_mixture)
