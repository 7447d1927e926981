/* realloc of an array of structs that hold numbers, counts and pointers to blocks of their own. */
#include "check.h"

struct row {
  double weight;
  int length;
  double *cells;
};

static double table(const double *x, int n) {
  struct row *rows = 0;
  double s = 0;
  for (int i = 0; i < n; i++) {
    rows = realloc(rows, (i + 1) * sizeof *rows);
    rows[i].weight = x[i] * (i ? rows[i - 1].weight : 2);
    rows[i].length = i % 3 + 1;
    rows[i].cells = malloc(rows[i].length * sizeof(double));
    for (int k = 0; k < rows[i].length; k++) rows[i].cells[k] = rows[i].weight * (k + 1) + x[(i + k) % n];
    if (i > 1) {
      double *t = rows[0].cells; /* pointers that were stored before the array moved change places */
      rows[0].cells = rows[i - 1].cells;
      rows[i - 1].cells = t;
      int l = rows[0].length;
      rows[0].length = rows[i - 1].length;
      rows[i - 1].length = l;
    }
    s += rows[0].cells[rows[0].length - 1] * rows[0].cells[0];
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < rows[i].length; k++) s += rows[i].cells[k] * rows[i].cells[k] * rows[i].weight;
  for (int i = 0; i < n; i++) free(rows[i].cells);
  free(rows);
  return s;
}

static double objective(const double *x) { return table(x, 6); }
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)table, x, g, 6); }
static double tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)table, enzyme_dup, x, v, 6); }

int main(void) {
  double x[6] = {0.6, -0.45, 0.8, 0.5, 0.3, 0.9};
  for (int round = 0; round < 3; round++) CHECK(objective, gradient, tangent, x);
  return check_done();
}
