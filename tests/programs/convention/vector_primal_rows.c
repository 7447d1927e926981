/* What rows of a nest that only adds are themselves, beside their tangents in many lanes: rows side by side, rows that
 * share numbers, rows that read what other rows write, and none at all. */
#include "check.h"

enum { PARAMETERS = 10, COLUMNS = 13, ROWS = 3, PARTS = 4 };

extern int enzyme_width, enzyme_dupv;
extern void __enzyme_fwddiff_all(void *, ...);
extern void __enzyme_fwddiff_one(void *, ...);

static void beside(long n, const double *restrict c, const double *restrict x, const double *restrict w,
                   double *restrict out) {
  for (int row = 0; row < ROWS; row++) {
    double a = c[2 * row], b = c[2 * row + 1];
    double *to = out + row * n;
    for (long v = 0; v < n; v++) to[v] += w[v] * (a * x[v] + b * x[n + v]);
  }
}
static void shared(long n, long pitch, const double *restrict c, const double *restrict w, double *restrict out) {
  for (int row = 0; row < ROWS; row++) {
    double a = c[row];
    double *to = out + row * pitch;
    for (long v = 0; v < n; v++) to[v] += w[v] * a;
  }
}
static void model(const double *restrict p, const double *restrict x, double *restrict out, long n, long pitch,
                  int parts) {
  double *c = (double *)malloc(PARAMETERS * sizeof *c), *sum = (double *)malloc((ROWS * n + 4) * sizeof *sum);
  double *other = (double *)malloc((ROWS * n + 4) * sizeof *other);
  for (int k = 0; k < PARAMETERS; k++) c[k] = sin(p[k]) + p[(k + 1) % PARAMETERS] * p[k];
  for (long i = 0; i < ROWS * n + 4; i++) sum[i] = other[i] = 0.1 * i;
  for (int part = 0; part < parts; part++) beside(n, c + part, x, x + part, sum);
  for (int part = 0; part < parts; part++) shared(n, pitch, c + 2 * part, x + part, other);
  for (int part = 0; part < parts; part++)
    for (int row = 0; row < ROWS; row++) { /* the next row's numbers, which its turn changes */
      double a = c[row + part];
      for (long v = 0; v < n; v++) sum[row * n + v] += a * sum[v + n];
    }
  for (int part = 0; part < parts; part++)
    for (int row = 1; row < ROWS; row++) {
      double a = c[row];
      for (long v = 0; v < n; v++) sum[row * n + v] += a * 0.1 * other[(row - 1) * n + v];
    }
  for (long i = 0; i < ROWS * n; i++) out[i] = sum[i] * other[i];
  free(c);
  free(sum);
  free(other);
}

enum { RESULTS = ROWS * COLUMNS };
static double base[2 * COLUMNS + 8];
static long columns = COLUMNS, pitch = COLUMNS;
static double objective(const double *p) {
  double out[RESULTS] = {0}, s = 0;
  model(p, base, out, columns, pitch, PARTS);
  for (long i = 0; i < ROWS * columns; i++) s += out[i] * (1 + i % 5);
  return s;
}
static void objective_gradient(const double *p, double *g) {
  double seeds[PARAMETERS][PARAMETERS] = {{0}}, out[RESULTS] = {0}, alone[RESULTS] = {0}, moved[PARAMETERS][RESULTS];
  for (int k = 0; k < PARAMETERS; k++) seeds[k][k] = 1;
  __enzyme_fwddiff_all((void *)model, enzyme_width, PARAMETERS, enzyme_dupv, sizeof seeds[0], p, seeds, enzyme_const,
                       base, enzyme_dupv, sizeof moved[0], out, moved, enzyme_const, columns, enzyme_const, pitch,
                       enzyme_const, PARTS);
  model(p, base, alone, columns, pitch, PARTS);
  for (long i = 0; i < ROWS * columns; i++) {
    check_close("result", (int)i, out[i], alone[i], 1e-13 * (fabs(alone[i]) + 1));
    for (int k = 0; k < PARAMETERS; k++) g[k] += moved[k][i] * (1 + i % 5);
  }
}
static double objective_tangent(const double *p, const double *v) {
  double out[RESULTS] = {0}, moved[RESULTS] = {0}, s = 0;
  __enzyme_fwddiff_one((void *)model, enzyme_dup, p, v, enzyme_const, base, enzyme_dup, out, moved, enzyme_const,
                       columns, enzyme_const, pitch,
                       enzyme_const, PARTS);
  for (long i = 0; i < ROWS * columns; i++) s += moved[i] * (1 + i % 5);
  return s;
}

int main(void) {
  double p[PARAMETERS];
  for (int k = 0; k < PARAMETERS; k++) p[k] = 0.3 + 0.11 * k - (k % 3) * 0.4;
  for (int i = 0; i < COUNT(base); i++) base[i] = cos(0.7 * i);
  CHECK(objective, objective_gradient, objective_tangent, p);
  pitch = 3; /* rows share numbers */
  CHECK(objective, objective_gradient, objective_tangent, p);
  columns = 1;
  CHECK(objective, objective_gradient, objective_tangent, p);
  columns = 0;
  check_close("nothing", 0, objective(p), 0, 0);
  return check_done();
}
