/* Loops that store what each iteration finds in memory that is seen elsewhere, and run their iterations again: one result
 * or several, in arrays of their own, in place, shifted by more or fewer elements than run at once, in arrays that overlap
 * without anyone saying so; results that are read in the same iteration, or in the next, stored twice, stored in one case
 * only, stored where a table says, always in the same place; counters that go up, down and in pairs; results that are no
 * doubles, and words that hold them. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 40
#define AGAIN static NOINLINE __attribute__((annotate("enzyme_loops=recompute")))

int rounds = 19; /* nobody knows that it stays so */
static double global[2 * N];

static double sum_of(const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += y[i] * y[i] * (1 + 0.1 * i);
  return s;
}
#define ITERATE(a, b)                                             \
  for (int t = 0; t < 4; t++) {                                   \
    double r = 1 / (a * a + b * b + 1);                           \
    a += 0.3 * b * r, b -= 0.2 * a * r;                           \
  }

/* One result. */
AGAIN void one(const double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; i++) {
    double a = x[i], b = 0.5;
    ITERATE(a, b)
    y[i] = a * b;
  }
}
/* Four, and a float and an integer. */
struct found {
  double a, b;
  float c;
  int many;
  double d, kept;
};
AGAIN void several(const double *restrict x, struct found *restrict y, int n) {
  for (int i = 0; i < n; i++) {
    double a = x[i], b = x[i + 1];
    int many = 0;
    ITERATE(a, b)
    for (int t = 0; t < 3; t++) many += t * i % 5, b += 0.01 * many * a;
    y[i].a = a, y[i].b = b, y[i].many = many;
    y[i].c = (float)(0.25 * i), y[i].d = a / (2 + b);
  }
}
/* In place; whoever calls it may hand over one array or two that overlap. */
AGAIN void any(const double *x, double *y, int n) {
  for (int i = 0; i < n; i++) {
    double a = x[i], b = 0.3 + x[i];
    ITERATE(a, b)
    y[i] = a + 0.5 * b;
  }
}
/* The same pairwise, where what is read and stored is told. */
AGAIN void in_place(double *y, int n) {
  for (int i = 0; i < n; i++) {
    double a = y[2 * i + 1], b = y[2 * i];
    ITERATE(a, b)
    y[2 * i] = a * a, y[2 * i + 1] = b;
  }
}
/* Each result is read some iterations later: in the next one, in one that runs at the same time, in a later one. */
AGAIN void shifted(double *y, int n, int by) {
  for (int i = 0; i < n; i++) {
    double a = y[i], b = 0.4;
    ITERATE(a, b)
    y[i + by] = 0.5 * a + b;
  }
}
#define BY(k)                                    \
  AGAIN void shifted##k(double *y, int n) {      \
    for (int i = 0; i < n; i++) {                \
      double a = y[i], b = 0.4;                  \
      ITERATE(a, b)                              \
      y[i + k] = 0.5 * a + b + 0.1 * y[i + k];   \
    }                                            \
  }
