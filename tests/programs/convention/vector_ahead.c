/* Lanes of loops that overwrite what they read: in front of the loop where every read comes before the write, else not. */
#include "../check.h"

enum { PARAMETERS = 11, POINTS = 37 };

extern int enzyme_width, enzyme_dupv;
extern void __enzyme_fwddiff_all(void *, ...);
extern void __enzyme_fwddiff_one(void *, ...);

/* m is n / 2, and k one less than n; neither is known to be. */
static NOINLINE void model(const double *restrict p, const double *restrict base, double *restrict out, int n, int m,
                           int k) {
  double *x = (double *)malloc((3 * n + 2) * sizeof *x), *y = x + n, *z = y + n;
  for (int i = 0; i < 3 * n + 2; i++) x[i] = base[i % n];
  double a = sin(p[0]), b = p[1] * p[2], c = p[3], d = p[4] - p[0];
  for (int i = 0; i < 2 * n; i++) x[i] += base[i % n] * p[5];
  for (int i = 0; i < n; i++) { /* turned and moved in place */
    double u = x[i], v = y[i], w = z[i];
    x[i] = a * u + b * v + c;
    y[i] = b * v - a * w + d;
    z[i] = c * w + d * u;
  }
  for (int i = n - 1; i >= 0; i--) { /* the same backwards */
    double u = x[i], v = y[i];
    x[i] = a * v - u;
    y[i] = b * u + v * c;
  }
  for (int i = 0; i < n; i += 2) { /* every other one */
    double u = x[i], v = x[i + 1], w = y[i];
    x[i] = a * v + u * b;
    x[i + 1] = w * d + u;
  }
  for (int i = 0; i < n; i++) x[i] = x[i + 1] * x[i] + p[6];       /* read, then written */
  for (int i = n - 1; i > 0; i--) x[i] = x[i - 1] * x[i] * p[7];   /* read, then written, backwards */
  for (int i = 0; i < n; i++) x[i + 1] = x[i] * x[i + 1] * 0.5 + b; /* what was just written */
  for (int i = n; i > 0; i--) x[i - 1] = x[i] * x[i - 1] * p[8];   /* what was just written, backwards */
  double *half = x + m, *near = x + k;
  for (int i = 0; i < n; i++) { /* what was written half a loop before */
    double u = half[i] * x[i];
    half[i] = x[i] * u + a;
  }
  for (int i = 0; i < n; i++) { /* and what the last but one wrote */
    double u = near[i] * x[i];
    near[i] = x[i] * u - c;
    x[i] = u * p[9];
  }
  for (int i = 0; i <= n; i++) { /* one more than there is room for */
    double u = y[i] * x[i];
    y[i] = x[i] * u * c;
  }
  for (int i = 0; i < m - n; i++) x[i] = x[i] * x[i] * a; /* never */
  double *big = x + 2 * n;
  for (int i = 0; i < n; i++) { /* what moves in one lane alone */
    double u = big[i] * big[i];
    big[i] = u * (base[n] + 1) + p[10];
  }
  for (int i = 0; i < n; i++) out[i] = x[i] + 0.5 * y[i] - 0.25 * z[i] * z[i];
  free(x);
}

static double base[POINTS + 1];
static double objective(const double *p) {
  double out[POINTS], s = 0;
  model(p, base, out, POINTS, POINTS / 2, POINTS - 1);
  for (int i = 0; i < POINTS; i++) s += out[i] * (1 + i % 5);
  return s;
}
static void objective_gradient(const double *p, double *g) {
  double seeds[PARAMETERS][PARAMETERS] = {{0}}, out[POINTS], columns[PARAMETERS][POINTS];
  for (int k = 0; k < PARAMETERS; k++) seeds[k][k] = 1;
  __enzyme_fwddiff_all((void *)model, enzyme_width, PARAMETERS, enzyme_dupv, sizeof seeds[0], p, seeds, enzyme_const,
                       base, enzyme_dupv, sizeof columns[0], out, columns, enzyme_const, POINTS, enzyme_const,
                       POINTS / 2, enzyme_const, POINTS - 1);
  for (int k = 0; k < PARAMETERS; k++) {
    double one[POINTS];
    __enzyme_fwddiff_one((void *)model, enzyme_dup, p, seeds[k], enzyme_const, base, enzyme_dup, out, one,
                         enzyme_const, POINTS, enzyme_const, POINTS / 2, enzyme_const, POINTS - 1);
    for (int i = 0; i < POINTS; i++) {
      check_close("column", k * POINTS + i, columns[k][i], one[i], 1e-12 * (fabs(one[i]) + 1));
      g[k] += columns[k][i] * (1 + i % 5);
    }
  }
}
static double objective_tangent(const double *p, const double *v) {
  double out[POINTS], moved[POINTS], s = 0;
  __enzyme_fwddiff_one((void *)model, enzyme_dup, p, v, enzyme_const, base, enzyme_dup, out, moved, enzyme_const,
                       POINTS, enzyme_const, POINTS / 2, enzyme_const, POINTS - 1);
  for (int i = 0; i < POINTS; i++) s += moved[i] * (1 + i % 5);
  return s;
}

int main(void) {
  double p[PARAMETERS];
  for (int k = 0; k < PARAMETERS; k++) p[k] = 0.3 + 0.11 * k - (k % 3) * 0.4;
  for (int i = 0; i <= POINTS; i++) base[i] = 0.8 * cos(0.7 * i);
  CHECK(objective, objective_gradient, objective_tangent, p);
  p[0] = 0; /* sin(0) is zero; what moves with it is not */
  CHECK(objective, objective_gradient, objective_tangent, p);
  return check_done();
}
