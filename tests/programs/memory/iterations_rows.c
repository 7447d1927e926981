/* Loops that run several iterations at once: rows that each of them reads for itself, which may overlap, run backwards, be
 * floats, be too long, or not be there, and scratch in which each looks and writes elsewhere. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define AGAIN static __attribute__((annotate("enzyme_loops=recompute")))
enum { N = 40 };

static const int table[23] = {0, 2, 1, 3, 3, 0, 1, 2, 2, 1, 0, 3, 1, 1, 0, 2, 3, 0, 3, 1, 2, 2, 0};

/* Layers of a network, over rows that are active: d numbers each, `stride` apart. The loss looks up one of the outputs. */
AGAIN double layers(const double *restrict x, int d, int stride, int n) {
  double s = 0, *a = malloc(sizeof(double) * d), *b = malloc(sizeof(double) * d);
  for (int i = 0; i < n; i++) {
    for (int o = 0; o < d; o++) {
      double r = 0.1 * o;
      for (int j = 0; j < d; j++) r += x[o * d + j] * x[i * stride + j];
      a[o] = tanh(r);
    }
    for (int o = 0; o < d; o++) {
      double r = 0;
      for (int j = 0; j < d; j++) r += x[j * d + o] * a[j];
      b[o] = r;
    }
    double t = 0;
    for (int o = 0; o < d; o++) t += exp(b[o]);
    s += log(t) - b[table[i]];
  }
  free(b), free(a);
  return s / n;
}
static double layers9(const double *x) { return layers(x, 4, 4, 9); }
static double layers8(const double *x) { return layers(x, 4, 3, 8); }
static double layers7(const double *x) { return layers(x, 4, 4, 7); }
static double layers23(const double *x) { return layers(x, 4, 1, 23); } /* rows overlap */
static double layers17(const double *x) { return layers(x, 4, 0, 17); } /* one row for all */
DERIVED(layers9)
DERIVED(layers8)
DERIVED(layers7)
DERIVED(layers23)
DERIVED(layers17)

/* Rows from the last to the first, from a pointer that is moved, of floats made of the numbers. */
AGAIN double back(const double *restrict x, const float *restrict rows, int d, int n) {
  double s = 0, *w = malloc(sizeof(double) * d);
  for (long i = n - 1; i >= 0; i--) {
    const float *row = rows + 2 + i * d;
    for (int o = 0; o < d; o++) {
      double r = 0;
      for (int j = 0; j < d; j++) r += (double)row[j] * x[o] * x[j];
      w[o] = sin(r);
    }
    double t = 0;
    for (int o = 0; o < d; o++) t += w[o] * x[d - 1 - o];
    s += t;
  }
  free(w);
  return s;
}
static double back10(const double *x) {
  float rows[2 + 4 * 10];
  for (int i = 0; i < 42; i++) rows[i] = 0.01f * (i * 7 % 11);
  return back(x, rows, 4, 10);
}
DERIVED(back10)

/* Scratch is added to in places that hang on the iteration, and some of it is not written before: w[d] is from the
 * iteration before. */
AGAIN double places(const double *restrict x, int d, int n) {
  double s = 0, *w = malloc(sizeof(double) * d);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < d; j++) w[j] = x[j] * x[table[i]];
    w[table[i]] = w[table[22 - i]] * 0.5 + x[0] * i;
    w[table[(i + 5) % 23]] *= x[1];
    double r = 0;
    for (int j = 0; j < d; j++) r += w[j] * w[j] * (j + 1);
    s += sin(0.01 * r);
  }
  free(w);
  return s;
}
static double places23(const double *x) { return places(x, 4, 23); }
DERIVED(places23)

AGAIN double beyond(const double *restrict x, int d, int n) {
  double s = 0, *w = malloc(sizeof(double) * (d + 1));
  w[d] = 0.3;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < d; j++) w[j] = x[j] * x[table[i]];
    double t = w[table[i] + 1]; /* for table[i] == 3 what the iteration before has left */
    w[table[i] + 1] = sin(t) + 0.1 * i;
    double r = 0;
    for (int j = 0; j < d; j++) r += w[j] * t;
    s += cos(0.1 * r);
  }
  free(w);
  return s;
}
static double beyond23(const double *x) { return beyond(x, 4, 23); }
DERIVED(beyond23)

/* Rows that must not be read: where a number says that there are none, and in the rest of a triangle. */
AGAIN double absent(const double *restrict x, const double *restrict rows, const int *restrict there, int d, long stride,
                    int n) {
  double s = 0, *w = malloc(sizeof(double) * d);
  for (int i = 0; i < n; i++) {
    for (int o = 0; o < d; o++) w[o] = x[o] * (1 + 0.1 * i);
    for (int o = 0; o < d; o++)
      if (there[o])
        for (int j = 0; j < d; j++) w[o] += rows[i * stride + j] * x[j];
    double r = 0;
    for (int o = 0; o < d; o++) r += w[o] * w[o];
    s += sin(r);
  }
  free(w);
  return s;
}
static double absent20(const double *x) {
  int there[4] = {0, 0, 0, 0};
  return absent(x, x, there, 4, 1L << 40, 20);
}
static double present20(const double *x) {
  int there[4] = {0, 1, 0, 1};
  return absent(x, x, there, 4, 1, 20);
}
DERIVED(absent20)
DERIVED(present20)

AGAIN double triangle(const double *restrict x, int d, int n) {
  double s = 0, *w = malloc(sizeof(double) * d);
  for (int i = 0; i < n; i++) {
    for (int o = 0; o < d; o++) w[o] = x[o];
    for (int o = 1; o < d; o++)
      for (int j = 0; j < o; j++) w[o] += x[i + j] * x[j + 1];
    double r = 0;
    for (int o = 0; o < d; o++) r += w[o] * w[o];
    s += sin(r);
  }
  free(w);
  return s;
}
static double triangle36(const double *x) { return triangle(x, 4, 36); } /* x[N - 1] is the last to be read */
DERIVED(triangle36)

/* Rows too long to be kept beside each other, and the longest that are not; the loop in a loop. */
AGAIN double rows(const double *restrict x, const double *restrict long_rows, int d, int n) {
  double s = 0, w[3];
  for (int i = 0; i < n; i++) {
    for (int o = 0; o < 3; o++) {
      double r = x[o];
      for (int j = 0; j < d; j++) r += long_rows[(long)i * d + j] * x[j & 3];
      w[o] = r;
    }
    s += sin(w[0] * w[1] * w[2]);
  }
  return s;
}
static double length(const double *x, int d) {
  double s = 0, *long_rows = malloc(sizeof(double) * 11 * d);
  for (int i = 0; i < 11 * d; i++) long_rows[i] = 1.0 / (1 + i % 7) / d;
  for (int k = 0; k < 2; k++) s += rows(x, long_rows, d - k, 11);
  free(long_rows);
  return s;
}
static double length1025(const double *x) { return length(x, 1025); }
static double length1(const double *x) { return length(x, 1); } /* and none at all */
DERIVED(length1025)
DERIVED(length1)

int main(void) {
  double a[N], b[N];
  for (int i = 0; i < N; i++) a[i] = 0.3 + 0.05 * (i * 7 % 13), b[i] = 0.5 - 0.04 * (i * 5 % 17);
#define EACH(f) CHECK_DERIVED(f, a); CHECK_DERIVED(f, b)
  EACH(layers9); EACH(layers8); EACH(layers7); EACH(layers23); EACH(layers17); EACH(back10); EACH(places23);
  EACH(beyond23); EACH(absent20); EACH(present20); EACH(triangle36); EACH(length1025); EACH(length1);
  return check_done();
}
