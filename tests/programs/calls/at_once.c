/* Calls and iterations whose results go into a sum that is returned, and those that only seem to: results that are left
 * out on one way or taken twice, sums that are multiplied as they grow, memory that changes behind the call, scratch
 * that is read again, numbers out of generators, ways out in the middle. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 8

/* what is called */
static NOINLINE double bump(const double *x, int i) { return sin(x[i]) * x[(i + 1) % N] + 0.1 * x[i] * x[i]; }
static NOINLINE double of_number(double a, double b, int times) {
  double s = a;
  for (int i = 0; i < times; i++) s = s * 0.5 + sin(s) * b;
  return s;
}
static NOINLINE double fills(const double *x, double *work, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) work[i] = x[i] * x[i];
  for (int i = 0; i < n; i++) s += work[i] * work[n - 1 - i];
  return s;
}
static NOINLINE double goes_on(const double *x, double *work, int n) { /* reads what an earlier call left */
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += work[i] * x[i];
    work[i] = s * 0.5;
  }
  return s;
}
static NOINLINE double allocates(const double *x, int n) {
  double *work = malloc(sizeof(double) * n), s = 0;
  for (int i = 0; i < n; i++) work[i] = exp(-x[i] * x[i]);
  for (int i = 0; i < n; i++) s += work[i] * work[(i * 3) % n];
  free(work);
  return s;
}

/* sums, one way or another */
static double plain(const double *x) { return bump(x, 0); }
static double two(const double *x) { return bump(x, 1) - 3 * bump(x, 2); }
static double looped(const double *x) {
  double s = 1;
  for (int i = 0; i < N; i++) s += bump(x, i) * (i + 1);
  return s;
}
static double subtracted(const double *x) {
  double s = x[0];
  for (int i = 0; i < N; i++) s -= bump(x, i) / (1 + x[i] * x[i]);
  return s;
}
static double turned(const double *x) { /* the sign changes each time */
  double s = 0;
  for (int i = 0; i < N; i++) s = bump(x, i) - s;
  return s;
}
static double horner(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) s = s * x[i] + bump(x, i);
  return s;
}
static double scaled_behind(const double *x) {
  double s = 0;
  int n = 0;
  for (int i = 0; i < N; i++, n++) s += bump(x, i);
  return s * exp(-x[3]) / n;
}
static double scaled_by_last(const double *x) { /* by what the last round made */
  double s = 0, last = 1;
  for (int i = 0; i < N; i++) {
    last = x[i] * 2 + i;
    s += bump(x, i);
  }
  return s * last;
}
static int times;
static NOINLINE double counted(const double *x, int i) {
  times++;
  return bump(x, i);
}
static double scaled_by_count(const double *x) { /* by what the calls counted */
  double s = 0;
  times = 0;
  for (int i = 0; i < N; i++) s += counted(x, i);
  return s / times;
}
static NOINLINE void moves(double *x, int i) { x[i] += x[i + 1] * 0.5; }
static double scaled_by_moved(const double *in) { /* by what changes behind the calls, but not in what they read */
  double x[N + 2], s = 0;
  for (int i = 0; i < N; i++) x[i] = in[i];
  for (int i = 0; i < N; i++) s += bump(in, i) * in[3];
  moves(x, 4);
  return s * x[4];
}
static double scaled_in_front(const double *x) {
  double s = 0, c = cos(x[5]);
  for (int i = 0; i < N; i++) s += c * bump(x, i);
  return c * s;
}
static double rooted(const double *x) {
  double s = 2;
  for (int i = 0; i < N; i++) s += bump(x, i);
  return sqrt(s * s + 1);
}
static double twice(const double *x) {
  double r = bump(x, 2);
  return r + r;
}
static double squared(const double *x) {
  double r = bump(x, 2);
  return r * r;
}
static double also_used(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    double r = bump(x, i);
    s += r;
    if (i == 3) s += r * r;
  }
  return s;
}
static double left_out(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    double r = bump(x, i);
    if (x[i] > 0) s += r;
  }
  return s;
}
static double left_out_last(const double *x) {
  double s = 0, r = 0;
  for (int i = 0; i < N; i++) {
    s += r;
    r = bump(x, i);
  }
  return s;
}
static double behind_by_one(const double *x) {
  double s = 0, r = 0;
  for (int i = 0; i < N; i++) {
    s += r;
    r = bump(x, i);
  }
  return s + 2 * r;
}
static double one_or_other(const double *x) { return x[0] > 0.5 ? bump(x, 0) : 2 * bump(x, 1); }
static double starts_again(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    if (i == 4) s = x[0];
    s += bump(x, i);
  }
  return s;
}
static double greatest(const double *x) {
  double s = -100;
  for (int i = 0; i < N; i++) {
    double r = bump(x, i);
    s = r > s ? r : s;
  }
  return s;
}
static double until_large(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    s += bump(x, i);
    if (s > 0.9) return s;
  }
  return s * x[7];
}
static double until_enough(const double *x) {
  double s = 0;
  for (int i = 0; i < 3 * N && s < 1.7; i++) s += fabs(bump(x, i % N)) + 0.01;
  return s;
}
static double nested(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    s += x[i];
    for (int j = 0; j <= i % 3; j++) s += bump(x, (i + j) % N) * x[j];
    s -= of_number(x[i], x[0], i);
  }
  return s;
}
static double numbers(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) s += of_number(x[i] * x[i], sin(x[0] + i), i % 4);
  return s;
}
static double number_of_sum(const double *x) { /* given the sum so far */
  double s = 0.3;
  for (int i = 0; i < N; i++) s += of_number(s, x[i], 2);
  return s;
}
static double in_float(const double *x) {
  float s = 0;
  for (int i = 0; i < N; i++) s += (float)bump(x, i);
  return s;
}
static double in_double(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) s += bump(x, i);
  return s;
}

