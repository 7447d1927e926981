/* Loops that run their iterations again, several of them at once: what differs from iteration to iteration in them, numbers
 * and indices, scratch of several kinds, and loops that look as if they could, and cannot. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define AGAIN static __attribute__((annotate("enzyme_loops=recompute")))

/* Everything at once: an index out of a table, a counter as a number, choices, functions with and without vectors. */
static const int table[23] = {0, 2, 1, 3, 3, 0, 1, 2, 2, 1, 0, 3, 1, 1, 0, 2, 3, 0, 3, 1, 2, 2, 0};
AGAIN double mixed(const double *restrict x, int d, int n) {
  double s = 0, *w = malloc(sizeof(double) * d), *u = malloc(sizeof(double) * d), *v = malloc(sizeof(double) * d);
  for (int i = 0; i < n; i++) {
    double largest = -1e300, t = 0.3 + 0.05 * i, r = 0;
    for (int j = 0; j < d; j++) w[j] = x[j] * x[table[i]] + t;
    for (int j = 0; j < d; j++) u[j] = x[d - 1 - j] - w[j] * w[0];
    for (int j = 0; j < d; j++) largest = w[j] > largest ? w[j] : largest;
    for (int j = 0; j < d; j++)
      v[j] = exp(w[j] - largest) + fabs(u[j]) + erf(w[j]) + pow(2 + t, x[j]) + fmod(7 * w[j] + 40, 1e6);
    for (int j = 0; j < d; j++) {
      double odd = x[j], at = x[0] * j;
      r += sqrt(1 + v[j] * v[j]) * (i & 1 ? odd : 2.0) + (u[j] > w[j] ? u[j] : at);
    }
    s += r;
  }
  free(v), free(u), free(w);
  return s;
}
static double mixed23(const double *x) { return mixed(x, 4, 23); }
static double mixed16(const double *x) { return mixed(x, 4, 16); }
static double mixed7(const double *x) { return mixed(x, 4, 7); }
static double mixed1(const double *x) { return mixed(x, 4, 1); }
DERIVED(mixed23)
DERIVED(mixed16)
DERIVED(mixed7)
DERIVED(mixed1)

/* Down by three, with products beside sums, and the counter in the middle of its range. */
AGAIN double down(const double *restrict x, int d, long from) {
  double s = 1, *w = malloc(sizeof(double) * d);
  for (long i = from; i > -20; i -= 3) {
    for (int j = 0; j < d; j++) w[j] = sin(x[j] * (double)i * 0.05);
    double r = 0;
    for (int j = 0; j < d; j++) r += w[j] * x[d - 1 - j];
    s += r;
  }
  free(w);
  return s;
}
static double down40(const double *x) { return down(x, 4, 40); }
DERIVED(down40)

/* Scratch of floats, and the loop itself in a loop. */
AGAIN double single(const double *restrict x, int d, int rounds, int n) {
  double s = 0;
  float *w = malloc(sizeof(float) * d);
  for (int k = 0; k < rounds; k++)
    for (int i = 0; i < n + k; i++) {
      for (int j = 0; j < d; j++) w[j] = (float)(0.125 * (i + k)) + 2.0f * j;
      double r = 1;
      for (int j = 0; j < d; j++) r += (double)w[j] * x[j] * x[(i + j) & 3];
      s += sin(r);
    }
  free(w);
  return s;
}
static double single9(const double *x) { return single(x, 4, 3, 9); }
DERIVED(single9)

/* An iteration reads what the one before has left. */
AGAIN double handed(const double *restrict x, int n) {
  double s = 0, w[5] = {0.1, 0.2, 0.3, 0.4, 0.5};
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 4; j++) w[j] = 0.5 * w[j + 1] + x[j] * x[i & 3];
    w[4] = w[0] * 0.5;
    double r = 0;
    for (int j = 0; j < 4; j++) r += w[j] * w[j];
    s += sin(r);
  }
  return s;
}
static double handed20(const double *x) { return handed(x, 20); }
DERIVED(handed20)

/* Scratch is read behind the loop. */
AGAIN double left(const double *restrict x, int n) {
  double s = 0, w[4];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 4; j++) w[j] = x[j] * x[i & 3] + 0.01 * i;
    double r = 0;
    for (int j = 0; j < 4; j++) r += w[j] * w[j] * x[j];
    s += sin(r);
  }
  for (int j = 0; j < 4; j++) s += w[j] * (j + 1);
  return s;
}
static double left20(const double *x) { return left(x, 20); }
DERIVED(left20)

/* Iterations that go different ways. */
AGAIN double ways(const double *restrict x, int n) {
  double s = 0, w[4];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 4; j++) w[j] = x[j] * x[i & 3] + 0.01 * i;
    double r = 0;
    for (int j = 0; j < (i & 3) + 1; j++) r += w[j] * w[j] * x[j];
    s += sin(r);
  }
  return s;
}
static double ways20(const double *x) { return ways(x, 20); }
DERIVED(ways20)

/* Two sums. */
AGAIN double two(const double *restrict x, int d, int n) {
  double s = 0, t = 0, *w = malloc(sizeof(double) * d);
  for (int i = 0; i < n; i++) {
    double r = 0;
    for (int j = 0; j < d; j++) w[j] = x[j] * x[i & 3] + 0.01 * i;
    for (int j = 0; j < d; j++) r += w[j] * x[d - 1 - j];
    s += r * r;
    t += cos(r);
  }
  free(w);
  return s * t;
}
static double two20(const double *x) { return two(x, 4, 20); }
DERIVED(two20)

/* Scratch that becomes too large for the caches is left to single iterations. */
AGAIN double large(const double *restrict x, int size, int n) {
  double s = 0, *w = malloc(sizeof(double) * size);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < size; j++) w[j] = x[j & 3] * (0.1 + 0.01 * i);
    double r = 0;
    for (int j = 0; j < size; j++) r += w[j] * w[j];
    s += r * r / size / size;
  }
  free(w);
  return s;
}
static double large40000(const double *x) { return large(x, 40000, 11); }
static double large4097(const double *x) { return large(x, 4097, 11); } /* the first that does not */
static double large4096(const double *x) { return large(x, 4096, 11); }
static double large400(const double *x) { return large(x, 400, 11); }
DERIVED(large40000)
DERIVED(large4097)
DERIVED(large4096)
DERIVED(large400)

int main(void) {
  double a[] = {0.7, 1.1, 0.4, -0.6}, b[] = {-0.3, 0.6, 1.9, 0.8};
#define EACH(f) CHECK_DERIVED(f, a); CHECK_DERIVED(f, b)
  EACH(mixed23); EACH(mixed16); EACH(mixed7); EACH(mixed1); EACH(down40); EACH(single9); EACH(handed20); EACH(left20);
  EACH(ways20); EACH(two20); EACH(large40000); EACH(large4097);
  EACH(large4096); EACH(large400);
  return check_done();
}
