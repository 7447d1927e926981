"""The C program around generated functions: it runs every derivative and compares, natively.

For each function and point it takes the scalar S = f(x, y, p) + w.x' + u.y', with x' and y' what f leaves in its arrays
and w, u fixed weights, and checks

- the reverse gradient of S against central differences (two Richardson steps; their own error estimate decides what can
  be asked of them),
- forward mode along random directions against differences,
- forward mode against the reverse gradient (VJP.JVP), which needs no differences and holds to 1e-9,
- that both modes leave the primal's result and arrays as the primal does.

It speaks lines: ``begin NAME``, ``fail NAME KIND ...``, ``soft NAME`` (differences not accurate there), ``end NAME``;
so that a crash is known by the function that did not end.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme.verify.program import FuzzFunction

PRELUDE = """\
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
extern double __enzyme_autodiff(void *, ...);
extern double __enzyme_fwddiff(void *, ...);
extern int enzyme_const, enzyme_dup, enzyme_dupnoneed, enzyme_out;

struct pack { int tag, k; double a; double b[8]; };
static const double table[8] = {0.5, -0.25, 0.75, 1.0, -0.5, 0.125, 0.9, -0.8};
static double squash(double v) { return v / (1.0 + v * v); }
static double total(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * (1 + 0.1 * i);
  return s;
}
"""

HARNESS = """\
#define MOST 8
#define SLOTS (2 * MOST + 1)
typedef double (*primal_fn)(double *, double *, const int *, int, double);
typedef double (*reverse_fn)(double *, double *, double *, double *, const int *, int, double);
typedef double (*forward_fn)(double *, double *, double *, double *, const int *, int, double, double);
struct entry { const char *name; primal_fn primal, exact; reverse_fn reverse; forward_fn forward; double coarse; };

static uint64_t state;
static NOINLINE double draw(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) / 9007199254740992.0 * 2 - 1;
}

/* x and y are blocks of exactly n numbers, so that a memory checker sees a wrong index. */
static NOINLINE double scalar(primal_fn f, const double *z, const double *w, const int *index, int n, double *after) {
  double *x = malloc(n * sizeof(double)), *y = malloc(n * sizeof(double));
  memcpy(x, z, n * sizeof(double));
  memcpy(y, z + n, n * sizeof(double));
  double s = f(x, y, index, n, z[2 * n]);
  if (after) after[2 * n] = s;
  for (int i = 0; i < n; i++) {
    s += w[i] * x[i] + w[n + i] * y[i];
    if (after) after[i] = x[i], after[n + i] = y[i];
  }
  free(x);
  free(y);
  return s;
}
static NOINLINE double central(primal_fn f, const double *z, const double *v, double h, const double *w,
                               const int *index, int n) {
  double plus[SLOTS], minus[SLOTS];
  for (int i = 0; i <= 2 * n; i++) plus[i] = z[i] + h * v[i], minus[i] = z[i] - h * v[i];
  return (scalar(f, plus, w, index, n, 0) - scalar(f, minus, w, index, n, 0)) / (2 * h);
}
static NOINLINE double difference(primal_fn f, const double *z, const double *v, double h, const double *w,
                                  const int *index, int n, double *error) {
  double a = central(f, z, v, h, w, index, n), b = central(f, z, v, h / 2, w, index, n),
         c = central(f, z, v, h / 4, w, index, n);
  double ab = b + (b - a) / 3, bc = c + (c - b) / 3, best = bc + (bc - ab) / 15;
  *error = fabs(best - bc) + fabs(bc - ab) * 0.05;
  return best;
}

static int failures, softs;
static NOINLINE int compare(const char *name, const char *kind, int at, double got, double want, double bound) {
  if (fabs(got - want) <= bound) return 1;
  failures++;
  printf("fail %s %s %d got %.17g want %.17g allowed %.3g\\n", name, kind, at, got, want, bound);
  fflush(stdout);
  return 0;
}

