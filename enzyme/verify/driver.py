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

from enzyme.verify.nests import SHAPES, length
from enzyme.verify.prelude import PRELUDE
from enzyme.verify.program import FuzzFunction

MANY = 12
"""Lanes of a wide derivative: registers do not divide it."""

HARNESS = """\
#define SLOTS (2 * MOST + 1)
typedef double (*primal_fn)(double *, double *, const int *, int, double);
typedef double (*reverse_fn)(double *, double *, double *, double *, const int *, int, double);
typedef double (*forward_fn)(double *, double *, double *, double *, const int *, int, double, double);
typedef double (*second_fn)(double *, double *, double *, double *, double *, double *, double *, double *, const int *,
                            int, double, double);
typedef struct two (*lanes_fn)(double *, double *, double *, double *, double *, double *, const int *, int, double);
typedef struct two (*forward_lanes_fn)(double *, double *, double *, double *, double *, double *, const int *, int,
                                       double, double, double);
typedef struct many (*wide_fn)(double *, double *, double *, double *, const int *, int, double);
struct entry {
  const char *name;
  primal_fn primal, exact;
  reverse_fn reverse;
  forward_fn forward;
  double coarse;
  int nests;
  second_fn over_reverse, over_forward;
  lanes_fn lanes;
  forward_lanes_fn forward_lanes;
  wide_fn wide, wide_forward;
};

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

/* A difference over less, where one is not what is expected: it may have stepped over a kink. */
static NOINLINE double nearer(primal_fn f, const double *z, const double *v, const double *w, const int *index, int n,
                              double got, double bound, double first, double *error) {
  for (double h = 1e-4; fabs(got - first) > bound && h > 5e-6; h /= 10)
    first = difference(f, z, v, h, w, index, n, error);
  return first;
}

/* x and y of one point, and what goes beside them, as blocks of exactly n numbers; out takes what is in them then. */
static NOINLINE double *block(const double *from, int n) {
  double *made = calloc(n, sizeof(double));
  if (from) memcpy(made, from, n * sizeof(double));
  return made;
}
static NOINLINE void gradient_at(reverse_fn f, const double *z, const double *w, const int *index, int n, double *out) {
  double *x = block(z, n), *y = block(z + n, n), *dx = block(w, n), *dy = block(w + n, n);
  out[2 * n] = f(x, dx, y, dy, index, n, z[2 * n]);
  memcpy(out, dx, n * sizeof(double));
  memcpy(out + n, dy, n * sizeof(double));
  free(x), free(y), free(dx), free(dy);
}
static NOINLINE void tangent_at(forward_fn f, const double *z, const double *v, const int *index, int n, double *out) {
  double *x = block(z, n), *y = block(z + n, n), *dx = block(v, n), *dy = block(v + n, n);
  out[2 * n] = f(x, dx, y, dy, index, n, z[2 * n], v[2 * n]);
  memcpy(out, dx, n * sizeof(double));
  memcpy(out + n, dy, n * sizeof(double));
  free(x), free(y), free(dx), free(dy);
}

static void small_difference(const struct entry *e, const double *z, const double *v, double h, const double *w,
                             const int *index, int n, double *out) {
  double plus[SLOTS], minus[SLOTS], up[SLOTS], down[SLOTS];
  for (int i = 0; i <= 2 * n; i++) plus[i] = z[i] + h * v[i], minus[i] = z[i] - h * v[i];
  gradient_at(e->reverse, plus, w, index, n, up);
  gradient_at(e->reverse, minus, w, index, n, down);
  for (int i = 0; i <= 2 * n; i++) out[i] = (up[i] - down[i]) / (2 * h);
}
/* Derivatives of the gradient along v by differences, with what they are in doubt by; the largest one. */
static double second_differences(const struct entry *e, const double *z, const double *v, double h, const double *w,
                                 const int *index, int n, double *want, double *doubt) {
  double a[SLOTS], b[SLOTS], c[SLOTS], largest = 1e-6;
  small_difference(e, z, v, h, w, index, n, a);
  small_difference(e, z, v, h / 2, w, index, n, b);
  small_difference(e, z, v, h / 4, w, index, n, c);
  for (int i = 0; i <= 2 * n; i++) {
    double ab = b[i] + (b[i] - a[i]) / 3, bc = c[i] + (c[i] - b[i]) / 3;
    want[i] = bc + (bc - ab) / 15;
    doubt[i] = fabs(want[i] - bc) + fabs(bc - ab) * 0.05;
    if (fabs(want[i]) > largest) largest = fabs(want[i]);
  }
  return largest;
}
static double second_bound(double want, double largest, double doubt) {
  return 1e-5 * (fabs(want) + 0.02 * largest) + 30 * doubt + 1e-9;
}
static int second_differs(double got, double want, double largest, double doubt) {
  return !(fabs(got - want) <= second_bound(want, largest, doubt));
}
/* Whether differences over less are what some numbers are that differ from those over more: these may have stepped over
   a kink. What is in doubt does not count. */
static int second_agrees(const struct entry *e, const double *z, const double *v, const double *w, const int *index,
                         int n, const double *got, const char *differs) {
  double want[SLOTS], doubt[SLOTS];
  for (double h = 1e-4; h > 5e-7; h /= 10) {
    double largest = second_differences(e, z, v, h, w, index, n, want, doubt);
    int agrees = 1;
    for (int i = 0; i <= 2 * n; i++)
      if (differs[i] && (doubt[i] > 1e-5 * largest || second_differs(got[i], want[i], largest, doubt[i]))) agrees = 0;
    if (agrees) return 1;
  }
  return 0;
}
/* Hessian times v: forward over reverse and reverse over forward against differences of the gradient. */
static NOINLINE int check_second(const struct entry *e, const double *z, const double *w, const int *index, int n) {
  double v[SLOTS], want[SLOTS], doubt[SLOTS], got[SLOTS];
  int soft = 0, total = 2 * n + 1;
  for (int i = 0; i < total; i++) v[i] = draw();
  double largest = second_differences(e, z, v, 1e-3, w, index, n, want, doubt);
  for (int kind = 0; kind < 2; kind++) {
    second_fn f = kind ? e->over_forward : e->over_reverse;
    char differs[SLOTS] = {0};
    int many = 0;
    if (!f) continue;
    double *x = block(z, n), *y = block(z + n, n), *vx = block(v, n), *vy = block(v + n, n), *wx = block(w, n),
           *wy = block(w + n, n), *hx = block(0, n), *hy = block(0, n);
    if (kind) got[2 * n] = f(x, hx, vx, wx, y, hy, vy, wy, index, n, z[2 * n], v[2 * n]);
    else got[2 * n] = f(x, vx, wx, hx, y, vy, wy, hy, index, n, z[2 * n], v[2 * n]);
    memcpy(got, hx, n * sizeof(double));
    memcpy(got + n, hy, n * sizeof(double));
    for (int i = 0; i < total; i++) {
      if (doubt[i] > 1e-5 * largest) soft++;
      else many += differs[i] = second_differs(got[i], want[i], largest, doubt[i]);
    }
    if (many && second_agrees(e, z, v, w, index, n, got, differs)) soft += many, many = 0;
    for (int i = 0; i < total && many; i++)
      if (differs[i])
        compare(e->name, kind ? "reverse-over-forward" : "forward-over-reverse", i, got[i], want[i],
                second_bound(want[i], largest, doubt[i]));
    free(x), free(y), free(vx), free(vy), free(wx), free(wy), free(hx), free(hy);
  }
  return soft;
}
/* Two lanes against two derivatives of one lane. */
static NOINLINE void check_lanes(const struct entry *e, const double *z, const double *w, const int *index, int n) {
  double v[2][SLOTS], one[SLOTS], got[2][SLOTS];
  double exact = e->coarse > 0 ? e->coarse : 1e-9;
  for (int i = 0; i < 2 * n + 1; i++) v[0][i] = w[i], v[1][i] = draw();
  for (int kind = 0; kind < 2; kind++) {
    double *x = block(z, n), *y = block(z + n, n), *xa = block(v[0], n), *xb = block(v[1], n), *ya = block(v[0] + n, n),
           *yb = block(v[1] + n, n);
    struct two r = kind ? e->forward_lanes(x, xa, xb, y, ya, yb, index, n, z[2 * n], v[0][2 * n], v[1][2 * n])
                        : e->lanes(x, xa, xb, y, ya, yb, index, n, z[2 * n]);
    memcpy(got[0], xa, n * sizeof(double)), memcpy(got[0] + n, ya, n * sizeof(double)), got[0][2 * n] = r.a;
    memcpy(got[1], xb, n * sizeof(double)), memcpy(got[1] + n, yb, n * sizeof(double)), got[1][2 * n] = r.b;
    free(x), free(y), free(xa), free(xb), free(ya), free(yb);
    for (int lane = 0; lane < 2; lane++) {
      double largest = 1e-6;
      if (kind) tangent_at(e->forward, z, v[lane], index, n, one);
      else gradient_at(e->reverse, z, v[lane], index, n, one);
      for (int i = 0; i < 2 * n + 1; i++) largest = fabs(one[i]) > largest ? fabs(one[i]) : largest;
      for (int i = 0; i < 2 * n + 1; i++)
        compare(e->name, kind ? "forward-lanes" : "reverse-lanes", 100 * lane + i, got[lane][i], one[i],
                exact * (fabs(one[i]) + 0.01 * largest) + 1e-12);
    }
  }
}

/* Many lanes, whose shadows lie one behind the other, against derivatives of one lane; in every other one only the
   matrices, in every third only the rest move. */
static NOINLINE void check_wide(const struct entry *e, const double *z, const int *index, int n) {
  double one[SLOTS];
  for (int kind = 0; kind < 2; kind++) {
    double *xs = malloc(MANY * n * sizeof(double)), *ys = malloc(MANY * n * sizeof(double)),
           *seeds = calloc(MANY * (2 * n + 1), sizeof(double));
    for (int lane = 0; lane < MANY; lane++)
      for (int i = 0; i < n; i++) {
        int still = i < rows * cols ? lane % 3 == 2 : lane % 2;
        double *seed = seeds + lane * (2 * n + 1);
        xs[lane * n + i] = seed[i] = still ? 0 : draw();
        ys[lane * n + i] = seed[n + i] = still ? 0 : draw();
      }
    double *x = block(z, n), *y = block(z + n, n);
    struct many r = (kind ? e->wide_forward : e->wide)(x, xs, y, ys, index, n, z[2 * n]);
    free(x), free(y);
    for (int lane = 0; lane < MANY; lane++) {
      double largest = 1e-6;
      double *seed = seeds + lane * (2 * n + 1);
      if (kind) tangent_at(e->forward, z, seed, index, n, one);
      else gradient_at(e->reverse, z, seed, index, n, one);
      for (int i = 0; i < 2 * n + 1; i++) largest = fabs(one[i]) > largest ? fabs(one[i]) : largest;
      for (int i = 0; i < 2 * n + 1; i++)
        compare(e->name, kind ? "forward-wide" : "reverse-wide", 10000 * lane + i,
                i < n ? xs[lane * n + i] : i < 2 * n ? ys[lane * n + i - n] : r.v[lane], one[i],
                1e-9 * (fabs(one[i]) + 0.01 * largest) + 1e-12);
    }
    free(xs), free(ys), free(seeds);
  }
}

/* Whether the twin in doubles computes what the program in floats does. A comparison of a number with itself rounded is
   decided otherwise in the twin: its differences say nothing about the program's derivative then. */
static NOINLINE int same_way(const struct entry *e, const double *z, const double *w, const int *index, int n,
                             const double *after) {
  double twin[SLOTS];
  if (e->exact == e->primal) return 1;
  scalar(e->exact, z, w, index, n, twin);
  for (int i = 0; i < 2 * n + 1; i++)
    if (!(fabs(twin[i] - after[i]) <= e->coarse * (1 + fabs(after[i])))) return 0;
  return 1;
}

#define ALLOWED(value, doubt) (relative * (fabs(value) + 0.02 * largest) + 30 * (doubt) + 1e-10)
static NOINLINE void check(const struct entry *e, int point, int n) {
  double z[SLOTS], w[SLOTS], v[SLOTS], after[SLOTS], slope[SLOTS], error[SLOTS], gradient[SLOTS] = {0};
  int index[MOST], asked[SLOTS], total = 2 * n + 1;
  double largest = 1e-6;
  state = 1234567u + 7919u * (uint64_t)point;
  for (int i = 0; i < total; i++) z[i] = 1.2 * draw(), w[i] = draw();
  for (int i = 0; i < n; i++) index[i] = (int)((draw() + 1) * 0.5 * n) % n;
  scalar(e->primal, z, w, index, n, after);
  /* Of many numbers a few; directions, which take all of them in, say the rest. */
  for (int i = 0; i < total; i++) asked[i] = total <= 60 || i == total - 1 || draw() > 1 - 40.0 / total;
  for (int i = 0; i < total; i++) {
    if (!asked[i]) continue;
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
      if (!asked[i]) continue;
      for (int j = 0; j < total; j++) v[j] = j == i;
      gradient[i] = difference(e->exact, z, v, 2.3e-4, w, index, n, &other);
      error[i] += other;
    }
  }
  int soft = 0, judged = same_way(e, z, w, index, n, after);
  double relative = e->coarse > 0 ? e->coarse : 1e-6, exact = e->coarse > 0 ? e->coarse : 1e-9;
  for (int i = 0; i < total; i++) {
    if (!asked[i]) continue;
    double bound = ALLOWED(slope[i], error[i]);
    for (int j = 0; j < total; j++) v[j] = j == i;
    slope[i] = nearer(e->exact, z, v, w, index, n, gradient[i], bound, slope[i], &error[i]);
    if (!judged || error[i] > 1e-5 * largest) soft++;
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
    double bound = ALLOWED(expected, uncertain);
    expected = nearer(e->exact, z, v, w, index, n, dresult, bound, expected, &uncertain);
    if (!judged || uncertain > 1e-5 * largest) soft++;
    else compare(e->name, "forward", round, dresult, expected, ALLOWED(expected, uncertain));
    free(x), free(y), free(dx), free(dy);
  }
  if (e->over_reverse || e->over_forward) soft += check_second(e, z, w, index, n);
  if (e->lanes) check_lanes(e, z, w, index, n);
  if (e->wide) check_wide(e, z, index, n);
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
    int points = entries[k].nests ? (int)(sizeof shapes / sizeof *shapes) : 3;
    for (int point = 0; point < points; point++) {
      if (entries[k].nests) {
        rows = shapes[point][0], cols = shapes[point][1];
        check(&entries[k], point, shapes[point][2]);
      } else {
        check(&entries[k], point, point == 0 ? 7 : point == 1 ? 3 : 6);
      }
    }
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


def _second(name: str) -> str:
    """Forward over reverse and reverse over forward: the derivative of the two calls above."""
    return f"""\
