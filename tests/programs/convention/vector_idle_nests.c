/* A Jacobian of lanes most of which do not move the small matrices that nests compute with: such nests are left out
 * where all that they read is idle, and only there. */
#include "check.h"

enum { BONES = 7, EACH = 2, PARAMETERS = BONES * EACH, SIDE = 3, SIZE = SIDE * SIDE };

extern int enzyme_width, enzyme_dupv;
extern void __enzyme_fwddiff_all(void *, ...);
extern void __enzyme_fwddiff_one(void *, ...);

static const int parents[BONES] = {-1, 0, 1, 0, 3, 1, 5};

static void multiply(const double *restrict a, const double *restrict b, double *restrict out, double by) {
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++)
      out[SIDE * i + j] = by * (a[SIDE * i] * b[j] + a[SIDE * i + 1] * b[SIDE + j] + a[SIDE * i + 2] * b[2 * SIDE + j]);
}
/* In place, a triangle, and some rows only. */
static void mix(const double *restrict a, const double *restrict b, const double *restrict base, double *restrict out) {
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j < SIDE; j++) out[SIDE * i + j] = 0.4 * out[SIDE * i + j] * a[SIDE * j + i] + 0.1 * b[i];
  for (int i = 0; i < SIDE; i++)
    for (int j = 0; j <= i; j++) out[SIDE * i + j] += a[SIDE * j + i] * b[SIDE * i + j] * 0.25;
  for (int i = 0; i < SIDE; i++)
    if (base[i] > 0.2)
      for (int j = 0; j < SIDE; j++) out[SIDE * i + j] *= 0.3 * a[SIDE * i + j] + 0.2 * b[j] * b[SIDE + i];
}

/* Each bone turns by its own two parameters what its parent was turned by. */
static void model(const double *restrict p, const double *restrict base, double *restrict out, int bones) {
  double *places = (double *)malloc(SIZE * bones * sizeof *places), *other = (double *)malloc(SIZE * sizeof *other);
  double *turn = (double *)malloc(SIZE * sizeof *turn), *own = (double *)malloc(SIZE * sizeof *own);
  for (int i = 0; i < SIZE; i++) other[i] = 0.5 * base[i];
  for (int bone = 0; bone < bones; bone++) {
    double a = p[EACH * bone], c = cos(a), s = sin(a), b = p[EACH * bone + 1];
    double *place = &places[SIZE * bone];
    for (int i = 0; i < SIZE; i++) turn[i] = i % 4 == 0;
    turn[0] = c; turn[1] = -s; turn[3] = s; turn[4] = c * b;
    multiply(base, turn, own, 1);
    if (parents[bone] < 0)
      multiply(own, turn, place, 1);
    else
      multiply(&places[SIZE * parents[bone]], own, place, 0.4);
    mix(place, turn, base, other);
    for (int i = 0; i < SIDE; i++) /* with a number from outside */
      for (int j = 0; j < SIDE; j++) other[SIDE * i + j] = turn[SIDE * i + j] * own[SIDE * j + i] * b;
    mix(other, own, base + SIDE, place);
    for (int k = 0; k < 2; k++) /* from one round to the next */
      for (int i = 1; i < SIZE; i++) own[i] = 0.3 * own[i] * own[i - 1] + own[i - 1] * 0.5;
    for (int i = 0; i < SIZE; i++) out[SIZE * bone + i] = place[i] + own[i] * (i + 1);
  }
  for (int i = 0; i < SIZE; i++) out[SIZE * bones + i] = other[i];
  free(places);
  free(other);
  free(turn);
  free(own);
}

enum { RESULTS = SIZE * BONES + SIZE };
static double base[2 * SIZE];
static double objective(const double *p) {
  double out[RESULTS], s = 0;
  model(p, base, out, BONES);
  for (int i = 0; i < RESULTS; i++) s += out[i] * (1 + i % 5);
  return s;
}
static void objective_gradient(const double *p, double *g) {
  double seeds[PARAMETERS][PARAMETERS] = {{0}}, out[RESULTS], columns[PARAMETERS][RESULTS];
  for (int k = 0; k < PARAMETERS; k++) seeds[k][k] = 1;
  __enzyme_fwddiff_all((void *)model, enzyme_width, PARAMETERS, enzyme_dupv, sizeof seeds[0], p, seeds, enzyme_const,
                       base, enzyme_dupv, sizeof columns[0], out, columns, enzyme_const, BONES);
  for (int k = 0; k < PARAMETERS; k++) {
    double one[RESULTS];
    __enzyme_fwddiff_one((void *)model, enzyme_dup, p, seeds[k], enzyme_const, base, enzyme_dup, out, one,
                         enzyme_const, BONES);
    for (int i = 0; i < RESULTS; i++) {
      check_close("column", k * RESULTS + i, columns[k][i], one[i], 1e-12 * (fabs(one[i]) + 1));
      g[k] += columns[k][i] * (1 + i % 5);
    }
  }
}
static double objective_tangent(const double *p, const double *v) {
  double out[RESULTS], moved[RESULTS], s = 0;
  __enzyme_fwddiff_one((void *)model, enzyme_dup, p, v, enzyme_const, base, enzyme_dup, out, moved, enzyme_const,
                       BONES);
  for (int i = 0; i < RESULTS; i++) s += moved[i] * (1 + i % 5);
  return s;
}

int main(void) {
  double p[PARAMETERS];
  for (int k = 0; k < PARAMETERS; k++) p[k] = 0.3 + 0.11 * k - (k % 3) * 0.4;
  for (int i = 0; i < 2 * SIZE; i++) base[i] = cos(0.7 * i);
  CHECK(objective, objective_gradient, objective_tangent, p);
  p[4] = 0; /* its sine is zero; what moves with it is not */
  CHECK(objective, objective_gradient, objective_tangent, p);
  return check_done();
}