/* memory */
static double changed_behind(const double *in) {
  double x[N], s = 0;
  for (int i = 0; i < N; i++) x[i] = in[i];
  for (int i = 0; i < N; i++) {
    s += bump(x, i);
    x[(i + 1) % N] = x[i] * 0.7 + in[0];
  }
  return s;
}
static double changed_later(const double *in) {
  double x[N], s = 0;
  for (int i = 0; i < N; i++) x[i] = in[i];
  for (int i = 0; i < N; i++) s += bump(x, i);
  x[2] = s;
  return s + x[2] * x[3];
}
static double changed_in_front(const double *in) {
  double x[N], s = 0;
  for (int i = 0; i < N; i++) x[i] = in[i] * in[N - 1 - i];
  for (int i = 0; i < N; i++) s += bump(x, i);
  return s;
}
static double read_behind(const double *in) {
  double x[N], s = 0;
  for (int i = 0; i < N; i++) x[i] = in[i] * in[N - 1 - i];
  for (int i = 0; i < N; i++) s += bump(x, i);
  for (int i = 0; i < N; i++) s += x[i] * x[i];
  return s;
}
static double scratch(const double *x) {
  double work[N], s = 0;
  for (int i = 1; i <= N; i++) s += fills(x, work, i);
  return s;
}
static double scratch_behind(const double *x) { /* what the last call left is read */
  double work[N], s = 0;
  for (int i = 1; i <= N; i++) s += fills(x, work, i);
  for (int i = 0; i < N; i++) s += work[i] * x[0];
  return s;
}
static double scratch_between(const double *x) {
  double work[N], s = 0;
  for (int i = 0; i < N; i++) work[i] = 0;
  for (int i = 1; i <= N; i++) {
    s += work[i - 1];
    s += fills(x, work, i);
  }
  return s;
}
static double goes_on_each(const double *x) {
  double work[N], s = 0;
  for (int i = 0; i < N; i++) work[i] = x[i] * x[i];
  for (int i = 1; i <= N; i++) s += goes_on(x, work, i);
  return s;
}
static double each_allocates(const double *x) {
  double s = 0;
  for (int i = 1; i <= N; i++) s += allocates(x, i) * i;
  return s;
}
static double filled_each(const double *x) { /* what is called reads what this round wrote */
  double work[N], s = 0;
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < N; j++) work[j] = x[j] * (i + 1);
    s += bump(work, i);
  }
  return s;
}
static double kept;
static NOINLINE double notes(const double *x, int i) {
  kept = x[i] * 2;
  return bump(x, i);
}
static double noted(const double *x) { /* a global variable that is read behind */
  double s = 0;
  for (int i = 0; i < N; i++) s += notes(x, i);
  return s + kept * kept;
}
static double factor;
static NOINLINE double by_factor(const double *x, int i) { return factor * bump(x, i); }
static double global_factor(const double *x) {
  double s = 0;
  factor = x[0];
  for (int i = 0; i < N; i++) s += by_factor(x, i);
  return s;
}
static double global_changes(const double *x) {
  double s = 0;
  factor = x[0];
  for (int i = 0; i < N; i++) {
    s += by_factor(x, i);
    factor = factor * x[i] + 1;
  }
  return s;
}
struct item {
  double value;
  struct item *next;
};
static NOINLINE double of_list(const struct item *at) {
  return at ? at->value * at->value + of_list(at->next) * 0.5 : 0;
}
static double list(const double *x) {
  struct item items[N];
  for (int i = 0; i < N; i++) {
    items[i].value = x[i] * (i + 1);
    items[i].next = i + 1 < N ? &items[i + 1] : 0;
  }
  double s = of_list(items);
  return s + of_list(items + 2);
}
static double list_changes(const double *x) {
  struct item items[N];
  for (int i = 0; i < N; i++) {
    items[i].value = x[i] * (i + 1);
    items[i].next = i + 1 < N ? &items[i + 1] : 0;
  }
  double s = of_list(items);
  items[3].value = s;
  return s + of_list(items + 2);
}
static NOINLINE double sometimes(const double *x, int i, double *out) {
  if (i % 3 == 0) *out = x[i] * x[i];
  return bump(x, i);
}
static double written_at_times(const double *x) { /* what an earlier call wrote is read */
  double s = 0, out;
  for (int i = 0; i < N; i++) {
    double r = sometimes(x, i, &out);
    s += r + out * (i + 1);
  }
  return s;
}
static NOINLINE double counts(double s, int i) { return s + i * 0.5; }
static double only_sum(const double *x) { /* nothing but the sum itself has a derivative */
  double s = x[0] * x[1];
  for (int i = 0; i < N; i++) s = counts(s, i);
  return s;
}
static NOINLINE double both_ways(double s, double t, const double *x, int i) { return i & 1 ? s + t * x[i] : t * x[0] + s; }
static double given_twice(const double *x) {
  double s = x[2];
  for (int i = 0; i < N; i++) s = both_ways(s, x[i], x, i);
  for (int i = 0; i < N; i++) s = both_ways(s, s, x, i) * 0.5;
  return s;
}
/* through memory that is given: sums in memory are not asked here */
static NOINLINE void adds(const double *x, int i, double *s) { *s += bump(x, i); }
static double in_memory(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) adds(x, i, &s);
  return s;
}