#define ALLOWED(value, doubt) (relative * (fabs(value) + 0.02 * largest) + 30 * (doubt) + 1e-10)
static NOINLINE void check(const struct entry *e, int point, int n) {
  double z[SLOTS], w[SLOTS], v[SLOTS], after[SLOTS], slope[SLOTS], error[SLOTS], gradient[SLOTS] = {0};
  int index[MOST], total = 2 * n + 1;
  double largest = 1e-6;
  state = 1234567u + 7919u * (uint64_t)point;
  for (int i = 0; i < total; i++) z[i] = 1.2 * draw(), w[i] = draw();
  for (int i = 0; i < n; i++) index[i] = (int)((draw() + 1) * 0.5 * n) % n;
  scalar(e->primal, z, w, index, n, after);
  for (int i = 0; i < total; i++) {
    for (int j = 0; j < total; j++) v[j] = j == i;
    slope[i] = difference(e->exact, z, v, 1e-3, w, index, n, &error[i]);
    if (fabs(slope[i]) > largest) largest = fabs(slope[i]);
  }
  if (e->reverse) {
    double *x = malloc(n * sizeof(double)), *y = malloc(n * sizeof(double)), *dx = malloc(n * sizeof(double)),
           *dy = malloc(n * sizeof(double));
    memcpy(x, z, n * sizeof(double));
    memcpy(y, z + n, n * sizeof(double));
    memcpy(dx, w, n * sizeof(double));
    memcpy(dy, w + n, n * sizeof(double));
    gradient[2 * n] = e->reverse(x, dx, y, dy, index, n, z[2 * n]);
    memcpy(gradient, dx, n * sizeof(double));
    memcpy(gradient + n, dy, n * sizeof(double));
    for (int i = 0; i < n; i++) {
      compare(e->name, "memory-reverse", i, x[i], after[i], 1e-9);
      compare(e->name, "memory-reverse", n + i, y[i], after[n + i], 1e-9);
    }
    free(x), free(y), free(dx), free(dy);
  } else {
    double other;
    for (int i = 0; i < total; i++) {
      for (int j = 0; j < total; j++) v[j] = j == i;
      gradient[i] = difference(e->exact, z, v, 2.3e-4, w, index, n, &other);
      error[i] += other;
    }
  }
  int soft = 0;
  double relative = e->coarse > 0 ? e->coarse : 1e-6, exact = e->coarse > 0 ? e->coarse : 1e-9;
  for (int i = 0; i < total; i++) {
    if (error[i] > 1e-5 * largest) soft++;
    else compare(e->name, "reverse", i, gradient[i], slope[i], ALLOWED(slope[i], error[i]));
  }
  for (int round = 0; round < 2 && e->forward; round++) {
    double along = 0, norm = 0, uncertain = 0, dresult;
    double *x = malloc(n * sizeof(double)), *y = malloc(n * sizeof(double)), *dx = malloc(n * sizeof(double)),
           *dy = malloc(n * sizeof(double));
    for (int i = 0; i < total; i++) v[i] = draw();
    for (int i = 0; i < n; i++) x[i] = z[i], y[i] = z[n + i], dx[i] = v[i], dy[i] = v[n + i];
    dresult = e->forward(x, dx, y, dy, index, n, z[2 * n], v[2 * n]);
    for (int i = 0; i < n; i++) {
      dresult += w[i] * dx[i] + w[n + i] * dy[i];
      compare(e->name, "memory-forward", i, x[i], after[i], 1e-9);
      compare(e->name, "memory-forward", n + i, y[i], after[n + i], 1e-9);
    }
    for (int i = 0; i < total; i++) along += gradient[i] * v[i], norm += fabs(gradient[i] * v[i]);
    if (e->reverse)
      compare(e->name, "dot", round, dresult, along, exact * (norm + 0.01 * largest) + 1e-12);
    double expected = difference(e->exact, z, v, 1e-3, w, index, n, &uncertain);
    if (uncertain > 1e-5 * largest) soft++;
    else compare(e->name, "forward", round, dresult, expected, ALLOWED(expected, uncertain));
    free(x), free(y), free(dx), free(dy);
  }
  if (soft) {
    softs++;
    printf("soft %s %d\\n", e->name, soft);
  }
  double sum = 0;
  for (int i = 0; i < total; i++) sum += fabs(gradient[i]);
  printf("size %s %.3g\\n", e->name, sum);
}

int main(int count, char **arguments) {
  for (int k = 0; k < (int)(sizeof entries / sizeof *entries); k++) {
    if (count > 1 && strcmp(arguments[1], entries[k].name)) continue;
    printf("begin %s\\n", entries[k].name);
    fflush(stdout);
    for (int point = 0; point < 3; point++) check(&entries[k], point, point == 0 ? 7 : point == 1 ? 3 : 6);
    printf("end %s\\n", entries[k].name);
    fflush(stdout);
  }
  return failures ? 1 : 0;
}
"""


def wrappers(name: str) -> str:
    """The two calls of the engine for one function."""
    return f"""\
static NOINLINE double {name}_reverse(double *x, double *dx, double *y, double *dy, const int *index, int n,
                                      double p) {{
  return __enzyme_autodiff((void *){name}, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, index, enzyme_const, n,
                           enzyme_out, p);
}}
static NOINLINE double {name}_forward(double *x, double *dx, double *y, double *dy, const int *index, int n, double p,
                                      double dp) {{
  return __enzyme_fwddiff((void *){name}, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, index, enzyme_const, n,
                          enzyme_dup, p, dp);
}}
"""


def source(functions: Sequence[FuzzFunction], reference: bool = False) -> str:
    """A whole program. ``reference`` leaves the engine out: differences stand in for the reverse gradient."""
    parts = [PRELUDE]
    rows = []
    for function in functions:
        name = function.name
        parts.append(function.render())
        if function.mixed:
            parts.append(function.render(twin=True))
        if not reference:
            parts.append(wrappers(name))
        exact = f"{name}_twin" if function.mixed else name
        derivatives = "0, 0" if reference else f"{name}_reverse, {name}_forward"
        rows.append(f'  {{"{name}", {name}, {exact}, {derivatives}, {"2e-3" if function.mixed else "0"}}},')
    harness = HARNESS.split("static uint64_t state;", 1)
    parts += [harness[0], "static const struct entry entries[] = {", *rows, "};", "static uint64_t state;" + harness[1]]
    return "\n".join(parts)
