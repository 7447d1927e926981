/* Recursions whose ends have nothing to keep, or little, or something on one way only; ways that parameters tell, by
 * conditions, switches with shared and missing cases, divisions by what is zero on other ways, in loops and behind them; ways
 * that memory, numbers and counters tell; functions that call each other; calls in loops, none, one and many. */
#include "check.h"

#define N 13

/* The ends add only. */
static NOINLINE double halves(double *x, int n) {
  if (n <= 0) return 0;
  if (n == 1) {
    x[0] *= 1.5;
    return 1;
  }
  if (n == 2) {
    x[1] += 0.5 * x[0];
    return x[0] + 2;
  }
  double s = halves(x, n / 2) * halves(x + n / 2, n - n / 2);
  for (int i = 0; i < n / 2; i++) {
    double a = x[i], b = x[i + n / 2];
    x[i] = 0.7 * a + 0.3 * b * b;
    x[i + n / 2] = 0.7 * a - 0.3 * b;
  }
  return sin(s);
}
/* By a switch: cases that share a way, one that ends the program, the rest by parameters that may be zero. */
static NOINLINE double cases(double *x, int n, int m, unsigned kind) {
  double s = 0;
  switch (kind) {
  case 0: case 3: s = x[0] * x[1]; break;
  case 1: return x[2];
  case 2:
    if (m != 0 && n / m > 2) s = sin(x[2]);
    else s = x[3] * 2;
    break;
  case 9: abort();
  default:
    if (n > 3) {
      s = cases(x, n - 2, m, kind % 4) * x[n % N];
      x[n % N] *= 0.9;
    }
  }
  x[1] = 0.7 * x[1] + 0.1 * s;
  if (n > 5) s += cases(x, n - 3, m - 1, kind + 1 == 9 ? 0 : kind + 1) * s;
  return sin(s);
}
/* In a loop: told by parameters, by its counter, by memory, by a number. */
static NOINLINE double loops(double *x, const int *at, int n, int m, int depth) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    if (m > 2) {
      if (depth == 1) s *= x[i];
      else if (depth == 2) s += sin(x[i] * s);
      else x[i] += 0.1 * s;
    } else if (m == 1) s -= x[i] * x[i];
    if (i == m) s *= x[0];
    else if (at[i] == 1) s += x[i] * x[i] * s;
    else if (at[i] == 2 || s > 2) s *= 0.5;
    if (depth > 0 && i % 2 == 0) s += 0.2 * loops(x, at, n / 2, m - 1, depth - 1) * x[i];
    s = sin(s);
    if (s < -0.95) return s;
  }
  return s;
}
/* Two that call each other; one of them often has nothing to do. */
static NOINLINE double odd(double *x, int n, int how);
static NOINLINE double even(double *x, int n, int how) {
  if (n < 1) return how & 1 ? x[0] : 1;
  double y = x[n % N], s = odd(x, n - 1, how);
  x[n % N] = y * s * 0.5;
  return sin(s + y);
}
static NOINLINE double odd(double *x, int n, int how) {
  if (n < 0) return x[1];
  if (n % 3 == how) return even(x, n - 1, how);
  return even(x, n - 1, how + 1) + even(x, n - 4, how) * x[2];
}
/* Sums over what is left, as in a determinant: what a call is given differs from round to round. */
static NOINLINE double minors(double *x, int *next, int n) {
  double s = 0, sign = 1;
  int before = N, at = next[N];
  if (n == 1) return x[at];
  for (int i = 0; i < n; i++) {
    next[before] = next[at];
    s += sign * x[at] * minors(x, next, n - 1);
    x[at] = 0.9 * x[at] + 0.01 * s;
    next[before] = at;
    sign = -sign, before = at, at = next[at];
  }
  return s;
}

static double all(const double *x) {
  double s = 0, u[N];
  int at[N], next[N + 1];
  for (int n = 0; n <= N; n += n < 5 ? 1 : 4) {
    memcpy(u, x, sizeof u);
    s += halves(u, n);
    for (unsigned kind = 0; kind < 6; kind++) s += cases(u, n + 2, (int)kind - 1, kind);
    for (int i = 0; i < N; i++) at[i] = (i * 5 + n) % 4;
    for (int m = 0; m < 5; m++)
      for (int depth = 0; depth < 4; depth++) s += 0.1 * loops(u, at, n < 7 ? n : 7, m, depth);
    for (int how = 0; how < 3; how++) s += even(u, n, how);
    for (int i = 0; i < N; i++) s += u[i] * u[i];
  }
  memcpy(u, x, sizeof u);
  for (int n = 1; n < 6; n++) {
    for (int i = 0; i < N; i++) next[i] = i + 1;
    next[N] = 0;
    s += minors(u, next, n);
  }
  return s;
}
DERIVED(all)
static double one(const double *x) {
  double u[N], s;
  memcpy(u, x, sizeof u);
  s = halves(u, N);
  for (int i = 0; i < N; i++) s += (1 + 0.1 * i) * u[i];
  return s;
}
DERIVED(one)
static double slope(const double *x) {
  double g[N] = {0}, s = 0;
  GRADIENT_OF(one, x, g, N);
  for (int i = 0; i < N; i++) s += g[i] * (1 + 0.2 * i);
  return s;
}
DERIVED(slope)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.5 + 0.04 * ((i * 7) % 12) - 0.9 * (i % 4 == 2);
  CHECK_DERIVED(all, x);
  CHECK_DERIVED(one, x);
  CHECK_ENGINE(CHECK_DERIVED(slope, x));
  return check_done();
}
