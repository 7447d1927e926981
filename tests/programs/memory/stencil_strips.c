/* Stencils over whole rows, long enough for strips of many iterations: on rings and tori, where comparisons tell where
 * the neighbours are, inside grids, through pointers that may lead to one array, with rows of every length around a
 * vector's and around a strip's, and with comparisons that hold in the middle of a row, at both ends, or nowhere. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 32
#define MOST 1200

static void spread(const double *x, double *u, int n) {
  for (int i = 0; i < n; i++) u[i] = x[i % N] * (1 + 0.001 * i) + 0.1 * x[(i / N) % N];
}
static double finish(const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += y[i] * y[i] * (1 + 0.01 * (i % 17));
  return s / n;
}
static double *numbers(int n) { return calloc(n, sizeof(double)); }

/* A torus: each row has a neighbour at both ends, and above and below. */
static NOINLINE void react(int n, int m, const double *restrict rates, const double *restrict u, double *restrict du) {
  for (int i = 0; i < n; i++) {
    int above = (i == 0 ? n - 1 : i - 1) * m, here = i * m, below = (i == n - 1 ? 0 : i + 1) * m;
    for (int j = 0; j < m; j++) {
      int left = j == 0 ? m - 1 : j - 1, right = j == m - 1 ? 0 : j + 1;
      double a = u[here + j];
      double around = u[above + j] + u[below + j] + u[here + left] + u[here + right] - 4 * a;
      du[here + j] = rates[0] * around + a * a * rates[1] - rates[2] * a;
    }
  }
}
static double torus(const double *x) {
  const int rows[] = {1, 2, 3, 4, 2, 3}, columns[] = {13, 21, 22, 31, 300, 260};
  double total = 0;
  for (int k = 0; k < COUNT(rows); k++) {
    int n = rows[k], m = columns[k];
    double *u = numbers(n * m), *du = numbers(n * m);
    spread(x, u, n * m);
    for (int step = 0; step < 2; step++) {
      react(n, m, x, u, du);
      for (int i = 0; i < n * m; i++) u[i] += 0.01 * du[i];
    }
    total += finish(u, n * m);
    free(u), free(du);
  }
  return total;
}
DERIVED(torus)

/* Rings of every length around the least that is taken in strips, a vector, one and two strips. */
static NOINLINE void turn(long n, const double *u, double *v) {
  for (long i = 0; i < n; i++) {
    long before = i == 0 ? n - 1 : i - 1, behind = i + 1 == n ? 0 : i + 1;
    v[i] = u[before] * u[behind] + sin(u[i]) * u[before];
  }
}
static double rings(const double *x) {
  static const int lengths[] = {1, 2, 3, 17, 18, 19, 20, 21, 22, 23, 24, 33, 255, 256, 257, 258, 259, 513, 516, 1031};
  double total = 0;
  for (int k = 0; k < COUNT(lengths); k++) {
    double *u = numbers(MOST), *v = numbers(MOST);
    spread(x, u, lengths[k]);
    turn(lengths[k], u, v);
    total += finish(v, lengths[k]);
    free(u), free(v);
  }
  return total;
}
DERIVED(rings)

