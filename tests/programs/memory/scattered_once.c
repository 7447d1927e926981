/* Numbers that a loop puts into an array at places that it looks up, where the places are a power of two apart, and the
 * array larger than a first cache. Each function breaks one of the things that it takes to leave out the zeros of the
 * reversed loop: places that come again, early or late, some or all; places that are overwritten behind the loop, or
 * computed, or passed over; arrays that are read again, on the stack, in outer loops, or that somebody else knows. */
#include "check.h"

#define MOST 16384

static int order[MOST + 16]; /* filled anew for each length */
static double *kept;
int more = 1; /* read when the program runs */

#define FUNCTION(name, ...)                                                \
  static double name##_of(const double *x, const int *place, int n) {      \
    double s = 0;                                                          \
    __VA_ARGS__                                                            \
    return s;                                                              \
  }
#define EACH for (int i = 0; i < n; i++)
#define HEAP(count) (double *)calloc((size_t)(count), sizeof(double))
#define SUM(out, count) for (int k = 0; k < (count); k++) s += (1 + k % 7) * out[k] * out[k];

FUNCTION(plain, double *out = HEAP(n); EACH out[place[i]] = x[i]; SUM(out, n) free(out);)
FUNCTION(pairs, {
  double *out = HEAP(n + 1);
  for (int i = 0; i < n / 2; i++) {
    int k = place[2 * i] / 2;
    out[2 * k] = x[2 * i];
    out[2 * k + 1] = x[2 * i + 1] * x[2 * i];
  }
  SUM(out, n)
  free(out);
})
FUNCTION(bits_reversed, {
  if (n & (n - 1))
    return s;
  double *out = HEAP(2 * n);
  for (int i = 0, reversed = 0; i < n; i++) {
    out[2 * reversed] = x[i];
    out[2 * reversed + 1] = x[i] * x[i];
    int bit = n >> 1;
    while (bit && (reversed & bit)) {
      reversed ^= bit;
      bit >>= 1;
    }
    reversed |= bit;
  }
  SUM(out, 2 * n)
  free(out);
})
FUNCTION(two_arrays, {
  double *one = HEAP(n), *other = HEAP(n);
  EACH {
    one[place[i]] = x[i];
    other[place[i]] = x[i] * x[i];
  }
  SUM(one, n)
  SUM(other, n)
  free(other);
  free(one);
})
FUNCTION(two_places, {
  double *one = HEAP(n), *other = HEAP(n);
  EACH {
    one[place[i]] = x[i];
    other[place[n - 1 - i]] = x[i] * x[i];
  }
  SUM(one, n)
  SUM(other, n)
  free(one);
  free(other);
})
FUNCTION(neighbours, {
  double *out = HEAP(n + 1);
  EACH {
    out[place[i]] = x[i];
    out[place[i] + 1] = 2 * x[i];
  }
  SUM(out, n + 1)
  free(out);
})
FUNCTION(twice, {
  double *out = HEAP(n);
  EACH {
    out[place[i]] = x[i];
    out[place[i]] = x[i] * out[place[i]];
  }
  SUM(out, n)
  free(out);
})
FUNCTION(added, double *out = HEAP(n); EACH out[place[i]] += x[i]; SUM(out, n) free(out);)
FUNCTION(chained, {
  double *out = HEAP(n);
  EACH out[place[i]] = x[i] * (i ? out[place[i - 1]] - 0.5 : 1);
  SUM(out, n)
  free(out);
})
FUNCTION(some, {
  double *out = HEAP(n);
  EACH {
    if (x[i] > 0.599)
      out[place[i]] = x[i];
  }
  SUM(out, n)
  free(out);
})
FUNCTION(left_early, {
  double *out = HEAP(n);
  EACH {
    if (place[i] == n - 1)
      break;
    out[place[i]] = x[i];
  }
  SUM(out, n)
  free(out);
})
FUNCTION(from_one, double *out = HEAP(n); EACH out[place[i] + 1 - more] = x[i]; SUM(out, n) free(out);)
FUNCTION(computed, {
  double *out = HEAP(n);
  unsigned apart = (unsigned)n / 16;
  EACH out[(unsigned)i % 16 * apart + (unsigned)i / 16] = x[i];
  SUM(out, (int)(16 * apart))
  free(out);
})
FUNCTION(wrapped, double *out = HEAP(n); EACH out[(unsigned)i * 1024u % (unsigned)n] = x[i]; SUM(out, n) free(out);)
FUNCTION(overwritten, {
  double *out = HEAP(n);
  int *own = (int *)malloc(sizeof(int) * (size_t)n);
  EACH own[i] = place[i];
  EACH out[own[i]] = x[i];
  EACH own[i] = i;
  EACH s += out[own[i]] * out[own[i]] * (1 + i % 5);
  free(own);
  free(out);
})
FUNCTION(moved_on, {
  double *out = HEAP(n);
  int at = place[0];
  EACH {
    out[at] = x[i];
    at = (at + place[i]) & (n - 1);
  }
  SUM(out, n)
  free(out);
})
FUNCTION(half_filled, {
  double *out = HEAP(n);
  for (int i = 0; i < n / 2; i++)
    out[place[i]] = x[i];
  SUM(out, n)
  free(out);
})
FUNCTION(filled_before, {
  double *out = HEAP(n);
  EACH out[i] = x[i] * 3;
  for (int i = 0; i < n / 2; i++)
    out[place[i]] = x[i];
  SUM(out, n)
  free(out);
})
FUNCTION(on_stack, {
  double out[MOST];
  for (int k = 0; k < n; k++)
    out[k] = 0;
  EACH out[place[i]] = x[i];
  SUM(out, n)
})
FUNCTION(again, {
  double *out = HEAP(n);
  for (int k = 0; k < 3; k++) {
    EACH out[place[(i + k) % n]] = x[i];
    SUM(out, n)
  }
  free(out);
})
FUNCTION(anew, {
  for (int k = 0; k < 3; k++) {
    double *out = HEAP(n);
    EACH out[place[i]] = x[(i + k) % n];
    SUM(out, n)
    free(out);
  }
})
FUNCTION(one_after_another, {
  double *out = HEAP(n);
  EACH out[place[i]] = x[i];
  EACH out[place[n - 1 - i]] = x[i] * x[i];
  SUM(out, n)
  free(out);
})