static NOINLINE double {name}_over_reverse(double *x, double *vx, double *wx, double *hx, double *y, double *vy,
                                           double *wy, double *hy, const int *index, int n, double p, double vp) {{
  return __enzyme_fwddiff((void *){name}_reverse, enzyme_dup, x, vx, enzyme_dup, wx, hx, enzyme_dup, y, vy, enzyme_dup,
                          wy, hy, enzyme_const, index, enzyme_const, n, enzyme_dup, p, vp);
}}
static NOINLINE double {name}_over_forward(double *x, double *hx, double *vx, double *wx, double *y, double *hy,
                                           double *vy, double *wy, const int *index, int n, double p, double vp) {{
  return __enzyme_autodiff((void *){name}_forward, enzyme_dup, x, hx, enzyme_dup, vx, wx, enzyme_dup, y, hy, enzyme_dup,
                           vy, wy, enzyme_const, index, enzyme_const, n, enzyme_out, p, enzyme_const, vp);
}}
"""


def _lanes(name: str) -> str:
    """Derivatives of two lanes in both modes."""
    return f"""\
static NOINLINE struct two {name}_lanes(double *x, double *xa, double *xb, double *y, double *ya, double *yb,
                                        const int *index, int n, double p) {{
  return __enzyme_autodiff_two((void *){name}, enzyme_width, 2, enzyme_dup, x, xa, xb, enzyme_dup, y, ya, yb,
                               enzyme_const, index, enzyme_const, n, enzyme_out, p);
}}
static NOINLINE struct two {name}_forward_lanes(double *x, double *xa, double *xb, double *y, double *ya, double *yb,
                                                const int *index, int n, double p, double pa, double pb) {{
  return __enzyme_fwddiff_two((void *){name}, enzyme_width, 2, enzyme_dup, x, xa, xb, enzyme_dup, y, ya, yb,
                              enzyme_const, index, enzyme_const, n, enzyme_dup, p, pa, pb);
}}
"""


def _wide(name: str) -> str:
    """Derivatives of many lanes in both modes."""
    rest = "enzyme_const, index, enzyme_const, n"
    arrays = "enzyme_dupv, n * sizeof(double), x, xs, enzyme_dupv, n * sizeof(double), y, ys"
    parameters = "double *x, double *xs, double *y, double *ys, const int *index, int n, double p"
    return f"""\
