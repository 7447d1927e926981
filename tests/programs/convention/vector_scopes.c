/* Lanes of small products of matrices in one block of memory, whose functions promise that their arguments are apart:
 * they are in one call, while what a call writes is what the next one reads. */
#include "../check.h"

enum { PARAMETERS = 10, SIZE = 3, ALL = SIZE * SIZE, STEPS = 6 };

extern int enzyme_width, enzyme_dupv;
extern void __enzyme_fwddiff_all(void *, ...);
extern void __enzyme_fwddiff_one(void *, ...);

static void multiply(const double *restrict a, const double *restrict b, double *restrict out, int n) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0.1;
      for (int k = 0; k < n; k++) s += a[n * i + k] * b[n * k + j];
      out[n * i + j] = s;
    }
}
static void unrolled(const double *restrict a, const double *restrict b, double *restrict out) {
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++)
      out[SIZE * i + j] = a[SIZE * i] * b[j] + a[SIZE * i + 1] * b[SIZE + j] + a[SIZE * i + 2] * b[2 * SIZE + j];
}
static void turned(const double *restrict row, double *restrict out, double by) {
  for (int j = 0; j < SIZE; j++) out[j] = row[j] * by + row[SIZE - 1 - j];
}
static void scaled(const double *restrict from, double *restrict to, double by) { *to = *from * by + 0.1; }

static NOINLINE void model(const double *restrict p, double *restrict out, const int *restrict parents, int n) {
  double *all = (double *)calloc((STEPS + 4) * ALL, sizeof *all), *turn = all + (STEPS + 1) * ALL, *made = turn + ALL;
  for (int i = 0; i < ALL; i++) all[i] = i % (SIZE + 1) ? 0.1 * i : 1.0;
  for (int step = 0; step < STEPS; step++) {
    for (int i = 0; i < ALL; i++) turn[i] = 0.2 * (i % 4) + (i % 2 ? p[step] : 0.5);
    unrolled(&all[ALL * parents[step]], turn, made);
    unrolled(made, &all[ALL * step], &all[ALL * (step + 1)]);
    multiply(&all[ALL * (step + 1)], turn, made, n);
    for (int i = 0; i < SIZE; i++) turned(&made[SIZE * i], &made[SIZE * (i + 1)], p[6]); /* each reads the one before */
    for (int i = 0; i < SIZE; i++) turned(&made[SIZE * (i + 1)], &made[SIZE * i], p[6]); /* and the one behind */
    for (int i = 1; i < ALL; i++) scaled(&made[i - 1], &made[i], p[7] + p[8]);          /* here as well */
    for (int i = 0; i < ALL; i++) all[ALL * (step + 1) + i] += 0.3 * made[i] * p[9];
  }
  for (int i = 0; i < (STEPS + 1) * ALL; i++) out[i] = all[i] * all[(i * 7) % ((STEPS + 1) * ALL)];
  free(all);
}

enum { RESULTS = (STEPS + 1) * ALL };
static const int parents[STEPS] = {0, 0, 1, 1, 3, 2};
static double objective(const double *p) {
  double out[RESULTS], s = 0;
  model(p, out, parents, SIZE);
  for (int i = 0; i < RESULTS; i++) s += out[i] * (1 + i % 5);
  return s;
}
static void objective_gradient(const double *p, double *g) {
  double seeds[PARAMETERS][PARAMETERS] = {{0}}, out[RESULTS], columns[PARAMETERS][RESULTS];
  for (int k = 0; k < PARAMETERS; k++) seeds[k][k] = 1;
  __enzyme_fwddiff_all((void *)model, enzyme_width, PARAMETERS, enzyme_dupv, sizeof seeds[0], p, seeds, enzyme_dupv,
                       sizeof columns[0], out, columns, enzyme_const, parents, enzyme_const, SIZE);
  for (int k = 0; k < PARAMETERS; k++) {
    double one[RESULTS];
    __enzyme_fwddiff_one((void *)model, enzyme_dup, p, seeds[k], enzyme_dup, out, one, enzyme_const, parents,
                         enzyme_const, SIZE);
    for (int i = 0; i < RESULTS; i++) {
      check_close("column", k * RESULTS + i, columns[k][i], one[i], 1e-12 * (fabs(one[i]) + 1));
      g[k] += columns[k][i] * (1 + i % 5);
    }
  }
}
static double objective_tangent(const double *p, const double *v) {
  double out[RESULTS], moved[RESULTS], s = 0;
  __enzyme_fwddiff_one((void *)model, enzyme_dup, p, v, enzyme_dup, out, moved, enzyme_const, parents, enzyme_const,
                       SIZE);
  for (int i = 0; i < RESULTS; i++) s += moved[i] * (1 + i % 5);
  return s;
}

int main(void) {
  double p[PARAMETERS];
  for (int k = 0; k < PARAMETERS; k++) p[k] = 0.3 + 0.05 * k - (k % 3) * 0.2;
  CHECK(objective, objective_gradient, objective_tangent, p);
  return check_done();
}
