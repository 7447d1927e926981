/* One load serves several iterations of a loop, and what the iteration writes may be what the next ones read: into another
 * buffer, into the same one, one place before or behind it, up and down, of single precision, with the number before the
 * last one, with numbers that are handed on and no loads, and stores of them that are overwritten in the same iteration. */
#include "check.h"

#define N 23

int steps = 4; /* nobody knows that it stays so */

#define STEP(left, here, right) ((here) + 0.2 * ((left) - 2 * (here) + (right)) / (1 + (here) * (here)))

static double sum_of(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * a[i] * (1 + 0.1 * i);
  return s;
}
static NOINLINE void sweep(const double *u, double *v, int n) {
  for (int i = 1; i < n - 1; i++) v[i] = STEP(u[i - 1], u[i], u[i + 1]);
}
static NOINLINE void sweep_down(const double *u, double *v, int n) {
  for (int i = n - 2; i > 0; i--) v[i] = STEP(u[i - 1], u[i], u[i + 1]);
}
static double between(const double *x) {
  double a[N], b[N], *u = a, *v = b;
  for (int i = 0; i < N; i++) a[i] = x[i], b[i] = 0.5 * x[i];
  for (int t = 0; t < steps; t++) {
    sweep(u, v, N);
    v[0] = u[1], v[N - 1] = u[0];
    double *other = u;
    u = v, v = other;
  }
  return sum_of(u, N) + 0.3 * sum_of(v, N);
}
static double among_three(const double *x) {
  double a[N], b[N], c[N], *u = a, *v = b, *w = c;
  for (int i = 0; i < N; i++) a[i] = x[i], b[i] = x[i] * x[i], c[i] = 1;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < N - 1; i++) w[i] = 2 * v[i] - u[i] + 0.1 * sin(v[i]) * (v[i - 1] - 2 * v[i] + v[i + 1]);
    double *other = u;
    u = v, v = w, w = other;
  }
  return sum_of(u, N) + sum_of(v, N) + 0.2 * sum_of(w, N);
}
/* The same function with buffers that overlap: in place, and shifted by one and two either way. */
static double shifted_by(const double *x, int by, int down) {
  double a[N + 8];
  for (int i = 0; i < N + 8; i++) a[i] = x[i % N] * (1 + 0.01 * i);
  for (int t = 0; t < steps; t++)
    if (down) sweep_down(a + 4, a + 4 + by, N);
    else sweep(a + 4, a + 4 + by, N);
  return sum_of(a, N + 8);
}
static double in_place(const double *x) { return shifted_by(x, 0, 0) + shifted_by(x, 0, 1); }
static double one_behind(const double *x) { return shifted_by(x, 1, 0) + shifted_by(x, 1, 1); }
static double one_before(const double *x) { return shifted_by(x, -1, 0) + shifted_by(x, -1, 1); }
static double two_apart(const double *x) { return shifted_by(x, 2, 0) + shifted_by(x, -2, 1); }
/* What is written is what is read two iterations later, as anyone but the compiler can tell. */
static double by_index(const double *x) {
  double a[2 * N];
  int far = steps * 2 - 6;
  for (int i = 0; i < 2 * N; i++) a[i] = x[i % N];
  double here = a[1];
  for (int i = 1; i < N; i++) {
    double behind = a[i + 1];
    a[i + far] += 0.1 * here * here;
    a[i] += STEP(a[i - 1], here, behind);
    here = behind;
  }
  return sum_of(a, 2 * N);
}
static double single(const double *x) {
  float a[N], b[N], *u = a, *v = b;
  for (int i = 0; i < N; i++) a[i] = (float)x[i], b[i] = 0;
  for (int t = 0; t < 3; t++) {
    for (int i = 1; i < N - 1; i++) v[i] = 0.25f * (u[i - 1] + 2 * u[i] + u[i + 1]) * u[i];
    float *other = u;
    u = v, v = other;
  }
  double s = 0;
  for (int i = 0; i < N; i++) s += (double)u[i] * u[i];
  return s;
}
static double last_but_one(const double *x) {
  double y[N], before = x[0], here = x[1];
  for (int i = 2; i < N; i++) {
    y[i] = before * here;
    y[i - 1] = here * x[i];
    y[i] += before * x[i];
    before = here, here = x[i];
  }
  double s = before * here;
  for (int i = 1; i < N; i++) s += y[i] * y[i] * i;
  return s;
}
static double without_loads(const double *x) {
  double y[N], z[N], here = x[0];
  for (int i = 0; i < N; i++) {
    y[i] = here * here;
    double next = sin(0.3 * i) * x[3];
    z[i] = y[i] * next + here;
    here = next;
  }
  return sum_of(y, N) + sum_of(z, N) + here;
}
static double left_early(const double *x) {
  double y[N], here = x[0], s = 0;
  int i;
  for (i = 1; i < N; i++) {
    y[i] = here * x[i];
    if (y[i] > 1.5) break;
    here = x[i] * x[i];
    y[i] *= here;
  }
  for (int k = 1; k < i; k++) s += y[k] * y[k];
  return s + here;
}
DERIVED(between)
DERIVED(among_three)
DERIVED(in_place)
DERIVED(one_behind)
DERIVED(one_before)
DERIVED(two_apart)
DERIVED(by_index)
DERIVED(last_but_one)
DERIVED(without_loads)
DERIVED(left_early)
static void single_gradient(const double *x, double *g) { __enzyme_autodiff((void *)single, enzyme_dup, x, g); }
static double single_tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)single, enzyme_dup, x, v);
}
static double in_double(const double *x) {
  double a[N], b[N], *u = a, *v = b, s = 0;
  for (int i = 0; i < N; i++) a[i] = x[i], b[i] = 0;
  for (int t = 0; t < 3; t++) {
    for (int i = 1; i < N - 1; i++) v[i] = 0.25 * (u[i - 1] + 2 * u[i] + u[i + 1]) * u[i];
    double *other = u;
    u = v, v = other;
  }
  for (int i = 0; i < N; i++) s += u[i] * u[i];
  return s;
}

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.8 + 0.5 * sin(1.7 * i + 0.4);
#define EACH(f) CHECK_DERIVED(f, x)
  EACH(between); EACH(among_three); EACH(in_place); EACH(one_behind); EACH(one_before); EACH(two_apart); EACH(by_index);
  EACH(last_but_one); EACH(without_loads); EACH(left_early);
  CHECK_SINGLE(in_double, single_gradient, single_tangent, x);
  return check_done();
}