BY(1)
BY(7)
BY(8)
/* And some iterations earlier. */
AGAIN void back(double *y, int n) {
  for (int i = 2; i < n; i++) {
    double a = y[i], b = y[i - 1];
    ITERATE(a, b)
    y[i - 2] = a * b;
  }
}
/* From the end to the beginning: a later iteration reads what this one stores. */
AGAIN void down(double *y, int n) {
  for (int i = n - 1; i >= 3; i -= 2) {
    double a = y[i], b = y[i - 1];
    ITERATE(a, b)
    y[i] = a, y[i - 3] += b;
  }
}
/* Both ends at once: behind the middle, what is read has been stored. */
AGAIN void turned(double *y, int n) {
  for (int i = 0; i < n; i++) {
    double a = y[i], b = y[n - 1 - i];
    ITERATE(a, b)
    y[i] = b, y[n - 1 - i] = a;
  }
}
/* What has been stored is read in the same iteration: at once, by a loop, or where someone else knows. */
AGAIN double looked_at(const double *restrict x, double *restrict y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double a = x[i], b = 0.7;
    y[i] = a * 1.5;
    ITERATE(a, b)
    s += y[i / 2] * a;
    y[i] *= b;
  }
  return s;
}
AGAIN void looped(const double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; i++) {
    double a = x[i], b = 0.7;
    ITERATE(a, b)
    y[i] = a;
    for (int j = 0; j < 3; j++) b += 0.1 * y[i - (i > j ? j : 0)];
    y[i + N] = b;
  }
}
/* Stored twice, the second time in one case only; and in one case at all. */
AGAIN void twice(const double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; i++) {
    double a = x[i], b = 0.7;
    y[i] = a;
    ITERATE(a, b)
    if (i % 3) y[i] = a + b;
    if (i % 4 == 1) y[N + i] = b * a;
  }
}
/* Where a table says, and always in the same place. */
static const int table[7] = {3, 0, 6, 1, 5, 2, 4};
AGAIN void scattered(const double *restrict x, double *restrict y, const int *restrict to, int n) {
  for (int i = 0; i < n; i++) {
    double a = x[to[i % 7] + i / 7], b = 0.2 * i;
    ITERATE(a, b)
    y[to[i % 7] + 7 * (i / 7)] = a * b;
    y[2 * N - 1] = a - b;
  }
}
/* What is in place is read again by each iteration. */
AGAIN void stayed(const double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; i++) {
    double a = x[i], b = y[0];
    ITERATE(a, b)
    y[0] = b + 0.1 * a;
  }
}
/* Pairs, and a pointer that goes along. */
AGAIN void along(const double *from, const double *end, double *to) {
  for (; from < end; from += 2, to += 2) {
    double a = from[0], b = from[1];
    ITERATE(a, b)
    to[0] = b, to[1] = sin(a * from[1]);
  }
}
/* A sum beside the results, of them and of what is in a global array. */
AGAIN double added(const double *restrict x, int n) {
  double s = 0, p = 1;
  for (int i = 0; i < n; i++) {
    double a = x[i] * global[i], b = 0.6;
    ITERATE(a, b)
    s += log(2 + a * b), p *= 1 + 0.01 * b;
    global[N + i] = a * p;
  }
  return s + p;
}
/* An array of its own for each iteration, whose last numbers are handed out. */
AGAIN void scratch(const double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; i++) {
    double w[6];
    for (int j = 0; j < 6; j++) w[j] = x[i] * (j + 1) + x[(i + j) % n];
    for (int j = 1; j < 6; j++) w[j] = sin(w[j - 1]) * w[j];
    y[i] = w[5], y[N + i] = w[4] * w[0];
  }
}
/* Arrays that are cleared and copied: from what all iterations read, from where each reads, from each other, in part. */
AGAIN void blocks(const double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; i++) {
    double d[8], e[8] = {0}, f[4];
    memcpy(d, x, sizeof d);
    memcpy(f, x + i, sizeof f);
    for (int r = 1; r < 8; r++)
      for (int j = 0; j < 8 - r; j++) d[j] = d[j] * (1 - x[i]) + d[j + 1] * x[i];
    for (int j = 0; j < 4; j++) e[j] += f[j] * d[j], e[j + 2] += d[0] * x[i];
    memcpy(d + 2, e + 1, 5 * sizeof(double));
    for (int j = 1; j < 8; j++) d[0] += d[j] * j;
    y[i] = d[0] + e[7], y[N + i] = d[3] * e[4];
  }
}
/* A copy of an array that not each iteration fills: the rest is the last one's. */
AGAIN void partly(const double *restrict x, double *restrict y, int n) {
  double d[4] = {0.3, 0.2, 0.1, x[5]};
  for (int i = 0; i < n; i++) {
    double a = x[i], b = 0.4;
    ITERATE(a, b)
    for (int j = 0; j < 3; j++) {
      d[j] = a * (j + 1);
      for (int k = 0; k < j; k++) d[j] += b * d[k];
    }
    memcpy(y + 4 * i, d, sizeof d);
  }
}
AGAIN void in_turn(const double *restrict x, double *restrict y, int n) {
  double d[4] = {x[4], x[5], x[6], x[7]};
  for (int i = 0; i < n; i++) {
    double a = x[i], b = 0.4;
    ITERATE(a, b)
    d[i & 3] = a * b;
    memcpy(y + 4 * i, d, sizeof d);
  }
}
/* Results in memory of the function's own, which another loop reads. */
AGAIN double own(const double *restrict x, int n) {
  double *found = (double *)malloc(2 * n * sizeof(double)), s = 0;
  for (int i = 0; i < n; i++) {
    double a = x[i], b = 0.4;
    ITERATE(a, b)
    found[2 * i] = a, found[2 * i + 1] = b;
  }
  for (int i = 2; i < 2 * n; i++) s += found[i] * found[i - 2];
  free(found);
  return s;
}
/* The same in place: each step from the last one's numbers. */
AGAIN double own_in_place(const double *restrict x, int n) {
  double *state = (double *)malloc(n * sizeof(double)), s = 0;
  for (int i = 0; i < n; i++) state[i] = x[i];
  for (int t = 0; t < 3; t++)
    for (int i = 0; i < n; i++) {
      double a = state[i], b = 0.4 + 0.1 * t;
      ITERATE(a, b)
      state[i] = a * b + 0.1;
    }
  for (int i = 0; i < n; i++) s += state[i] * state[i];
  free(state);
  return s;
}
/* Functions that are called, that allocate, and that may leave before or after a result is stored. */
static NOINLINE double called(double a, int m) {
  double *w = (double *)malloc(m * sizeof(double)), s = 0;
  for (int j = 0; j < m; j++) w[j] = a * (j + 1);
  for (int j = 1; j < m; j++) w[j] = sin(w[j - 1]) + 0.1 * w[j];
  for (int j = 0; j < m; j++) s += w[j] * w[j];
  free(w);
  return s;
}
static NOINLINE void may_leave(int i) {
  if (i > 1000) exit(3);
}
AGAIN double with_calls(const double *x, double *restrict y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double v = called(x[i], 3 + i % 4);
    y[i] = v;
    s += log(1 + v);
  }
  return s;
}
AGAIN void with_ends(double *y, int n) {
  for (int i = 0; i < n; i++) {
    double v = called(y[i], 4);
    y[i] = v * 0.5;
    may_leave(i);
    y[N + i] = called(y[N + i], 3) + v;
  }
}
/* The whole again and again. */
AGAIN void in_time(double *y, int n, int steps) {
  for (int t = 0; t < steps; t++)
    for (int i = 0; i < n; i++) {
      double a = y[i], b = 0.1 * t;
      ITERATE(a, b)
      y[i] = 0.9 * a + 0.1 * b;
    }
}
/* What is stored is volatile, or a number whose bits are looked at. */
AGAIN void watched(const double *restrict x, volatile double *restrict y, int n) {
  for (int i = 0; i < n; i++) {
    double a = x[i], b = 0.3;
    ITERATE(a, b)
    y[i] = a * b;
  }
}
AGAIN void bits(const double *restrict x, int64_t *restrict y, int n) {
  for (int i = 0; i < n; i++) {
    double a = x[i], b = 0.3;
    ITERATE(a, b)
    double v = a * b;
    memcpy(y + i, &v, sizeof v);
  }
}
/* Words that hold numbers, and of which a bit is looked at, taken away or added. */
AGAIN void words_in(int64_t *y, int n) {
  for (int i = 0; i < n; i++) {
    int64_t k = y[i];
    double a, b = 0.3;
    memcpy(&a, &k, 8);
    if (k < 0) b += 0.1;
    ITERATE(a, b)
    a = a * b;
    memcpy(&k, &a, 8);
    y[i] = k;
  }
}
AGAIN void words_out(const double *restrict x, int64_t *restrict y, int n) {
  for (int i = 0; i < n; i++) {
    double a = x[i], b = 0.3;
    int64_t k;
    ITERATE(a, b)
    a = a * b;
    memcpy(&k, &a, 8);
    y[i] = k ^ (int64_t)((uint64_t)(i & 1) << 63);
  }
}
AGAIN void words_both(int64_t *y, int n) {
  for (int i = 0; i < n; i++) {
    int64_t k = y[i];
    double a, b = 0.3;
    k &= INT64_MAX;
    memcpy(&a, &k, 8);
    ITERATE(a, b)
    a = a * b;
    memcpy(&k, &a, 8);
    y[i] = k | (int64_t)((uint64_t)(i & 1) << 63);
  }
}
AGAIN void words_moved(int64_t *y, int n) {
  for (int i = 0; i < n; i++) {
    int64_t k = y[i], l = y[n + i];
    double a, b = 0.3;
    memcpy(&a, &k, 8);
    ITERATE(a, b)
    memcpy(&k, &b, 8);
    y[n + i] = k, y[i] = l;
  }
}
/* Indices that are no multiples, in 32 bits without a sign. */
AGAIN void wrapped(const double *restrict x, double *restrict y, unsigned n) {
  for (unsigned i = 0; i < n; i++) {
    double a = x[i], b = 0.3;
    ITERATE(a, b)
    y[(i * 2654435761u) >> 27] = a * b;
  }
}

