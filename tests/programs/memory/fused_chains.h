/* What fused_loops.c, fused_borders.c and fused_ranges.c share: a table of kernels, called with arrays laid out in many
 * ways and of many lengths. A kernel works on x, s and t and reads u and k; what it leaves in the whole buffer is
 * weighed, so that a store left out or done outside of the arrays is seen.
 *
 * Each call is checked along one direction: gradient, tangent and differences; the arrays as a plain call leaves them;
 * and the shadows of what lies between the arrays, which nothing may touch. */
#ifndef FUSED_CHAINS_H
#define FUSED_CHAINS_H

#include "check.h"

#define ARRAYS double *x, double *s, double *t, const double *u, const int *k, int n, int m, int steps
#define ARRAYS_APART \
  double *restrict x, double *restrict s, double *restrict t, const double *restrict u, const int *restrict k, int n, \
      int m, int steps
#define KERNEL(f) static NOINLINE double f(ARRAYS)
#define KERNEL_APART(f) static NOINLINE double f(ARRAYS_APART)
#define EACH(i, from, to) for (int i = (from); i < (to); i++)
#define BACK(i, from, to) for (int i = (to) - 1; i >= (from); i--)
#define STEPS EACH(step, 0, steps)

enum { APART = 1, STEPPED = 2, PARTED = 4, SINGLE = 8 }; /* restricted; has a loop over steps; m counts; has floats */

typedef struct {
  double *x, *s, *t, *u;
} places;
typedef double plain_fn(ARRAYS);
typedef double derived_fn(places w, places d, const int *k, int n, int m, int steps);
typedef struct {
  const char *name;
  plain_fn *plain;
  derived_fn *reverse, *forward;
  int least, flags;
} entry;

#ifdef REFERENCE
#define ADAPTERS(f, least, flags)
#define ENTRY(f, least, flags) {#f, f, 0, 0, least, flags},
#else
#ifdef CONSTANT_U
#define U enzyme_const, w.u
#else
#define U enzyme_dup, w.u, d.u
#endif
#define DERIVATIVE(f, name, by)                                                                              \
  static NOINLINE double f##name(places w, places d, const int *k, int n, int m, int steps) {                \
    return by((void *)f, enzyme_dup, w.x, d.x, enzyme_dup, w.s, d.s, enzyme_dup, w.t, d.t, U,                \
              enzyme_const, k, enzyme_const, n, enzyme_const, m, enzyme_const, steps);                  \
  }
#define ADAPTERS(f, least, flags) DERIVATIVE(f, _reverse, __enzyme_autodiff) DERIVATIVE(f, _forward, __enzyme_fwddiff)
#define ENTRY(f, least, flags) {#f, f, f##_reverse, f##_forward, least, flags},
#endif

#define MOST 257
#define BUFFER (4 * (MOST + 20) + 16)

/* Room before the first array and behind the last, room between arrays, and where x, s, t and u begin: in arrays and
 * elements. The first few are apart. */
static const int layouts[][10] = {
    {3, 5, 0, 0, 1, 0, 2, 0, 3, 0}, {0, 0, 0, 0, 1, 0, 2, 0, 3, 0},   {0, 0, 3, 0, 2, 0, 1, 0, 0, 0},
    {0, 0, 1, 0, 0, 0, 3, 0, 2, 0}, {-1, 0, 0, 0, 1, 0, 2, 0, 3, 0}, /* each in a block of its own */
    {3, 5, 0, 0, 0, 1, 2, 0, 3, 0},   {3, 5, 0, 0, 0, -1, 2, 0, 3, 0},  {3, 5, 0, 0, 0, 2, 2, 0, 3, 0},
    {3, 5, 0, 0, 0, -2, 2, 0, 3, 0},  {3, 5, 0, 0, 0, 0, 2, 0, 3, 0},   {3, 5, 0, 0, 1, 0, 1, 0, 3, 0},
    {3, 5, 0, 0, 1, 0, 1, 1, 3, 0},   {3, 5, 0, 0, 1, 0, 1, -1, 3, 0},  {3, 5, 0, 0, 1, 0, 1, 2, 3, 0},
    {3, 5, 0, 0, 1, 0, 1, -2, 3, 0},  {3, 5, 0, 0, 1, 0, 0, 0, 3, 0},   {3, 5, 0, 0, 1, 0, 0, 1, 3, 0},
    {3, 5, 0, 0, 1, 0, 0, -1, 3, 0},  {3, 5, 0, 0, 1, 0, 0, 2, 3, 0},   {3, 5, 0, 0, 1, 0, 0, -2, 3, 0},
    {3, 5, 1, 0, 1, 0, 1, 0, 3, 0},   {3, 5, 1, 0, 1, 1, 1, 2, 3, 0},   {3, 5, 1, 1, 1, 0, 1, -1, 1, -2},
    {3, 5, 0, 0, 1, 0, 2, 0, 0, 0},   {3, 5, 0, 0, 1, 0, 2, 0, 0, 1},   {3, 5, 0, 0, 1, 0, 2, 0, 1, 0},
    {3, 5, 0, 0, 1, 0, 2, 0, 1, -1},  {3, 5, 0, 0, 1, 0, 2, 0, 2, 1},   {3, 5, 0, 0, 1, 0, 2, 0, 2, 0},
    {3, 0, 0, 0, 1, -1, 2, 0, 3, 0},  {3, 0, 1, -1, 0, 0, 2, 0, 3, 0},  {3, 0, 0, 0, 1, 0, 2, -1, 3, -2},
    {3, 0, 2, 0, 1, 0, 0, 1, 3, 0},   {3, 0, 0, 0, 2, 0, 1, 2, 3, -1},
    {3, 20, 1, 0, 1, 16, 2, 0, 3, 0}, {3, 20, 1, 0, 1, -16, 2, 0, 3, 0}, {3, 20, 0, 0, 1, 0, 1, 7, 3, 0},
    {3, 20, 0, 0, 1, 0, 1, -9, 3, 0}, {3, 20, 1, 8, 2, 0, 1, 0, 3, 0},   {3, 20, 1, 0, 2, 0, 1, 3, 3, 0},
    {3, 20, 0, 0, 1, 0, 2, 0, 1, -17},
};
#define LAYOUTS_APART 5