/* Two fields that react on tori with rows of few elements, and of more than two strips; ends that go elsewhere. */
static NOINLINE void reactions(int n, int m, const double *rates, const double *state, double *slope) {
  const double *u = state, *v = state + n * m;
  double *du = slope, *dv = slope + n * m;
  for (int i = 0; i < n; i++) {
    int above = (i == 0 ? n - 1 : i - 1) * m, here = i * m, below = (i == n - 1 ? 0 : i + 1) * m;
    for (int j = 0; j < m; j++) {
      int left = j == 0 ? m - 1 : j - 1, right = j == m - 1 ? 0 : j + 1;
      double a = u[here + j], b = v[here + j], reaction = a * a * b;
      double spread_u = u[above + j] + u[below + j] + u[here + left] + u[here + right] - 4 * a;
      double spread_v = v[above + j] + v[below + j] + v[here + left] + v[here + right] - 4 * b;
      du[here + j] = rates[1] + reaction - (rates[0] + 1) * a + rates[2] * spread_u;
      dv[here + j] = rates[0] * a - reaction + rates[2] * spread_v;
    }
  }
}
static NOINLINE void far_ends(int n, int other, double a, const double *u, double *v) {
  for (int i = 0; i < n; i++) {
    int before = i == 0 ? n - 2 : i == 1 ? n - 1 : i - 2, behind = i == n - 1 ? 1 : i == n - 2 ? 0 : i + 2;
    int left = i == 0 ? other : i - 1, right = i == n - 1 ? n - 1 : i + 1;
    double here = u[i];
    v[i] += a * (u[before] + u[behind] + 2 * u[left] + 3 * u[right]) + 0.01 * here * here * here / (1 + here * here);
    v[i] *= 1 + 0.01 * sin(here) - 0.01 * here;
  }
}
static double fields_by_row(const double *x) {
  const int columns[] = {1, 2, 3, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 18, 40, 256, 257, 390};
  double total = 0;
  for (int k = 0; k < COUNT(columns); k++) {
    int m = columns[k], n = m > 100 ? 1 + k % 3 : 1 + k % 5, size = 2 * n * m;
    double *u = numbers(size), *du = numbers(size);
    spread(x, u, size);
    for (int step = 0; step < 3; step++) {
      reactions(n, m, x + 2, u, du);
      for (int i = 0; i < size; i++) u[i] += 0.01 * du[i];
    }
    total += finish(u, size);
    if (m > 3) {
      far_ends(m, 0, 0.01 * x[4], u, du);
      far_ends(m, m - 1, 0.01 * x[5], u, du);
      far_ends(m, m / 2, 0.01 * x[6], du, u);
      far_ends(m - 3, m - 1, 0.01 * x[7], u, u);
      if (n > 1) far_ends(m, m - 1, 0.01 * x[8], u, u + m - 2);
      total += finish(u, size) + finish(du, size);
    }
    free(u), free(du);
  }
  return total;
}
DERIVED(fields_by_row)

/* The heat equation inside a grid; the grids change places. */
static NOINLINE void heat(int n, int m, double a, const double *restrict u, double *restrict v) {
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      v[i * m + j] = u[i * m + j] + a * (u[(i - 1) * m + j] + u[(i + 1) * m + j] + u[i * m + j - 1] + u[i * m + j + 1] -
                                         4 * u[i * m + j] * u[i * m + j]);
}
static double plate(const double *x) {
  const int n = 4, m = 290;
  double *u = numbers(n * m), *v = numbers(n * m);
  spread(x, u, n * m), spread(x, v, n * m);
  for (int step = 0; step < 3; step++) {
    heat(n, m, 0.1 * x[0], u, v);
    double *old = u;
    u = v, v = old;
  }
  double total = finish(u, n * m);
  free(u), free(v);
  return total;
}
DERIVED(plate)

/* Pointers that say nothing: two arrays, one array, parts of one that overlap. */
static NOINLINE void three(double *out, const double *in, int n) {
  for (int i = 1; i < n - 1; i++) out[i] += 0.03 * in[i - 1] * in[i + 1] - 0.02 * in[i] * in[i + 1];
}
static NOINLINE void ringed(double *out, const double *in, int n) {
  for (int i = 0; i < n; i++) out[i] += 0.003 * in[i == 0 ? n - 1 : i - 1] * in[i] + 0.01 * in[i == n - 1 ? 0 : i + 1];
}
static double overlaps(const double *x) {
  double y[MOST / 4], z[MOST / 4];
  const int n = MOST / 4;
  spread(x, y, n), spread(x, z, n);
  for (int i = 0; i < n; i++) z[i] *= x[(i * 5) % N];
  three(y, z, n);
  three(y, y, n);
  three(y + 1, y, n - 1);
  three(z, z + 2, n - 2);
  ringed(z, y, n);
  ringed(y, y, n);
  ringed(y + 40, y, 60);
  ringed(y + 7, y, 200);
  return finish(y, n) + finish(z, n);
}
DERIVED(overlaps)

