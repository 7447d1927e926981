/* Structs of numbers, counts and pointers that are assigned, copied by memcpy (fixed and run-time lengths), swapped. */
#include "check.h"

struct record {
  double a;
  int count;
  float b;
  double *link;
  double c[3];
};

static NOINLINE double score(const struct record *r, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    s += (r[i].a * r[i].b + r[i].c[r[i].count % 3] * r[i].link[0]) * (i + 1);
  return s;
}

static double shuffle(const double *x, int n) {
  struct record r[6], q[6], t;
  double links[6], s = 0;
  for (int i = 0; i < n; i++) {
    links[i] = x[i] * 2;
    r[i].a = x[i] * x[i];
    r[i].count = i;
    r[i].b = (float)(0.5 * i);
    r[i].link = &links[(i + 1) % n];
    for (int k = 0; k < 3; k++) r[i].c[k] = x[(i + k) % n] * k;
  }
  memcpy(q, r, n * sizeof *r);
  s += score(q, n);
  for (int i = 0; i < n; i++) {
    t = q[i];
    q[i] = q[n - 1 - i];
    q[n - 1 - i] = t;
  }
  q[0].a *= s;
  *q[1].link *= x[0];
  s += score(q, n);
  memmove(q + 1, q, (n - 1) * sizeof *q);
  s += score(q, n);
  struct record *heap = malloc(n * sizeof *heap);
  memcpy(heap, q, n * sizeof *q);
  heap[2] = r[0];
  s += score(heap, n);
  free(heap);
  return s;
}

static double objective(const double *x) { return shuffle(x, 5); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)shuffle, x, g, 5); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)shuffle, enzyme_dup, x, v, 5);
}

int main(void) {
  double x[5] = {0.6, -0.45, 0.8, 0.5, 0.3};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
