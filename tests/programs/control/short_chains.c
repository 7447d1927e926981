/* Steps of which each waits for the one before, and whose reverse sweep may compute the matrices of many steps first. Each
 * function breaks one of the things that this needs, for numbers of steps around those that are taken at a time: what
 * comes in is added to from several steps, is overwritten, lies in the memory of the state, is read through indices;
 * steps branch, leave, stand in other loops, take others' adjoints from memory; partials are infinite where nothing is
 * asked of them; states are structs, numbers in other orders, single precision. */
#include "check.h"

#define N 150 /* more than two times 64 */

typedef struct { double x, y; } pair;

int sizes[] = {0, 1, 2, 63, 64, 65, 66, 128, 129, 130, N - 2}; /* read when the program runs */
int steps, one = 1;
int places[N];

#define STEPS(name, before, behind, ...)              \
  static double name(const double *u) {               \
    double x = 0.7, y = 0.4, z = 0.2, s = 0;          \
    const int n = steps;                              \
    (void)z;                                          \
    before                                            \
    for (int i = 0; i < n; i++) { __VA_ARGS__ }       \
    behind                                            \
    return x * x + 0.3 * y + s;                       \
  }                                                   \
  static void name##_gradient(const double *v, double *g) { GRADIENT_OF(name, v, g, N); }

#define DAMPED(value) x = x - x * x / (20 + x * x) + (value) / (9 + x * x);

STEPS(plain, , x += u[3];, DAMPED(0.1))
STEPS(inputs, , , DAMPED(0.1 * u[i]))
STEPS(inputs_twice, , , DAMPED(0.1 * u[i] * u[i + 1]) s += x * u[i];)
STEPS(by_index, , , DAMPED(0.1 * u[places[i]]))
STEPS(one_for_all, , , DAMPED(0.1 * u[1]) y += x * u[2] / (3 + x * x);)
STEPS(two_states, , , DAMPED(0.1 * y) y = y - y * x / (11 + y * y) + 0.03 * u[i];)
STEPS(delayed, , , double t = z; z = y; y = x; x = t + x * y / (30 + t * t) + 0.01 * u[i];)
STEPS(downwards, for (int i = n - 1; i >= 0; i--) { DAMPED(0.1 * u[i]) }, , )
STEPS(chosen, , , DAMPED(0.1 * (u[i] > 0.437 ? x : u[i])))
STEPS(branched, , , if (u[i] > 0.437) { DAMPED(0.1 * u[i]) } else { x = x + y / (8 + x * x); })
STEPS(left_early, , , if (x < 0.02) break; DAMPED(0.02 * u[i]))
STEPS(in_others, for (int k = 0; k < 3; k++) for (int i = 0; i < n; i++) { DAMPED(0.1 * u[i] * (k + 1)) s += x * 0.01; }, , )
STEPS(around_others, , , for (int k = 0; k < 3; k++) { DAMPED(0.1 * u[i]) })
STEPS(two_loops, , for (int i = 0; i < n; i++) y = y - y * y / (7 + y * y) + 0.02 * u[n - 1 - i] * x;, DAMPED(0.1 * u[i]))
STEPS(roots_of_zero, , , DAMPED(0.1 * u[i]) double r = (u[i] - u[i]) * x; y = y * 0.9 + (i % 7 ? 0.01 : 0) * (r == 0 ? x : sqrt(r));)
STEPS(single, float f = 0.5f;, x += f;, f = f - f * f / (20 + f * f) + (float)u[i] * 0.01f;)
STEPS(single_in_double, double f = 0.5;, x += f;, f = f - f * f / (20 + f * f) + u[i] * 0.01;)
STEPS(calls, , , x = x + 0.01 * sin(x * u[i]) - x * x / (40 + x * x);)
STEPS(sums_of_squares, , , DAMPED(0.1 * u[i]) s += x * x + y * y * u[i]; y = y - y * y * x * x / (9 + y * y);)
STEPS(unused, , x = u[2];, DAMPED(0.1 * u[i]) z = x;)

