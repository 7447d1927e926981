/* A Jacobian of lanes that are mostly zero: what adds nothing to memory is left out, and nothing else. */
#include "check.h"

enum { PARTS = 6, EACH = 2, PARAMETERS = PARTS * EACH, POINTS = 37 };

extern int enzyme_width, enzyme_dupv;
extern void __enzyme_fwddiff_all(void *, ...);
extern void __enzyme_fwddiff_one(void *, ...);

/* Each part moves all points, by its own two parameters; the other lanes are zero until parts mix. */
static void model(const double *restrict p, const double *restrict base, double *restrict out, int parts, int n) {
  double *sum = (double *)malloc(n * sizeof *sum), *own = (double *)malloc(n * sizeof *own);
  double *other = (double *)malloc(n * sizeof *other);
  for (int i = 0; i < n; i++) sum[i] = other[i] = 0.0;
  for (int i = 0; i < n; i++) own[i] = base[i];
  for (int part = 0; part < parts; part++) {
    double a = sin(p[EACH * part]), b = p[EACH * part + 1] * p[EACH * part];
    for (int i = 0; i < n; i++) sum[i] += base[i] * (a * (i & 3) + b * base[n - 1 - i]); /* adds */
    for (int i = 0; i < n; i++) {                                                       /* as well, from its end */
      double *at = &sum[n - 1 - i];
      *at = *at - a * own[i];
    }
    for (int i = 0; i < n; i++) other[i] = other[i] * b + a;          /* more than adds */
    for (int i = 1; i < n; i++) sum[i] += a * 0.01 * other[i - 1];    /* a factor that moves */
    for (int i = 0; i < n; i++) own[i] += 0.25 * a;                   /* adds, and is read by the next */
    for (int i = 1; i < n; i++) sum[i] = sum[i - 1] + b * 0.001;      /* hands on */
    for (int i = 0; i < n; i++) own[i] = own[i] * 0.5;                /* changes, though nothing is added */
  }
  double factors[PARTS], ends[PARTS];
  for (int part = 0; part < parts; part++) factors[part] = p[EACH * part] * p[EACH * part + 1];
  for (int part = 0; part < parts; part++) { /* adds, and hands on what it finds with what it adds */
    double sum_of_both = 0;
    int i = 0;
    do {
      sum_of_both = sum[i] + factors[part] * base[i];
      sum[i] = sum_of_both;
    } while (++i < n);
    ends[part] = sum_of_both;
  }
  double last = ends[parts / 2] - ends[0];
  for (int i = 0; i < n; i++) last += sum[i] * 0.125;
  for (int i = 0; i < n; i++) out[i] = sum[i] + own[i] * other[i] + last;
  free(sum);
  free(own);
  free(other);
}

static double base[POINTS];
static double objective(const double *p) {
  double out[POINTS], s = 0;
  model(p, base, out, PARTS, POINTS);
  for (int i = 0; i < POINTS; i++) s += out[i] * (1 + i % 5);
  return s;
}
static void objective_gradient(const double *p, double *g) {
  double seeds[PARAMETERS][PARAMETERS] = {{0}}, out[POINTS], columns[PARAMETERS][POINTS];
  for (int k = 0; k < PARAMETERS; k++) seeds[k][k] = 1;
  __enzyme_fwddiff_all((void *)model, enzyme_width, PARAMETERS, enzyme_dupv, sizeof seeds[0], p, seeds, enzyme_const,
                       base, enzyme_dupv, sizeof columns[0], out, columns, enzyme_const, PARTS, enzyme_const, POINTS);
  for (int k = 0; k < PARAMETERS; k++) {
    double one[POINTS];
    __enzyme_fwddiff_one((void *)model, enzyme_dup, p, seeds[k], enzyme_const, base, enzyme_dup, out, one,
                         enzyme_const, PARTS, enzyme_const, POINTS);
    for (int i = 0; i < POINTS; i++) {
      check_close("column", k * POINTS + i, columns[k][i], one[i], 1e-12 * (fabs(one[i]) + 1));
      g[k] += columns[k][i] * (1 + i % 5);
    }
  }
}
static double objective_tangent(const double *p, const double *v) {
  double out[POINTS], moved[POINTS], s = 0;
  __enzyme_fwddiff_one((void *)model, enzyme_dup, p, v, enzyme_const, base, enzyme_dup, out, moved, enzyme_const,
                       PARTS, enzyme_const, POINTS);
  for (int i = 0; i < POINTS; i++) s += moved[i] * (1 + i % 5);
  return s;
}

int main(void) {
  double p[PARAMETERS];
  for (int k = 0; k < PARAMETERS; k++) p[k] = 0.3 + 0.11 * k - (k % 3) * 0.4;
  for (int i = 0; i < POINTS; i++) base[i] = cos(0.7 * i);
  CHECK(objective, objective_gradient, objective_tangent, p);
  p[4] = 0; /* sin(0) is zero; what moves with it is not */
  CHECK(objective, objective_gradient, objective_tangent, p);
  return check_done();
}
