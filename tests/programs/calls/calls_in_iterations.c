/* Loops that call functions of their own, with local arrays that these fill, read, fill in part, or change from one
 * iteration to the next; places of one array given side by side; functions that allocate, keep an address, count what
 * they do, come back early, never come back, or call themselves. Whether iterations may run again, in the reverse sweep
 * or in the forward sweep, hangs on what each function has written when it returns. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 24
#define AGAIN __attribute__((annotate("enzyme_loops=recompute")))

int rounds = 7; /* nobody knows that it stays so */

/* Fills its array, in two loops. */
static NOINLINE void fill(const double *p, double *out, int n) {
  for (int i = 0; i < n; i++) out[i] = p[i % 3] * (i + 1);
  for (int i = 0; i < n; i++) out[i] = sin(out[i]) + out[(i + 1) % n] * 0.25;
}
/* Fills pairs: two stores in each round. */
static NOINLINE void pairs(const double *p, double *out) {
  for (int i = 0; i < 4; i++) out[2 * i] = p[i] * p[i], out[2 * i + 1] = p[i] + 0.1 * i;
}
/* Fills every other number only. */
static NOINLINE void gaps(const double *p, double *out) {
  for (int i = 0; i < 4; i++) out[2 * i] = p[i] * p[i];
}
/* Fills what is asked for, perhaps nothing. */
static NOINLINE void some(const double *p, double *out, int n) {
  for (int i = 0; i < n; i++) out[i] = p[i] * p[0];
}
/* Fills where something holds. */
static NOINLINE void where(const double *p, double *out, int m) {
  for (int i = 0; i < 8; i++)
    if (i % m) out[i] = p[i] * p[0];
}
/* Until something holds. */
static NOINLINE void until(const double *p, double *out) {
  for (int i = 0; i < 8; i++) {
    out[i] = p[i] * p[0];
    if (p[i] > 0.85) break;
  }
}
/* Comes back early on one way. */
static NOINLINE void early(const double *p, double *out, int skip) {
  out[0] = p[0] * p[1];
  if (skip) return;
  out[1] = p[1] * p[2];
}
/* Fills by rows. */
static NOINLINE void rows(const double *p, double *out, int m) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m; j++) out[i * m + j] = p[i] * p[j] + (i == j);
}
/* By rows with a gap at the end of each. */
static NOINLINE void short_rows(const double *p, double *out, int m) {
  for (int i = 0; i < m; i++)
    for (int j = 0; j < m - 1; j++) out[i * m + j] = p[i] * p[j] + (i == j);
}
static NOINLINE double total(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * a[i] * (i + 1);
  return s;
}
/* Reads the first two, whatever it is given. */
static NOINLINE double first_two(const double *a) { return a[0] * a[1] + sin(a[0]); }
/* In and out: one step of a small system. */
static NOINLINE void step(double *y, const double *p) {
  double a = y[0], b = y[1];
  y[0] = a + 0.1 * b * p[0], y[1] = b - 0.1 * sin(a) * p[1];
}
/* Writes through the second and reads through the first. */
static NOINLINE double between(double *a, double *b) {
  b[0] = a[0] * 1.5;
  a[1] += b[0];
  return a[0] * b[0] + a[1];
}
static double *kept;
static int counted;
static NOINLINE double counts(const double *p, int i) {
  counted++;
  return p[0] * p[1] * (i % 3) + (counted > 1000000);
}
/* Memory of its own; some with a way out on which it is freed, too. */
static NOINLINE double allocates(const double *p, int m, int way) {
  double *a = (double *)malloc((m + 1) * sizeof(double)), s = 0;
  for (int i = 0; i <= m; i++) a[i] = p[i % 3] * (0.1 * i + 0.5);
  if (way % 4 == 3) {
    s = a[0] * a[m];
    free(a);
    return s;
  }
  for (int i = 1; i <= m; i++) a[i] = sin(a[i - 1]) * a[i];
  for (int i = 0; i <= m; i++) s += a[i] * a[i];
  free(a);
  return s;
}
/* Memory that it keeps for the next call. */
static NOINLINE double remembers(const double *p, int m) {
  if (!kept) {
    kept = (double *)malloc(4 * sizeof(double));
    for (int i = 0; i < 4; i++) kept[i] = 0;
  }
  double s = kept[m % 4] * p[1];
  kept[m % 4] = p[0] * p[2] + s * 0.5;
  return s + kept[(m + 1) % 4];
}
static NOINLINE double itself(const double *p, double *out, int n) {
  out[n % 4] = p[n % 3] * (n + 1);
  if (n == 0) return out[0] + out[1];
  double s = itself(p, out, n - 1);
  return s * out[n % 4] + out[(n + 1) % 4];
}
static NOINLINE void leaves(const double *p, double *out, int bad) {
  if (bad > 1000) exit(3);
  out[0] = p[0] * p[2];
}