/* In the memory of the inputs, which are overwritten, and in that of the state. */
STEPS(overwritten, double *w = malloc(sizeof(double) * N); memcpy(w, u, sizeof(double) * N);,
      s = w[0] + w[N - 1] * w[1]; free(w);, DAMPED(0.1 * w[i]) w[i] = x; w[i + 1] *= x;)
STEPS(in_memory, double w[2]; w[0] = u[0]; w[1] = u[1];, x += w[0] * w[1];,
      w[i & one] = w[i & one] - w[1] * w[0] / (9 + w[0] * w[0]) + 0.01 * u[i];)
STEPS(kept, double *w = calloc(N, sizeof(double));, for (int i = 1; i < n; i++) s += w[i] * w[i - 1]; free(w);,
      DAMPED(0.1 * u[i]) w[i] = x * y; y = y - y * x / (31 + x * x);)

static NOINLINE pair step_of(pair p, double u) {
  double r = p.x * p.x + p.y * p.y + 1;
  pair q = {p.x + 0.02 * p.y / (r * sqrt(r)), p.y - 0.03 * p.x / r + 0.01 * u};
  return q;
}
static inline pair inline_step(pair p, double u) {
  double r = p.x * p.x + p.y * p.y + 1;
  pair q = {p.x + 0.02 * p.y / (r * sqrt(r)), p.y - 0.03 * p.x / r + 0.01 * u};
  return q;
}
STEPS(structs, pair p; p.x = u[0]; p.y = u[1];, x += p.x * p.y;, p = inline_step(p, u[i]);)
STEPS(structs_by_call, pair p; p.x = u[0]; p.y = u[1];, x += p.x * p.y;, p = step_of(p, u[i]);)

/* Small arrays, in loops that are unrolled. */
STEPS(array, double a[3]; for (int k = 0; k < 3; k++) a[k] = u[k];, x += a[0] * a[1] + a[2];, double d[3];
      for (int k = 0; k < 3; k++) d[k] = a[k] * a[(k + 1) % 3] / (9 + a[k] * a[k]) + 0.1 * u[i];
      for (int k = 0; k < 3; k++) a[k] += 0.02 * d[k];)
STEPS(triangle, double a[4]; for (int k = 0; k < 4; k++) a[k] = u[k] + k;, x += a[0] * a[1] + a[3];, double d[4] = {0};
      for (int k = 0; k < 4; k++) for (int l = 0; l < k; l++) { double r = a[k] - a[l]; r /= r * r + 1; d[k] += r; d[l] -= r; }
      for (int k = 0; k < 4; k++) a[k] += 0.01 * (d[k] + u[i]);)
STEPS(array_at_random, double a[4]; for (int k = 0; k < 4; k++) a[k] = u[k];, x += a[0] * a[1] + a[3];,
      for (int k = 0; k < 3; k++) a[(places[i] + k) & 3] += a[k] * a[k + 1] / (60 + a[k] * a[k]);)

#define TRY(name)                                                             \
  for (int k = 0; k < COUNT(sizes); k++) {                                    \
    steps = sizes[k];                                                         \
    CHECK_FULL(name, name##_gradient, 0, 0, u, N, 1e-6, 1e-10);               \
  }

int main(void) {
  double u[N];
  for (int i = 0; i < N; i++) {
    u[i] = 0.5 + 0.4 * sin(3.7 * i) + 1e-3 * i;
    places[i] = (i * 7) % 23;
  }
  TRY(plain) TRY(inputs) TRY(inputs_twice) TRY(by_index) TRY(one_for_all) TRY(two_states) TRY(delayed) TRY(downwards)
  TRY(chosen) TRY(branched) TRY(left_early) TRY(in_others) TRY(around_others) TRY(two_loops) TRY(roots_of_zero)
  TRY(calls) TRY(sums_of_squares) TRY(unused) TRY(overwritten) TRY(in_memory) TRY(kept) TRY(structs)
  TRY(structs_by_call) TRY(array) TRY(triangle) TRY(array_at_random)
  for (int k = 0; k < COUNT(sizes); k++) {
    steps = sizes[k];
    CHECK_ENGINE(CHECK_SINGLE(single_in_double, single_gradient, 0, u));
  }
  return check_done();
}