static NOINLINE double squares(const double *out, int n) {
  double s = 0;
  SUM(out, n)
  return s;
}
static NOINLINE void keep(double *out) { kept = out; }
FUNCTION(read_elsewhere, double *out = HEAP(n); EACH out[place[i]] = x[i]; s += squares(out, n); free(out);)
FUNCTION(known_elsewhere, {
  double *out = HEAP(n);
  keep(out);
  EACH out[place[i]] = x[i];
  s += squares(kept, n);
  keep(0);
  free(out);
})

typedef double (*of_fn)(const double *, const int *, int);

static double along(of_fn f, const double *x, const double *v, double *room, int n, double h) {
  double values[2];
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < n; i++)
      room[i] = x[i] + (side ? h : -h) * v[i];
    values[side] = f(room, order, n);
  }
  return (values[1] - values[0]) / (2 * h);
}

#if ENGINE
#define DERIVE(name)                                                                                                   \
  static void name##_derive(const double *x, double *dx, int n) {                                                      \
    __enzyme_autodiff((void *)name##_of, enzyme_dup, x, dx, enzyme_const, order, enzyme_const, n);                     \
  }
#else
#define DERIVE(name) \
  static void name##_derive(const double *x, double *dx, int n) { (void)x, (void)dx, (void)n; }
#endif
#define FUNCTIONS(do)                                                                                                  \
  do(plain) do(pairs) do(bits_reversed) do(two_arrays) do(two_places) do(neighbours) do(twice) do(added) do(chained)   \
  do(some) do(left_early) do(from_one) do(computed) do(wrapped) do(overwritten) do(moved_on) do(half_filled)           \
  do(filled_before) do(on_stack) do(again) do(anew) do(one_after_another) do(read_elsewhere) do(known_elsewhere)
FUNCTIONS(DERIVE)

static const struct {
  const char *name;
  of_fn of;
  void (*derive)(const double *, double *, int);
} functions[] = {
#define ENTRY(name) {#name, name##_of, name##_derive},
    FUNCTIONS(ENTRY)};

/* Places a power of two apart, all different, and then changed: `how` says which. */
static void fill(int n, int how) {
  int bits = 0;
  while (1 << (bits + 1) <= n)
    bits++;
  for (int i = 0; i < n; i++) {
    int r = i;
    if (i < 1 << bits) {
      r = 0;
      for (int b = 0; b < bits; b++)
        r |= (i >> b & 1) << (bits - 1 - b);
    }
    order[i] = r;
  }
  for (int i = 0; i < n; i++) {
    if (how == 1 && i == n / 3)
      order[i] = order[n / 2];
    if (how == 2 && i == 0)
      order[0] = order[n - 1];
    if (how == 3)
      order[i] = order[i & ~1];
    if (how == 4)
      order[i] = n / 2;
    if (how == 5)
      order[i] = i;
    if (how == 6)
      order[i] = (int)((unsigned)i * 7919u % (unsigned)n);
  }
}

static double x[MOST], dx[MOST], v[MOST], room[MOST];

static void run(int n, int how) {
  fill(n, how);
  for (int f = 0; f < COUNT(functions); f++) {
    for (int i = 0; i < n; i++)
      dx[i] = 0;
    functions[f].derive(x, dx, n);
    for (int direction = 0; direction < 2; direction++) {
      double dot = 0, size = 0;
      for (int i = 0; i < n; i++) {
        v[i] = ((i * 37 + direction * 11 + i / 3) % 101 - 50) / 50.0;
        dot += dx[i] * v[i];
        size += fabs(dx[i] * v[i]);
      }
      double a = along(functions[f].of, x, v, room, n, 2e-3), b = along(functions[f].of, x, v, room, n, 1e-3);
      double expected = b + (b - a) / 3;
      if (!ENGINE) { /* differences with other steps */
        a = along(functions[f].of, x, v, room, n, 3e-3), b = along(functions[f].of, x, v, room, n, 1.5e-3);
        dot = b + (b - a) / 3;
        size = fabs(dot) + functions[f].of(x, order, n);
      }
      check_close(functions[f].name, n * 10 + how, dot, expected, 1e-9 * (size + n));
    }
  }
}

int main(void) {
  int lengths[] = {1, 2, 15, 16, 17, 64, 1000, 4096, 8000, 8191, 8192, 8200, MOST};
  for (int i = 0; i < MOST; i++)
    x[i] = 0.4 + 0.5 * ((i * 29 + 7) % 64) / 64;
  for (int l = 0; l < COUNT(lengths); l++)
    for (int how = 0; how < 7; how++)
      run(lengths[l], how);
  return check_done();
}
