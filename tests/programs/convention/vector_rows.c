/* Lanes of loops that add, inside of loops over a few rows: together where no row asks what another added. */
#include "../check.h"

enum { PARAMETERS = 9, POINTS = 29, STEPS = 3 };

extern int enzyme_width, enzyme_dupv;
extern void __enzyme_fwddiff_all(void *, ...);
extern void __enzyme_fwddiff_one(void *, ...);

static NOINLINE void model(const double *restrict p, const double *restrict base, double *restrict out, int n, int m) {
  double *sum = (double *)malloc((4 * n + 8) * sizeof *sum), *own = (double *)malloc(16 * sizeof *own);
  float *few = (float *)malloc((2 * n + 1) * sizeof *few);
  for (int i = 0; i < 4 * n + 8; i++) sum[i] = 0.01 * base[i % n];
  for (int i = 0; i < 2 * n; i++) few[i] = 0.5f;
  for (int step = 0; step < STEPS; step++) {
    for (int k = 0; k < 16; k++) own[k] = p[(k + step) % PARAMETERS] * (k % 3 ? 0.2 : p[k % PARAMETERS]);
    own[5] = 1; /* a factor that never moves */
    for (int row = 0; row < 3; row++) { /* apart */
      double a = own[2 * row], b = own[2 * row + 1];
      for (int i = 0; i < n; i++) sum[row * n + i] += base[i] * (a + b * base[n - 1 - i]);
    }
    for (int row = 0; row < 3; row++) { /* rows overlap */
      double a = own[row];
      for (int i = 0; i < n; i++) sum[row + i] += base[i] * a;
    }
    for (int row = 0; row < 4; row++) { /* one and the same row */
      double a = own[12 + row];
      for (int i = 0; i < n; i++) sum[n + i] -= base[i] * a;
    }
    for (int row = 0; row < 3; row++) { /* the factor is what the row before has added to */
      double a = sum[n * row + 1];
      for (int i = 0; i < n; i++) sum[n + i] += base[i] * a * 0.1;
    }
    for (int row = 0; row < 3; row++) { /* rows that are shorter and shorter */
      double a = own[3 + row];
      for (int i = row; i < n; i++) sum[row * n + i] += base[i] * a;
    }
    for (int row = 2; row >= 0; row--) { /* backwards, and not always */
      double a = own[6 + row];
      for (int i = 0; i < n - m; i++) sum[row * n + i] += base[i] * a;
    }
    for (int row = 0; row < 3; row++) { /* never */
      double a = own[row];
      for (int i = 0; i < m - n; i++) sum[row * n + i] += base[i] * a;
    }
    for (int row = 0; row < 2; row++) { /* another format */
      float a = (float)own[8 + row];
      for (int i = 0; i < n; i++) few[row * n + i] += (float)base[i] * a;
    }
    const double *w = base;
    double *at = sum;
    for (int row = 0; row < 3; row++, at += n) { /* by steps of pointers */
      double a = own[9 + row], *to = at;
      for (w = base; w < base + n; w++) *to++ += *w * a;
    }
    for (int row = 0; row < 3; row++) { /* the factors change behind the loop */
      double a = own[row];
      for (int i = 0; i < n; i++) sum[row * n + i] += base[i] * a;
      own[row + 1] = a * 0.5 + own[row + 1];
    }
  }
  for (int i = 0; i < n; i++)
    out[i] = sum[i] * sum[n + i] + sum[2 * n + i] * 0.5 + sum[3 * n + i] + 0.25 * (double)few[i] * (double)few[n + i];
  free(sum);
  free(own);
  free(few);
}

static double base[POINTS];
static double objective(const double *p) {
  double out[POINTS], s = 0;
  model(p, base, out, POINTS, 4);
  for (int i = 0; i < POINTS; i++) s += out[i] * (1 + i % 5);
  return s;
}
static void objective_gradient(const double *p, double *g) {
  double seeds[PARAMETERS][PARAMETERS] = {{0}}, out[POINTS], columns[PARAMETERS][POINTS];
  for (int k = 0; k < PARAMETERS; k++) seeds[k][k] = 1;
  __enzyme_fwddiff_all((void *)model, enzyme_width, PARAMETERS, enzyme_dupv, sizeof seeds[0], p, seeds, enzyme_const,
                       base, enzyme_dupv, sizeof columns[0], out, columns, enzyme_const, POINTS, enzyme_const, 4);
  for (int k = 0; k < PARAMETERS; k++) {
    double one[POINTS];
    __enzyme_fwddiff_one((void *)model, enzyme_dup, p, seeds[k], enzyme_const, base, enzyme_dup, out, one,
                         enzyme_const, POINTS, enzyme_const, 4);
    for (int i = 0; i < POINTS; i++) {
      check_close("column", k * POINTS + i, columns[k][i], one[i], 1e-6 * (fabs(one[i]) + 1));
      g[k] += columns[k][i] * (1 + i % 5);
    }
  }
}
static double objective_tangent(const double *p, const double *v) {
  double out[POINTS], moved[POINTS], s = 0;
  __enzyme_fwddiff_one((void *)model, enzyme_dup, p, v, enzyme_const, base, enzyme_dup, out, moved, enzyme_const,
                       POINTS, enzyme_const, 4);
  for (int i = 0; i < POINTS; i++) s += moved[i] * (1 + i % 5);
  return s;
}

#ifndef REFERENCE
/* A gradient by lanes against the product with a direction: the sums of floats are too coarse for differences. */
static void check_lanes(const double *p) {
  double g[PARAMETERS] = {0}, v[PARAMETERS], slope = 0;
  objective_gradient(p, g);
  for (int k = 0; k < PARAMETERS; k++) v[k] = cos(1.0 + k), slope += g[k] * v[k];
  check_close("product", 0, objective_tangent(p, v), slope, 1e-5 * (fabs(slope) + 1));
  double ahead[PARAMETERS], behind[PARAMETERS];
  for (int k = 0; k < PARAMETERS; k++) ahead[k] = p[k] + 1e-3 * v[k], behind[k] = p[k] - 1e-3 * v[k];
  check_close("differences", 0, (objective(ahead) - objective(behind)) / 2e-3, slope, 1e-3 * (fabs(slope) + 1));
}
#endif

int main(void) {
  double p[PARAMETERS];
  for (int k = 0; k < PARAMETERS; k++) p[k] = 0.3 + 0.11 * k - (k % 3) * 0.4;
  for (int i = 0; i < POINTS; i++) base[i] = cos(0.7 * i);
  CHECK_ENGINE(check_lanes(p));
  p[3] = 0;
  CHECK_ENGINE(check_lanes(p));
  return check_done();
}