/* stored in the end, where a parameter says: restricted, since what is read may be no place for results */
#define INTO static NOINLINE void
INTO into_one(const double *restrict x, double *restrict out) {
  double s = 0;
  for (int i = 0; i < N; i++) s += bump(x, i);
  out[0] = s;
}
INTO into_scaled(const double *restrict x, double *restrict out) {
  double s = x[1], n = 0;
  for (int i = 0; i < N; i++, n++) s -= bump(x, i) * x[2];
  out[2] = s * exp(-x[3]) / n;
}
INTO into_added(const double *restrict x, double *restrict out) {
  double s = 0;
  for (int i = 0; i < N; i++) s += bump(x, i);
  out[1] += s;
}
INTO into_read(const double *restrict x, double *restrict out) {
  double s = 0;
  for (int i = 0; i < N; i++) s += bump(x, i);
  out[0] = s;
  out[1] = out[0] * x[0];
}
INTO into_each(const double *restrict x, double *restrict out) {
  for (int k = 0; k < 3; k++) {
    double s = 0;
    for (int i = k; i < N; i++) s += bump(x, i);
    out[k] = s;
  }
}
INTO into_over(const double *restrict x, double *restrict out) {
  double s = 0, t = 0;
  for (int i = 0; i < N; i++) s += bump(x, i);
  out[0] = s;
  for (int i = 0; i < N; i++) t += bump(x, i) * x[1];
  out[0] = t;
}
INTO into_times(const double *restrict x, double *restrict out) {
  double s = 0;
  for (int i = 0; i < N; i++) s += bump(x, i);
  if (x[0] > 0.5) out[0] = s;
  else out[1] = s;
}
INTO into_two(const double *restrict x, double *restrict out) {
  double s = 0, t = 0.5;
  for (int i = 0; i < N; i++) {
    s += bump(x, i);
    t += bump(x, (i + 1) % N) * x[4];
  }
  out[0] = s, out[1] = t;
}
INTO into_shared(const double *restrict x, double *restrict out) {
  double s = 0;
  for (int i = 0; i < N; i++) s += bump(x, i);
  out[0] = s, out[1] = s;
}
INTO into_same(double *x, double *out) { /* what is read may be the place */
  double s = 0;
  for (int i = 0; i < N; i++) s += bump(x, i);
  out[0] = s;
}
#define VALUE(f)                                                                                             \
  static double f##_value(const double *in) {                                                                \
    double x[N], y[3] = {0.5, 0.25, 0};                                                                      \
    memcpy(x, in, sizeof x);                                                                                 \
    f(x, y);                                                                                                 \
    return y[0] + 2 * y[1] - 3 * y[2];                                                                       \
  }                                                                                                          \
  static void f##_value_gradient(const double *in, double *g) {                                              \
    double x[N], y[3] = {0.5, 0.25, 0}, dy[3] = {1, 2, -3};                                                  \
    memcpy(x, in, sizeof x);                                                                                 \
    __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_dup, y, dy);                                       \
  }                                                                                                          \
  static double f##_value_tangent(const double *in, const double *v) {                                       \
    double x[N], y[3] = {0.5, 0.25, 0}, dy[3] = {0};                                                         \
    memcpy(x, in, sizeof x);                                                                                 \
    __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_dup, y, dy);                                        \
    return dy[0] + 2 * dy[1] - 3 * dy[2];                                                                    \
  }