static NOINLINE struct many {name}_wide({parameters}) {{
  return __enzyme_autodiff_many((void *){name}, enzyme_width, MANY, {arrays}, {rest}, enzyme_out, p);
}}
static NOINLINE struct many {name}_wide_forward({parameters}) {{
  return __enzyme_fwddiff_many((void *){name}, enzyme_width, MANY, {arrays}, {rest}, enzyme_const, p);
}}
"""


def source(functions: Sequence[FuzzFunction], reference: bool = False) -> str:
    """A whole program. ``reference`` leaves the engine out: differences stand in for the reverse gradient."""
    most = max([8, *(length(*shape) for shape in SHAPES if any(f.nests for f in functions))])
    shapes = ", ".join(f"{{{rows}, {cols}, {length(rows, cols)}}}" for rows, cols in SHAPES)
    parts = [PRELUDE, f"#define MOST {most}", "int rows, cols;", f"static const int shapes[][3] = {{{shapes}}};"]
    parts += [f"#define MANY {MANY}\nstruct many {{ double v[MANY]; }};"]
    parts += [
        f"extern struct many {call}(void *, ...);" for call in ("__enzyme_autodiff_many", "__enzyme_fwddiff_many")
    ]
    parts += ["extern int enzyme_dupv;"]
    rows = []
    for function in functions:
        name = function.name
        parts.append(function.render())
        if function.mixed:
            parts.append(function.render(twin=True))
        if not reference:
            parts.append(wrappers(name))
            parts += [_second(name)] if "second" in function.checks else []
            parts += [_lanes(name)] if "width" in function.checks else []
            parts += [_wide(name)] if "wide" in function.checks else []
        exact = f"{name}_twin" if function.mixed else name
        derivatives = "0, 0" if reference else f"{name}_reverse, {name}_forward"
        second = "second" in function.checks and not reference
        lanes = "width" in function.checks and not reference
        more = f"{name}_over_reverse, {name}_over_forward, " if second else "0, 0, "
        more += f"{name}_lanes, {name}_forward_lanes, " if lanes else "0, 0, "
        wide = "wide" in function.checks and not reference
        more += f"{name}_wide, {name}_wide_forward" if wide else "0, 0"
        coarse = "2e-3" if function.mixed else "0"
        rows.append(f'  {{"{name}", {name}, {exact}, {derivatives}, {coarse}, {int(function.nests)}, {more}}},')
    harness = HARNESS.split("static uint64_t state;", 1)
    parts += [harness[0], "static const struct entry entries[] = {", *rows, "};", "static uint64_t state;" + harness[1]]
    return "\n".join(parts)
