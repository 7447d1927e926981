/* Time loops under a limit on the tape that work on memory which is given back before the way back begins. */
// engine: --tape-limit=900
#include "check.h"

static NOINLINE void drop(void *p) { free(p); }
static NOINLINE void spoil(double *p, int n) {
  for (int i = 0; i < n; i++) p[i] = -1;
}

/* Counts, which have no shadow: moved, or freed by a function. */
static double counts(const double *x, int how) {
  int *k = (int *)malloc(40 * sizeof(int));
  double s = x[0];
  for (int i = 0; i < 40; i++) k[i] = i;
  for (int t = 0; t < 200; t++) {
    k[t % 40] += 3;
    s = sin(s) * x[1] + k[(t * 7) % 40] * 0.001;
  }
  if (how) k = (int *)realloc(k, 400000);
  double r = s * s + k[3] * x[0];
  if (how) free(k);
  else drop(k);
  return r;
}
static double moved(const double *x) { return counts(x, 1); }
static double dropped(const double *x) { return counts(x, 0); }

/* Numbers: freed by a function, overwritten first, in a function that is called and in the one that has the loop. */
static NOINLINE double advance(double *u, int n) {
  for (int t = 0; t < 90; t++)
    for (int i = 0; i < n; i++) u[i] = u[i] * 0.99 + 0.01 * sin(u[i]) * u[0];
  return u[1];
}
static double called(const double *x) {
  double *u = (double *)malloc(5 * sizeof *u);
  for (int i = 0; i < 5; i++) u[i] = x[i % 2] + 0.1 * i;
  double r = advance(u, 5) + u[4];
  spoil(u, 5);
  drop(u);
  return r;
}
static double here(const double *x) {
  double *u = (double *)malloc(5 * sizeof *u), w[3] = {x[0], x[1], 1};
  for (int i = 0; i < 5; i++) u[i] = x[i % 2] + 0.1 * i;
  for (int t = 0; t < 90; t++) {
    for (int i = 0; i < 5; i++) u[i] = u[i] * 0.99 + 0.01 * sin(u[i]) * w[1];
    w[0] *= 0.999, w[2] += w[0] * u[t % 5];
  }
  double r = u[1] * w[2];
  u = (double *)realloc(u, 100000);
  r += u[2];
  spoil(u, 5), spoil(w, 3);
  drop(u);
  return r;
}

DERIVED(moved)
DERIVED(dropped)
DERIVED(called)
DERIVED(here)

int main(void) {
  double x[2] = {0.4, 0.8};
  CHECK_DERIVED(moved, x);
  CHECK_DERIVED(dropped, x);
  CHECK_DERIVED(called, x);
  CHECK_DERIVED(here, x);
  return check_done();
}