#define FUNCTION(name) AGAIN static double name(const double *x)
FUNCTION(in_fill) {
  double s = 0, t = 1;
  for (int k = 0; k < rounds; k++) {
    double a[9];
    fill(x + k, a, 9);
    s += total(a, 9), t = 0.5 * t * sin(a[k % 9]) + a[3];
  }
  return s + t;
}
FUNCTION(in_pairs) {
  double s = 1;
  for (int k = 0; k < rounds; k++) {
    double a[8];
    pairs(x + k, a);
    s = 0.7 * s + sin(0.02 * s * total(a, 8));
  }
  return s;
}
/* What an iteration does not write is from the one before it. */
FUNCTION(in_gaps) {
  double s = 1, a[8];
  for (int i = 0; i < 8; i++) a[i] = x[i];
  for (int k = 0; k < rounds; k++) {
    gaps(x + k, a);
    s = 0.7 * s + sin(0.1 * s * total(a, 8));
    a[1 + 2 * (k % 4)] += 0.1 * s;
  }
  return s;
}
FUNCTION(in_some) {
  double s = 1, a[8];
  for (int i = 0; i < 8; i++) a[i] = x[i];
  for (int k = 0; k < rounds; k++) {
    some(x + k, a, k == 3 ? 0 : k);
    s = 0.7 * s + sin(0.1 * s * total(a, 7));
  }
  return s;
}
FUNCTION(in_where) {
  double s = 1, a[8];
  for (int i = 0; i < 8; i++) a[i] = x[i];
  for (int k = 0; k < rounds; k++) {
    where(x + k, a, k % 4 + 1);
    s = 0.7 * s + sin(0.1 * s * total(a, 8));
    a[3] = s * a[2];
  }
  return s;
}
FUNCTION(in_until) {
  double s = 1, a[8];
  for (int i = 0; i < 8; i++) a[i] = x[i];
  for (int k = 0; k < rounds; k++) {
    until(x + k, a);
    s = 0.7 * s + sin(0.1 * s * total(a, 8));
    a[7] = s * a[2];
  }
  return s;
}
FUNCTION(in_early) {
  double s = 0, a[2] = {x[0], x[1]};
  for (int k = 0; k < rounds; k++) {
    early(x + k, a, k % 3 == 1);
    s += a[0] * a[1];
  }
  return s;
}
FUNCTION(in_rows) {
  double s = 1;
  for (int k = 0; k < rounds; k++) {
    double a[25];
    rows(x + k, a, 5);
    s = 0.7 * s + sin(0.01 * s * total(a, 25)) + a[k];
  }
  return s;
}
FUNCTION(in_short_rows) {
  double s = 1, a[25];
  for (int i = 0; i < 25; i++) a[i] = 0.1 * i;
  for (int k = 0; k < rounds; k++) {
    short_rows(x + k, a, 5);
    s = 0.7 * s + sin(0.01 * s * total(a, 25));
    for (int i = 0; i < 5; i++) a[5 * i + 4] = s * x[i];
  }
  return s;
}
/* The first two are written, the others never are. */
FUNCTION(in_first_two) {
  double s = 1;
  for (int k = 0; k < rounds; k++) {
    double a[16];
    a[0] = x[k] * s, a[1] = x[k + 1];
    s = 0.5 * s + first_two(a);
  }
  return s;
}
FUNCTION(in_step) {
  double s = 0;
  for (int k = 0; k < rounds; k++) {
    double y[2] = {x[k], x[k + 1]};
    for (int t = 0; t < 5; t++) step(y, x + 3);
    s += y[0] * y[0] + y[1];
  }
  return s;
}
/* The state goes on from iteration to iteration. */
FUNCTION(in_on) {
  double s = 0, y[2] = {x[0], x[1]};
  for (int k = 0; k < rounds; k++) {
    for (int t = 0; t < 5; t++) step(y, x + k);
    s += y[0] * y[0] + y[1];
  }
  return s;
}
/* Places of one array, side by side, some the same. */
FUNCTION(in_places) {
  double s = 1, a[6];
  for (int k = 0; k < rounds; k++) {
    for (int i = 0; i < 6; i++) a[i] = x[k + i] * sin(s);
    s = 0.5 * s + 0.1 * sin(between(a, a + 2)) + 0.1 * sin(between(a + 1, a + 2)) + 0.1 * cos(between(a + 3, a + 3));
    s += 0.1 * sin(a[1] * a[2] + a[4]);
  }
  return s;
}
FUNCTION(in_counts) {
  double s = 1;
  for (int k = 0; k < rounds; k++) s = 0.5 * s + sin(s * counts(x + k, k));
  return s;
}
FUNCTION(in_allocates) {
  double s = 0, t = 1;
  for (int k = 0; k < rounds; k++) {
    double v = allocates(x + k, 3 + k, k);
    s += log(1 + v * v), t = 0.5 * t + sin(v * t);
  }
  return s + t;
}
/* The same in the loop itself. */
FUNCTION(in_allocated) {
  double t = 1;
  for (int k = 0; k < rounds; k++) {
    double *a = (double *)malloc((k + 2) * sizeof(double)), v = 0;
    a[0] = x[k];
    for (int i = 1; i < k + 2; i++) a[i] = a[i - 1] * x[i] + 0.3;
    for (int i = 0; i < k + 2; i++) v += a[i] * a[i];
    free(a);
    t = 0.5 * t + 0.2 * sin(v * t);
  }
  return t;
}
/* A block that goes from one iteration to the next. */
FUNCTION(in_handed_on) {
  double t = 1, *a = (double *)malloc(3 * sizeof(double));
  a[0] = x[0], a[1] = x[1], a[2] = x[2];
  for (int k = 0; k < rounds; k++) {
    double *b = (double *)malloc(3 * sizeof(double));
    for (int i = 0; i < 3; i++) b[i] = 0.5 * a[(i + 1) % 3] * x[k] + 0.4 * a[i];
    free(a);
    a = b;
    t = 0.5 * t + 0.1 * sin(first_two(a) * t);
  }
  t += 0.1 * a[2];
  free(a);
  return t;
}
FUNCTION(in_remembers) {
  double s = 1;
  for (int k = 0; k < rounds + 3; k++) s = 0.5 * s + sin(s * remembers(x + k, k));
  free(kept);
  kept = NULL;
  return s;
}
FUNCTION(in_by_itself) {
  double s = 1;
  for (int k = 0; k < rounds; k++) {
    double a[4] = {x[k], x[k + 1], 0.5, s};
    s = 0.5 * s + sin(0.1 * itself(x + k, a, 2 + k % 4));
  }
  return s;
}
/* Functions that call each other, behind one that does not. */
static NOINLINE double odd(const double *p, double *out, int n);
static NOINLINE double even(const double *p, double *out, int n) {
  out[n % 4] = p[n] * 0.5;
  return n ? odd(p, out, n - 1) * p[n] : p[0];
}
static NOINLINE double odd(const double *p, double *out, int n) {
  out[n % 3] += p[n];
  return n ? even(p, out, n - 1) + p[n] : p[1];
}
static NOINLINE double before_even(const double *p, double *out, int n) { return 0.5 * even(p, out, n) + out[1]; }
FUNCTION(in_turns) {
  double s = 1;
  for (int k = 0; k < rounds; k++) {
    double a[4] = {x[k], x[k + 1], 0.5, s};
    s = 0.5 * s + sin(0.1 * before_even(x + k, a, 3 + k % 3));
  }
  return s;
}
FUNCTION(in_leaves) {
  double s = 1;
  for (int k = 0; k < rounds; k++) {
    double a[1];
    leaves(x + k, a, k);
    s = 0.5 * s + sin(a[0] * s);
  }
  return s;
}