#define STORED(do) \
  do(into_one) do(into_scaled) do(into_added) do(into_read) do(into_each) do(into_over) do(into_times) do(into_two) \
  do(into_shared) do(into_same)
STORED(VALUE)
static double returned_too(const double *x, double *restrict out) {
  double s = 0;
  for (int i = 0; i < N; i++) s += bump(x, i);
  *out = s;
  return s;
}
static double in_place(const double *in) { /* the sum goes over what was read */
  double x[N];
  memcpy(x, in, sizeof x);
  into_same(x, x);
  return x[0] * x[1];
}
static double both(const double *x) {
  double out;
  return returned_too(x, &out) * 0.5 + out;
}

/* recursions */
static double minor_of(const double *x, int ell, int size, int *next) {
  const double *row = x + (ell - size) * ell;
  int previous = ell, column = next[ell];
  if (size == 1) return row[column];
  double result = 0, sign = 1;
  for (int i = 0; i < size; i++) {
    next[previous] = next[column];
    result += sign * row[column] * minor_of(x, ell, size - 1, next);
    next[previous] = column;
    sign = -sign, previous = column, column = next[column];
  }
  return result;
}
static double determinant(const double *x) {
  double a[16];
  int next[5] = {1, 2, 3, 4, 0};
  for (int i = 0; i < 16; i++) a[i] = x[i % N] * (1 + i / N) + 0.1 * (i * i % 7);
  return minor_of(a, 4, 4, next);
}
static double halves(const double *x, double a, double b, double fa, double fb, int depth) {
  double m = (a + b) / 2, fm = sin(m * x[1]) * x[2] + m * x[0];
  if (depth == 0 || fabs(fa - 2 * fm + fb) < 1e-3) return (b - a) * (fa + 4 * fm + fb) / 6;
  return halves(x, a, m, fa, fm, depth - 1) + halves(x, m, b, fm, fb, depth - 1);
}
static double integral(const double *x) { return halves(x, 0, 2 + x[3], 0, x[4] * x[4], 5) * 2; }
static double even(const double *x, int n);
static double odd(const double *x, int n) { return n <= 0 ? x[0] * x[1] : x[n % N] * x[2] - even(x, n - 1); }
static double even(const double *x, int n) { return n <= 0 ? x[1] : sin(x[n % N]) + 0.5 * odd(x, n - 2); }
static double mutual(const double *x) { return even(x, 9); }
static double tree(const double *x, int at) {
  if (at >= N) return 0.5;
  double left = tree(x, 2 * at + 1), right = tree(x, 2 * at + 2);
  return x[at] * left + sin(right * x[at]);
}
static double walked(const double *x) { return tree(x, 0) + tree(x, 1); }
static double sorted(double *a, int n) { /* writes what it was given, and returns a sum */
  if (n < 2) return n ? a[0] * a[0] : 0;
  double s = sorted(a, n / 2);
  for (int i = 0; i < n / 2; i++) a[i] = a[i] * 0.5 + a[n - 1 - i];
  return s + sorted(a + n / 2, n - n / 2);
}
static double sorting(const double *x) {
  double a[N];
  for (int i = 0; i < N; i++) a[i] = x[i];
  return sorted(a, N) + a[0];
}
static double chosen(const double *x, int depth, int way) { /* one of two calls, twice over */
  if (depth == 0) return x[way % N];
  double r = way & 1 ? chosen(x, depth - 1, way * 3 + 1) * x[0] : chosen(x, depth - 1, way + 3);
  return r + (depth & 1 ? chosen(x, depth - 1, way + 1) : 0);
}
static double choices(const double *x) { return chosen(x, 4, 1); }