static int places_of[4], length, numbers[MOST + 8]; /* numbers: some ints, any, for k */

static int own_blocks(const int *layout) { return layout[0] < 0; }

/* The length of the buffer. */
static int lay_out(const int *layout, int n) {
  int margin = own_blocks(layout) ? 0 : layout[0];
  for (int i = 0; i < 4; i++) places_of[i] = margin + layout[2 + 2 * i] * (n + layout[1]) + layout[3 + 2 * i];
  length = n;
  return 2 * margin + 4 * n + 3 * layout[1];
}

static places placed(double *w) {
  return (places){w + places_of[0], w + places_of[1], w + places_of[2], w + places_of[3]};
}

static double *block(const double *from) {
  double *made = malloc((length ? length : 1) * sizeof *made);
  memcpy(made, from, length * sizeof *made);
  return made;
}

static void unblock(double *to, double *from) {
  memcpy(to, from, length * sizeof *to);
  free(from);
}

static places blocks(places w) { return (places){block(w.x), block(w.s), block(w.t), block(w.u)}; }

static void unblocks(places to, places from) {
  unblock(to.x, from.x), unblock(to.s, from.s), unblock(to.t, from.t), unblock(to.u, from.u);
}

static double plainly(const entry *e, const int *layout, double *w, int n, int m, int steps) {
  places p = placed(w), at = own_blocks(layout) ? blocks(p) : p;
  double value = e->plain(at.x, at.s, at.t, at.u, numbers, n, m, steps);
  if (own_blocks(layout)) unblocks(p, at);
  return value;
}

static double derived(const entry *e, derived_fn *by, const int *layout, double *w, double *d, int n, int m,
                      int steps) {
  places p = placed(w), q = placed(d), at = p, shadow = q;
  if (own_blocks(layout)) at = blocks(p), shadow = blocks(q);
  double value = by(at, shadow, numbers, n, m, steps);
  if (own_blocks(layout)) unblocks(p, at), unblocks(q, shadow);
  return value;
}

/* Whether u and one of the arrays that are written have elements in common. */
static int overlaid(void) {
  for (int i = 0; i < 3; i++)
    if (abs(places_of[i] - places_of[3]) < length) return 1;
  return 0;
}

static double weight(int i) { return 1 + i % 7; }

static double weighed(const entry *e, const int *layout, const double *at, const double *v, double h, int size, int n,
                      int m, int steps) {
  double w[BUFFER], sum;
  for (int i = 0; i < size; i++) w[i] = at[i] + h * v[i];
  sum = plainly(e, layout, w, n, m, steps);
  for (int i = 0; i < size; i++) sum += weight(i) * w[i] * w[i];
  return sum;
}

static double sloped(const entry *e, const int *layout, const double *at, const double *v, double h, int size, int n,
                     int m, int steps) {
  double a[3];
  for (int i = 0; i < 3; i++, h /= 2) {
    a[i] = weighed(e, layout, at, v, h, size, n, m, steps) - weighed(e, layout, at, v, -h, size, n, m, steps);
    a[i] /= 2 * h;
  }
  double ab = a[1] + (a[1] - a[0]) / 3, bc = a[2] + (a[2] - a[1]) / 3;
  return bc + (bc - ab) / 15;
}

