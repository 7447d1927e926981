/* A rule for a step that works in place, inside a loop: each step's tape is its own. */
#include "check.h"
#define N 5

static NOINLINE void advance(double *u, double dt, int n) {
  double old[N];
  for (int i = 0; i < n; i++) old[i] = u[i];
  for (int i = 0; i < n; i++) u[i] = old[i] + dt * sin(old[(i + 1) % n]) * old[i];
}

#ifndef REFERENCE
static double *advance_up(double *u, double *du, double dt, int n) {
  double *tape = malloc(n * sizeof(double));
  memcpy(tape, u, n * sizeof(double));
  advance(u, dt, n);
  return tape;
}
static double advance_back(double *u, double *du, double dt, int n, double *tape) {
  double g[N] = {0}, ddt = 0;
  for (int i = 0; i < n; i++) {
    int k = (i + 1) % n;
    ddt += du[i] * sin(tape[k]) * tape[i];
    g[i] += du[i] * (1 + dt * sin(tape[k]));
    g[k] += du[i] * dt * cos(tape[k]) * tape[i];
  }
  memcpy(du, g, n * sizeof(double));
  free(tape);
  return ddt;
}
static void advance_forward(double *u, double *du, double dt, double ddt, int n) {
  double t[N];
  for (int i = 0; i < n; i++) {
    int k = (i + 1) % n;
    t[i] = du[i] * (1 + dt * sin(u[k])) + dt * cos(u[k]) * du[k] * u[i] + ddt * sin(u[k]) * u[i];
  }
  advance(u, dt, n);
  memcpy(du, t, n * sizeof(double));
}
void *__enzyme_register_gradient_advance[] = {(void *)advance, (void *)advance_up, (void *)advance_back};
void *__enzyme_register_derivative_advance[] = {(void *)advance, (void *)advance_forward};
#endif

static double run(const double *start, double dt, int n) {
  double u[N], s = 0;
  for (int i = 0; i < n; i++) u[i] = start[i];
  for (int step = 0; step < 20; step++) {
    if (u[0] < 1.5) advance(u, dt * (1 + u[1]), n);
    s += u[step % n] * u[step % n];
  }
  return s;
}

static double objective(const double *z) { return run(z, z[N], N); }
static void reverse(const double *z, double *g) { g[N] = __enzyme_autodiff((void *)run, z, g, z[N], N); }
static double forward(const double *z, const double *v) { return __enzyme_fwddiff((void *)run, z, v, z[N], v[N], N); }

int main(void) {
  double z[N + 1] = {0.3, -0.2, 0.9, 0.4, -0.6, 0.05};
  CHECK(objective, reverse, forward, z);
  return check_done();
}