/* Comparisons that hold in the middle, twice, nowhere, and the other way round; downward; far neighbours; narrow counts. */
static NOINLINE double gates(const double *u, double *v, int n, int at, int other) {
  for (int i = 0; i < n; i++) v[i] = u[i != at ? i : n - 1] * u[i == other ? at : i + 1] + u[i];
  double s = finish(v, n);
  for (int i = n - 1; i >= 0; i--) v[i] = u[i == other ? 0 : i + 1] * u[i] - u[n - 1 - i] * u[i == at ? 1 : i];
  return s + finish(v, n);
}
static NOINLINE double far(const double *u, double *v, int n) {
  for (int i = 20; i < n - 20; i++) v[i] = u[i - 20] * u[i + 20] + u[i - 16] * u[i] + u[i + 1] * u[i + 17];
  double s = finish(v, n);
  for (unsigned i = 2; i < (unsigned)n - 2; i++) v[i] = u[i - 2] * u[i + 2] + u[i - 1] / (2 + u[i]);
  return s + finish(v, n);
}
static NOINLINE double wrapped(const double *u, double *v, int n, unsigned long at) {
  for (int i = 0; i < n; i++) v[i] = u[(unsigned long)((unsigned)i - 40u) == at ? 3 : i + 1] * u[i];
  double s = finish(v, n);
  for (int i = 0; i < n; i++) v[i] = u[(unsigned)i - 40u == (unsigned)at ? 3 : i + 1] * u[i];
  return s + finish(v, n);
}
static double placed(const double *x) {
  double *u = numbers(MOST), *v = numbers(MOST), total = 0;
  spread(x, u, MOST);
  const int at[] = {0, 5, 150, 299, 298, -1, 400, 2}, other[] = {299, 200, 149, 0, 299, 300, 7, 2};
  for (int k = 0; k < COUNT(at); k++) total += gates(u, v, 300, at[k] < 0 ? 299 : at[k], other[k]);
  total += gates(u, v, 40, 20, 21) + gates(u, v, 30, 29, 0);
  total += wrapped(u, v, 300, 5) + wrapped(u, v, 300, 4294967290u) + wrapped(u, v, 300, 4294967256u) + wrapped(u, v, 99, 1000);
  for (int n = 41; n < 700; n = n * 2 + 3) total += far(u, v, n);
  free(u), free(v);
  return total;
}
DERIVED(placed)

/* Sums of several arrays and of one number, by row of a table of tables, in single precision and in pairs. */
struct field {
  int n;
  double *u, *v;
};
static NOINLINE void coupled(const struct field *f, const double *rates, double *du, double *dv) {
  for (int i = 0; i < f->n; i++) {
    int before = i ? i - 1 : f->n - 1, behind = i == f->n - 1 ? 0 : i + 1;
    double reaction = f->u[i] * f->u[i] * f->v[i];
    du[i] = rates[0] * (f->u[before] + f->u[behind] - 2 * f->u[i]) + reaction - f->u[i];
    dv[i] = rates[1] * (f->v[before] + f->v[behind] - 2 * f->v[i]) - reaction + rates[2] * f->u[behind];
  }
}
static double fields(const double *x) {
  double total = 0;
  for (int n = 19; n < 600; n = n * 3 + 5) {
    struct field f = {n, numbers(n), numbers(n)};
    double *du = numbers(n), *dv = numbers(n);
    spread(x, f.u, n), spread(x, f.v, n);
    for (int step = 0; step < 2; step++) {
      coupled(&f, x + 3, du, dv);
      for (int i = 0; i < n; i++) f.u[i] += 0.02 * du[i], f.v[i] += 0.02 * dv[i];
    }
    total += finish(f.u, n) + finish(f.v, n);
    free(f.u), free(f.v), free(du), free(dv);
  }
  return total;
}
DERIVED(fields)
static NOINLINE void singles(int n, const float *u, float *v) {
  for (int i = 0; i < n; i++) v[i] = u[i == 0 ? n - 1 : i - 1] * u[i] + u[i == n - 1 ? 0 : i + 1];
}
static double narrow(const double *x) {
  float u[290], v[290];
  double s = 0;
  for (int i = 0; i < 290; i++) u[i] = (float)(x[i % N] * (1 + i % 3));
  singles(290, u, v);
  for (int i = 0; i < 290; i++) s += (double)v[i] * (1 + i % 5);
  return s;
}
DERIVED(narrow)

static double slope(const double *x) {
  double g[N] = {0}, s = 0;
  GRADIENT_OF(plate, x, g, N);
  for (int i = 0; i < N; i++) s += g[i] * (1 + 0.2 * i);
  return s;
}
DERIVED(slope)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.5 + 0.01 * ((i * 7) % 31);
  CHECK_DERIVED(torus, x);
  CHECK_DERIVED(rings, x);
  CHECK_DERIVED(fields_by_row, x);
  CHECK_DERIVED(plate, x);
  CHECK_DERIVED(overlaps, x);
  CHECK_DERIVED(placed, x);
  CHECK_DERIVED(fields, x);
  CHECK_SINGLE(narrow, narrow_gradient, narrow_tangent, x);
  CHECK_ENGINE(CHECK_DERIVED(slope, x));
  return check_done();
}