#define FUNCTION(name, call)                                \
  static double of_##name(const double *x) {                \
    double y[3 * N], s = 0;                                 \
    int n = rounds;                                         \
    for (int i = 0; i < N; i++) y[i] = x[i] + 0.1;          \
    for (int i = N; i < 3 * N; i++) y[i] = 0.01 * i;        \
    call;                                                   \
    return s + sum_of(y, 2 * N);                            \
  }                                                         \
  DERIVED(of_##name)
FUNCTION(one, one(x, y, n))
FUNCTION(one16, one(x, y, n - 3))
FUNCTION(one8, one(x, y, n - 11))
FUNCTION(one7, one(x, y, n - 12))
FUNCTION(one0, one(x, y, n - 19))
FUNCTION(same, any(y, y, n))
FUNCTION(ahead, any(y, y + 3, n))
FUNCTION(behind, any(y + 3, y, n))
FUNCTION(beside, any(x, y, n))
FUNCTION(in_place, in_place(y, n))
FUNCTION(shifted, shifted(y, n, n / 4))
FUNCTION(shifted_none, shifted(y, n, n - 19))
FUNCTION(shifted1, shifted1(y, n))
FUNCTION(shifted7, shifted7(y, n))
FUNCTION(shifted8, shifted8(y, n))
FUNCTION(back, back(y, n))
FUNCTION(down, down(y, n + 10))
FUNCTION(turned, turned(y, n))
FUNCTION(looked_at, s = looked_at(x, y, n))
FUNCTION(looped, looped(x, y, n))
FUNCTION(twice, twice(x, y, n))
FUNCTION(scattered, scattered(x, y, table, n))
FUNCTION(stayed, stayed(x, y, n))
FUNCTION(along, along(x, x + 2 * n, y))
FUNCTION(along_itself, along(y, y + 2 * n, y + 2))
FUNCTION(scratch, scratch(x, y, n))
FUNCTION(blocks, blocks(x, y, n))
FUNCTION(partly, partly(x, y, n))
FUNCTION(in_turn, in_turn(x, y, n))
FUNCTION(own, s = own(x, n))
FUNCTION(own_in_place, s = own_in_place(x, n))
FUNCTION(with_calls, s = with_calls(x, y, n))
FUNCTION(with_ends, with_ends(y, n))
FUNCTION(in_time, in_time(y, n, n / 4))
FUNCTION(watched, watched(x, y, n))
FUNCTION(bits, bits(x, (int64_t *)y, n))
FUNCTION(words_in, words_in((int64_t *)y, n))
FUNCTION(words_out, words_out(x, (int64_t *)y, n))
FUNCTION(words_both, words_both((int64_t *)y, n))
FUNCTION(words_moved, words_moved((int64_t *)y, n))
FUNCTION(wrapped, wrapped(x, y, (unsigned)n))

static double of_several(const double *x) {
  struct found y[N];
  double s = 0;
  memset(y, 0, sizeof y);
  several(x, y, rounds);
  for (int i = 0; i < rounds; i++) s += y[i].a * y[i].b + y[i].c * y[i].d + 0.01 * y[i].many * y[i].a + y[i].kept;
  return s;
}
DERIVED(of_several)
static double of_added(const double *x) {
  for (int i = 0; i < N; i++) global[i] = 1 + 0.1 * x[i];
  double s = added(x, rounds);
  for (int i = 0; i < N; i++) s += global[i] * global[N + i];
  for (int i = 0; i < 2 * N; i++) global[i] = 0;
  return s;
}
DERIVED(of_added)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.6 + 0.3 * sin(1.7 * i + 0.4);
#define EACH(f) CHECK_DERIVED(of_##f, x)
  EACH(one); EACH(one16); EACH(one8); EACH(one7); EACH(one0); EACH(same); EACH(ahead); EACH(behind); EACH(beside);
  EACH(in_place); EACH(shifted); EACH(shifted_none); EACH(shifted1); EACH(shifted7); EACH(shifted8); EACH(back);
  EACH(down); EACH(turned); EACH(looked_at); EACH(looped); EACH(twice); EACH(scattered); EACH(stayed); EACH(along);
  EACH(along_itself); EACH(scratch); EACH(blocks); EACH(partly); EACH(in_turn); EACH(own); EACH(own_in_place);
  EACH(with_calls); EACH(with_ends); EACH(in_time); EACH(watched); EACH(bits); EACH(words_in); EACH(words_out);
  EACH(words_both); EACH(words_moved); EACH(wrapped); EACH(several); EACH(added);
  return check_done();
}