/* generators and loops in loops: an iteration that draws, writes and reads what is no number */
static int many = 40; /* no compiler knows */
static unsigned long state;
static double drawn(void) {
  state = state * 6364136223846793005UL + 1442695040888963407UL;
  return (double)(state >> 40) / (1 << 24) - 0.5;
}
static double paths(const double *x) {
  double s = 0;
  state = 7;
  for (int p = 0; p < many; p++) {
    double v = x[0];
    for (int t = 0; t < 5 + p % 3; t++) v += x[1] * v * 0.1 + x[2] * drawn() * v;
    s += v > x[3] ? v - x[3] : 0.01 * v;
  }
  return exp(-x[1]) * s / many;
}
static double paths_of(const double *x) { /* in a local, through a pointer, with scratch for a path */
  unsigned long seed[2] = {3, 0};
  double path[12], s = 0;
  for (int p = 0; p < many; p++) {
    path[0] = x[0];
    for (int t = 1; t < 12; t++) {
      seed[0] = seed[0] * 6364136223846793005UL + 1442695040888963407UL, seed[1]++;
      path[t] = path[t - 1] * (1 + x[1] * 0.05) + x[2] * ((double)(seed[0] >> 40) / (1 << 24) - 0.5);
    }
    for (int t = 0; t < 12; t++) s += path[t] * path[11 - t] * x[4];
  }
  return s / 40 + (double)seed[1] * x[5] * 1e-3;
}
static double paths_kept(const double *x) { /* the last path is read behind the loop */
  double path[12], s = 0;
  state = 11;
  for (int p = 0; p < many; p++) {
    path[0] = x[0];
    for (int t = 1; t < 12; t++) path[t] = path[t - 1] * (1 + x[1] * 0.05) + x[2] * drawn();
    for (int t = 0; t < 12; t++) s += path[t] * path[11 - t];
  }
  return s / 40 + path[7] * x[3];
}
static double paths_carried(const double *x) { /* a path begins where the last one ended */
  double v = x[0], s = 0;
  state = 5;
  for (int p = 0; p < many; p++) {
    for (int t = 0; t < 6; t++) v += x[1] * v * 0.01 + x[2] * drawn() * 0.1;
    s += v * v;
  }
  return s;
}
static double two_sums(const double *x) {
  double s = 0, squares = 0;
  state = 9;
  for (int p = 0; p < many; p++) {
    double v = x[0];
    for (int t = 0; t < 6; t++) v += x[1] * v * 0.1 + x[2] * drawn() * v;
    s += v, squares += v * v;
  }
  return s / 40 - x[3] * squares / 1600;
}
static double histogram(const double *x) { /* counts what it drew: memory without numbers that have a derivative */
  int counts[8] = {0};
  double s = 0, weights = 0;
  state = 1;
  for (int p = 0; p < many; p++) {
    double v = x[0];
    int at = (int)((drawn() + 0.5) * 8) & 7;
    counts[at]++;
    for (int t = 0; t < counts[at] % 5; t++) v = v * 0.9 + x[at % N] * sin(v);
    s += v * counts[at];
  }
  for (int i = 0; i < 8; i++) weights += counts[i] * i;
  return s / weights;
}

