/* The caller's buffer, behind a struct with a shadow struct, is enlarged by the function. */
#include "check.h"

struct buffer {
  int size;
  double *data;
};

static double enlarge(struct buffer *b, double x) {
  b->data = realloc(b->data, 2 * b->size * sizeof(double));
  for (int i = 0; i < b->size; i++) b->data[b->size + i] = b->data[i] * x;
  b->size *= 2;
  double s = 0;
  for (int i = 0; i < b->size; i++) s += b->data[i] * b->data[i];
  return s;
}

static void run(void) {
  struct buffer b = {3, malloc(3 * sizeof(double))}, d = {3, calloc(3, sizeof(double))};
  for (int i = 0; i < 3; i++) b.data[i] = i + 1;
  double dx = __enzyme_autodiff((void *)enlarge, enzyme_dup, &b, &d, enzyme_out, 1.5);
  check_value("x", dx, 2 * 1.5 * (1 + 4 + 9), 1e-12);
  /* the numbers that were there: d/da (a^2 + (1.5 a)^2), found in the enlarged shadow where the block begins */
  for (int i = 0; i < 3; i++) check_value("data", d.data[i], 2 * (i + 1) * (1 + 1.5 * 1.5), 1e-12);
  check_value("size", b.size, 6, 0);
  for (int i = 0; i < 3; i++) check_value("value", b.data[3 + i], 1.5 * (i + 1), 1e-12);
  free(b.data);
  free(d.data);
  struct buffer c = {3, malloc(3 * sizeof(double))}, t = {3, malloc(3 * sizeof(double))};
  for (int i = 0; i < 3; i++) c.data[i] = i + 1, t.data[i] = 0.5 * i;
  double slope = __enzyme_fwddiff((void *)enlarge, enzyme_dup, &c, &t, enzyme_dup, 1.5, 2.0);
  double expected = 2 * (2 * 1.5 * 14);
  for (int i = 0; i < 3; i++) expected += 0.5 * i * 2 * (i + 1) * (1 + 1.5 * 1.5);
  check_value("slope", slope, expected, 1e-12);
  for (int i = 0; i < 3; i++) check_value("tangent", t.data[3 + i], 0.5 * i * 1.5 + (i + 1) * 2.0, 1e-12);
  free(c.data);
  free(t.data);
}

int main(void) {
  CHECK_ENGINE(run());
  return check_done();
}