static void check_call(const entry *e, int which, int n, int m, int steps) {
  static double at[BUFFER], v[BUFFER], w[BUFFER], d[BUFFER], end[BUFFER], seed[BUFFER];
  const int *layout = layouts[which];
  int size = lay_out(layout, n), single = e->flags & SINGLE, turn = which + n + 3 * m + steps;
  double along = 0, sum = 0, h = single ? 3e-2 : 1e-3, value;
  char name[160];
  if (n < e->least || (which >= LAYOUTS_APART && e->flags & APART)) return;
  for (int i = 0; i < size; i++) at[i] = end[i] = 0.6 * sin(1.7 * i + 0.3), v[i] = cos(1.0 + 2.3 * i + 0.7 * turn);
#ifdef CONSTANT_U
  if (overlaid()) return;
  for (int i = 0; i < n; i++) v[places_of[3] + i] = 0;
#endif
  plainly(e, layout, end, n, m, steps);
  double slope = sloped(e, layout, at, v, h, size, n, m, steps);
  snprintf(name, sizeof name, "%s, layout %d, n %d, m %d, steps %d", e->name, which, n, m, steps);
#ifdef REFERENCE
  for (int i = 0; i < size; i++) sum += fabs(2 * weight(i) * end[i] * v[i]);
  value = along = sloped(e, layout, at, v, 0.31 * h, size, n, m, steps);
#else
  double worst[3] = {0};
  char inside[BUFFER] = {0};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < n; j++) inside[places_of[i] + j] = 1;
  for (int i = 0; i < size; i++) w[i] = at[i], d[i] = seed[i] = 2 * weight(i) * end[i];
  derived(e, e->reverse, layout, w, d, n, m, steps);
  for (int i = 0; i < size; i++) {
    along += d[i] * v[i], sum += fabs(d[i] * v[i]);
    worst[0] = fmax(worst[0], fabs(w[i] - end[i]));
    if (!inside[i]) worst[1] = fmax(worst[1], fabs(d[i] - seed[i]));
  }
  for (int i = 0; i < size; i++) w[i] = at[i], d[i] = v[i];
  value = derived(e, e->forward, layout, w, d, n, m, steps);
  for (int i = 0; i < size; i++) {
    value += seed[i] * d[i];
    worst[2] = fmax(worst[2], fabs(w[i] - end[i]) + (inside[i] ? 0 : fabs(d[i] - v[i])));
  }
  check_close("arrays behind the gradient", which, worst[0], 0, single ? 1e-5 : 1e-12);
  check_close("shadows between the arrays", which, worst[1], 0, 0);
  check_close("arrays and shadows behind the tangent", which, worst[2], 0, single ? 1e-5 : 1e-12);
#endif
  check_close(name, 0, along, slope, (single ? 3e-5 : 1e-7) * sum + 1e-9);
  check_close(name, 1, value, along, (ENGINE ? single ? 1e-4 : 1e-11 : single ? 3e-5 : 1e-7) * sum + 1e-9);
  if (check_failures > 0) printf("...up to %s\n", name), exit(1);
}

static int parts(const entry *e, int n, int j) {
  const int m[] = {n / 3, 0, 1, n, n - 1, n / 2, 2};
  return e->flags & PARTED && m[j % 7] > 0 ? m[j % 7] < n ? m[j % 7] : n : 0;
}

static int check_chains(const entry *table, int count) {
  static const int long_ones[] = {95, 96, 97, 100, 127, 128, 129, 130, MOST};
  static const int few[] = {4, 9, 33, 66};
  for (int i = 0; i < COUNT(numbers); i++) numbers[i] = (i * i + 3 * i / 4) % 11;
  for (const entry *e = table; e < table + count; e++) {
    for (int i = 0; i < 73 + COUNT(long_ones); i++) {
      int n = i < 73 ? i : long_ones[i - 73];
      check_call(e, i % 2 ? 0 : LAYOUTS_APART - 1, n, parts(e, n, i), e->flags & STEPPED ? 3 : 1);
    }
    for (int i = 1; i < COUNT(few); i++)
      for (int j = 0; j < (e->flags & PARTED ? 7 : 1); j++)
        for (int steps = 0; steps < (e->flags & STEPPED ? 2 : 1); steps++)
          check_call(e, j % 3, few[i], parts(e, few[i], j), steps);
    for (int which = 1; which < COUNT(layouts); which++)
      for (int i = 0; i < COUNT(few); i++)
        check_call(e, which, few[i], parts(e, few[i], i + which), e->flags & STEPPED ? 1 + (which + i) % 3 : 1);
  }
  return check_done();
}

/* KERNELS(K) is K(name, the least n, flags) for each of them. */
#define CHECK_CHAINS(KERNELS)                              \
  KERNELS(ADAPTERS)                                        \
  int main(void) {                                         \
    static const entry table[] = {KERNELS(ENTRY)};         \
    return check_chains(table, COUNT(table));              \
  }

#endif