/* The last of several: each takes the place of the one before. */
static double last_of_all(const double *x) {
  double v;
  int i = 0;
  do v = bump(x, i % N); while (++i < many);
  return v;
}
static double last_or_first(const double *x) {
  double v = x[2];
  for (int i = 0; i < many; i++) v = bump(x, i % N);
  return 2 * v;
}
static double last_loop(const double *x) {
  double v = x[1];
  for (unsigned char c = 252; c != (unsigned char)(many - 3); c++) {
    double w = x[0];
    for (int k = 0; k < many; k++) w += sin(w) * x[k % N];
    v = w * c * 0.01;
  }
  return v;
}
static double last_inside(const double *x) { /* of each round the last, and all rounds */
  double s = 0;
  for (int i = 0; i < many; i++) {
    double v = x[i % N];
    for (int k = 0; k < i; k++) v = bump(x, (i + k) % N);
    s += v;
  }
  return s;
}
static double last_before(const double *x) { /* of the round before */
  double s = 0, v = x[0];
  for (int i = 0; i < many; i++) {
    s += v;
    v = bump(x, i % N);
  }
  return s;
}

#define EACH(do)                                                                                                   \
  do(plain) do(two) do(looped) do(subtracted) do(turned) do(horner) do(scaled_behind) do(scaled_by_last)           \
  do(scaled_by_count) do(scaled_by_moved) do(scaled_in_front) do(rooted) do(twice) do(squared) do(also_used) do(left_out) do(left_out_last)                \
  do(behind_by_one) do(one_or_other) do(starts_again) do(greatest) do(until_large) do(until_enough) do(nested)     \
  do(numbers) do(number_of_sum) do(changed_behind) do(changed_later) do(changed_in_front) do(read_behind)          \
  do(scratch) do(scratch_behind) do(scratch_between) do(goes_on_each) do(each_allocates) do(filled_each) do(noted) \
  do(global_factor) do(global_changes) do(list) do(list_changes) do(in_memory) do(in_place) do(both) do(written_at_times) do(only_sum) do(given_twice) do(determinant) do(integral)        \
  do(mutual) do(walked) do(sorting) do(choices) do(paths) do(paths_of) do(paths_kept) do(paths_carried)            \
  do(two_sums) do(histogram) do(last_of_all) do(last_or_first) do(last_loop) do(last_inside) do(last_before)

EACH(DERIVED)
DERIVED(in_float)

/* Derivatives of derivatives. */
#define BOTH(f)                                                                                          \
  static double f##_twice(const double *x) {                                                             \
    double g[N] = {0}, s = 0;                                                                            \
    GRADIENT_OF(f, x, g, N);                                                                             \
    for (int i = 0; i < N; i++) s += g[i] * g[i] * (i + 1);                                              \
    return s;                                                                                            \
  }
BOTH(looped)
BOTH(determinant)
BOTH(paths)
BOTH(scratch)
DERIVED(looped_twice)
DERIVED(determinant_twice)
DERIVED(paths_twice)
DERIVED(scratch_twice)

int main(int count, char **words) {
  (void)words;
  many -= count;
  double x[N] = {0.6, 0.45, 0.8, 0.5, -1.2, 0.3, 0.9, 0.4};
#define DO(f) CHECK_DERIVED(f, x);
  EACH(DO)
  CHECK_SINGLE(in_double, in_float_gradient, in_float_tangent, x);
#define DO_VALUE(f) CHECK(f##_value, f##_value_gradient, f##_value_tangent, x);
  STORED(DO_VALUE)
#define AGAIN(f) CHECK_FULL(f##_twice, f##_twice_gradient, 0, f##_twice_tangent, x, N, 1e-4, 1e-9);
  AGAIN(looped) AGAIN(determinant) AGAIN(paths) AGAIN(scratch)
  return check_done();
}
