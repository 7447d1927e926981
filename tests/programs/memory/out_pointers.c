/* Blocks that one function allocates, another resizes by hand and a third frees; handed over through double **. */
#include "check.h"

struct vector {
  double *data;
  int size, room;
};
static NOINLINE int create(double **out, const double *x, int n) {
  *out = malloc(n * sizeof **out);
  if (!*out) return -1;
  for (int i = 0; i < n; i++) (*out)[i] = x[i] * x[i];
  return n;
}
static NOINLINE void append(struct vector *v, double value) {
  if (v->size == v->room) {
    double *more = malloc(2 * v->room * sizeof *more);
    memcpy(more, v->data, v->size * sizeof *more);
    free(v->data);
    v->data = more;
    v->room *= 2;
  }
  v->data[v->size++] = value;
}
static NOINLINE double drain(struct vector *v) {
  double s = 0;
  for (int i = 0; i < v->size; i++) s = s * 0.9 + v->data[i] * v->data[v->size - 1 - i];
  free(v->data);
  v->data = 0;
  return s;
}
static double f(const double *x) {
  double *first;
  int n = create(&first, x, 4);
  struct vector v = {first, n, n};
  for (int i = 0; i < 14; i++) append(&v, v.data[i] * x[i % 4] + v.data[v.size / 2]);
  return drain(&v);
}
DERIVED(f)

int main(void) {
  double x[4] = {0.6, 0.7, -0.55, 0.75};
  CHECK_DERIVED(f, x);
  return check_done();
}