DERIVED(in_fill)
DERIVED(in_pairs)
DERIVED(in_gaps)
DERIVED(in_some)
DERIVED(in_where)
DERIVED(in_until)
DERIVED(in_early)
DERIVED(in_rows)
DERIVED(in_short_rows)
DERIVED(in_first_two)
DERIVED(in_step)
DERIVED(in_on)
DERIVED(in_places)
DERIVED(in_counts)
DERIVED(in_allocates)
DERIVED(in_allocated)
DERIVED(in_handed_on)
DERIVED(in_remembers)
DERIVED(in_by_itself)
DERIVED(in_turns)
DERIVED(in_leaves)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.6 + 0.3 * sin(1.7 * i + 0.4);
  CHECK_DERIVED(in_fill, x);
  CHECK_DERIVED(in_pairs, x);
  CHECK_DERIVED(in_gaps, x);
  CHECK_DERIVED(in_some, x);
  CHECK_DERIVED(in_where, x);
  CHECK_DERIVED(in_until, x);
  CHECK_DERIVED(in_early, x);
  CHECK_DERIVED(in_rows, x);
  CHECK_DERIVED(in_short_rows, x);
  CHECK_DERIVED(in_first_two, x);
  CHECK_DERIVED(in_step, x);
  CHECK_DERIVED(in_on, x);
  CHECK_DERIVED(in_places, x);
  CHECK_DERIVED(in_counts, x);
  CHECK_DERIVED(in_allocates, x);
  CHECK_DERIVED(in_allocated, x);
  CHECK_DERIVED(in_handed_on, x);
  CHECK_DERIVED(in_remembers, x);
  CHECK_DERIVED(in_by_itself, x);
  CHECK_DERIVED(in_turns, x);
  CHECK_DERIVED(in_leaves, x);
  return check_done();
}
