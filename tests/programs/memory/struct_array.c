/* Arrays of structs and structs of arrays, with fields of other types between the active ones. */
#include "check.h"

struct point { char tag; double x; short kind; double y; float w; };
struct cloud { int n; double xs[3]; double ys[3]; };

static double energy(const struct point *p, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      double dx = p[i].x - p[j].x, dy = p[i].y - p[j].y;
      if (p[i].kind == p[j].kind && p[i].tag != 'z') s += 1 / (1 + dx * dx + dy * dy);
      else s += dx * dy * s * 0.1 * p[i].w;
    }
  return s;
}

static void spread(const struct cloud *c, struct point *p) {
  for (int i = 0; i < c->n; i++) {
    p[i].x = c->xs[i] * c->ys[i];
    p[i].y = p[i].x + p[i].y * c->ys[(i + 1) % c->n];
  }
}

static void fill(struct point *p, const double *x) {
  for (int i = 0; i < 3; i++) {
    struct point q = {i == 1 ? 'z' : 'a', x[2 * i], (short)(i % 2), x[2 * i + 1], 0.5f};
    p[i] = q;
  }
}
static double energy_objective(const double *x) {
  struct point p[3];
  fill(p, x);
  return energy(p, 3);
}
static void energy_gradient(const double *x, double *g) {
  struct point p[3], d[3];
  memset(d, 0, sizeof d);
  fill(p, x);
  __enzyme_autodiff((void *)energy, enzyme_dup, p, d, 3);
  for (int i = 0; i < 3; i++) g[2 * i] = d[i].x, g[2 * i + 1] = d[i].y;
}
static double energy_tangent(const double *x, const double *v) {
  struct point p[3], d[3];
  fill(p, x);
  fill(d, v);
  for (int i = 0; i < 3; i++) d[i].w = 0;
  return __enzyme_fwddiff((void *)energy, enzyme_dup, p, d, 3);
}
/* xs, ys of the cloud, then x, y of the points. */
static double spread_objective(const double *x) {
  struct cloud c = {3, {x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  struct point p[3];
  double s = 0;
  fill(p, x + 6);
  spread(&c, p);
  for (int i = 0; i < 3; i++) s += p[i].x * (i + 1) + p[i].y * (2 - i);
  return s;
}
static void spread_gradient(const double *x, double *g) {
  struct cloud c = {3, {x[0], x[1], x[2]}, {x[3], x[4], x[5]}}, dc;
  struct point p[3], d[3];
  memset(d, 0, sizeof d);
  memset(&dc, 0, sizeof dc);
  fill(p, x + 6);
  for (int i = 0; i < 3; i++) d[i].x = i + 1, d[i].y = 2 - i;
  __enzyme_autodiff((void *)spread, enzyme_dup, &c, &dc, enzyme_dup, p, d);
  for (int i = 0; i < 3; i++) g[i] = dc.xs[i], g[3 + i] = dc.ys[i], g[6 + 2 * i] = d[i].x, g[7 + 2 * i] = d[i].y;
}

int main(void) {
  double x[6] = {0.6, -0.45, 0.8, 0.5, 0.3, 1.1}, y[12] = {0.6, -0.45, 0.8, 0.5, 0.3, 1.1, 0.1, 0.2, 0.9, 0.4, -0.5, 0.6};
  CHECK(energy_objective, energy_gradient, energy_tangent, x);
  CHECK(spread_objective, spread_gradient, 0, y);
  return check_done();
}
