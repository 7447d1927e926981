/* A vector that two noinline functions push to and shrink; numbers are read before and after the block has moved. */
#include "check.h"

struct vector {
  double *data;
  int size, room;
};

static NOINLINE void push(struct vector *v, double value) {
  if (v->size == v->room) {
    v->room = v->room * 2 + 1;
    v->data = realloc(v->data, v->room * sizeof(double));
  }
  v->data[v->size++] = value;
}

static NOINLINE void shrink(struct vector *v, int to) {
  v->data = realloc(v->data, to * sizeof(double));
  v->size = v->room = to;
}

static double work(const double *x, int n) {
  struct vector v = {0, 0, 0};
  double s = 0;
  for (int i = 0; i < n; i++) {
    push(&v, x[i] * x[i]);
    s += v.data[v.size / 2] * v.data[0];
    push(&v, sin(x[i]) * v.data[v.size - 1]);
  }
  shrink(&v, n);
  for (int i = 0; i < n; i++) v.data[i] = v.data[i] * v.data[i] + s;
  for (int i = 0; i < n; i++) push(&v, v.data[i] * v.data[n - 1 - i]);
  for (int i = 0; i < v.size; i++) s += v.data[i] * (i + 1);
  free(v.data);
  return s;
}

static double objective(const double *x) { return work(x, 6); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)work, x, g, 6); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)work, enzyme_dup, x, v, 6); }

int main(void) {
  double x[6] = {0.6, -0.45, 0.8, 0.5, 0.3, 0.9};
  for (int round = 0; round < 3; round++) CHECK(objective, gradient, tangent, x);
  return check_done();
}
