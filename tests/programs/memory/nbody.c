/* Bodies in an array of structs, pairwise forces, leapfrog steps in place, energy at the end. */
#include "check.h"

#define BODIES 4

struct body { double x, y, vx, vy, mass; };

static void advance(struct body *b, int n, double h) {
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      double dx = b[i].x - b[j].x, dy = b[i].y - b[j].y, d2 = dx * dx + dy * dy + 0.05, mag = h / (d2 * sqrt(d2));
      b[i].vx -= dx * b[j].mass * mag;
      b[i].vy -= dy * b[j].mass * mag;
      b[j].vx += dx * b[i].mass * mag;
      b[j].vy += dy * b[i].mass * mag;
    }
  for (int i = 0; i < n; i++) {
    b[i].x += h * b[i].vx;
    b[i].y += h * b[i].vy;
  }
}
static double energy(const struct body *b, int n) {
  double e = 0;
  for (int i = 0; i < n; i++) {
    e += 0.5 * b[i].mass * (b[i].vx * b[i].vx + b[i].vy * b[i].vy);
    for (int j = i + 1; j < n; j++) e -= b[i].mass * b[j].mass / hypot(b[i].x - b[j].x, b[i].y - b[j].y);
  }
  return e;
}
static double simulate(struct body *b, int n, int steps) {
  for (int s = 0; s < steps; s++) advance(b, n, 0.02);
  return energy(b, n) + b[0].x;
}

static double objective(const double *x) {
  struct body b[BODIES];
  memcpy(b, x, sizeof b);
  return simulate(b, BODIES, 5);
}
static void gradient(const double *x, double *g) {
  struct body b[BODIES];
  memcpy(b, x, sizeof b);
  __enzyme_autodiff((void *)simulate, enzyme_dup, b, g, BODIES, 5);
}
static double tangent(const double *x, const double *v) {
  struct body b[BODIES], d[BODIES];
  memcpy(b, x, sizeof b);
  memcpy(d, v, sizeof d);
  return __enzyme_fwddiff((void *)simulate, enzyme_dup, b, d, BODIES, 5);
}

int main(void) {
  double x[5 * BODIES];
  for (int i = 0; i < 5 * BODIES; i++) x[i] = i % 5 == 4 ? 0.5 + 0.1 * i : 2 * sin(2.9 * i + 0.3);
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
