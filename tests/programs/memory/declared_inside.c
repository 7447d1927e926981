/* Arrays that are declared in a loop, whose elements an iteration writes in an order that is hard to follow (triangles,
 * indices that are looked up, ways that differ): what they held before is nobody's. Beside them such as look alike and do
 * hand something on: declared in front of the loop, or in a loop around it. */
#include "check.h"
#include <stdlib.h>
#include <string.h>

#define N 40
#define L 6

static volatile int rounds = N; /* nobody knows that */
static const int order[L] = {3, 0, 5, 1, 4, 2};

/* A triangle: diagonal, beside it, and the rest. */
static double triangle(const double *x) {
  double s = 0;
  for (int i = 0, n = rounds; i < n; i++) {
    double P[L][L], c = cos(x[i]), z = sin(x[i]);
    P[0][0] = 1;
    for (int m = 1; m < L; m++) P[m][m] = -(2 * m - 1) * z * P[m - 1][m - 1] / m;
    for (int m = 0; m + 1 < L; m++) P[m + 1][m] = (2 * m + 1) * c * P[m][m] / (m + 1);
    for (int m = 0; m < L; m++)
      for (int l = m + 2; l < L; l++) P[l][m] = ((2 * l - 1) * c * P[l - 1][m] - (l + m - 1) * P[l - 2][m]) / (l - m + 1);
    for (int l = 0; l < L; l++)
      for (int m = 0; m <= l; m++) s += x[(l + m) % N] * P[l][m] * P[l][m] * 0.01;
  }
  return s;
}

/* Written at places that are looked up, by a function of its own, which is given the array. */
static NOINLINE void put(double *at, const double *x, int i) {
  for (int k = 0; k < L; k++) at[order[k]] = x[(i + k) % N] * (k ? at[order[k - 1]] : 0.7);
}
static double looked_up(const double *x) {
  double s = 0;
  for (int i = 0, n = rounds; i < n; i++) {
    double a[L];
    put(a, x, i);
    for (int k = 1; k < L; k++) a[k] *= a[k - 1] + 1;
    s += a[L - 1] * a[i % L];
  }
  return s;
}

/* The same, declared in front of the loop: an iteration finds what the one before left. */
static double from_before(const double *x) {
  double a[L], s = 0;
  for (int k = 0; k < L; k++) a[k] = x[k];
  for (int i = 0, n = rounds; i < n; i++) {
    for (int k = 1; k < L; k++) a[order[k]] = a[order[k]] * 0.5 + a[order[k - 1]] * x[(i + k) % N] * 0.4;
    double b[L];
    for (int k = 0; k < L; k++) b[order[k]] = sin(a[k]) + (k ? b[order[k - 1]] * 0.3 : 0);
    s += b[2] * b[i % L];
  }
  return s;
}

/* Declared in the loop around: its iterations begin anew, those of the loop inside do not. */
static double one_further_out(const double *x) {
  double s = 0;
  for (int i = 0, n = rounds / 5; i < n; i++) {
    double a[L];
    for (int k = 0; k < L; k++) a[order[k]] = x[(i + k) % N];
    for (int j = 0; j < 20; j++) {
      double b[L];
      for (int k = 0; k < L; k++) b[order[k]] = a[k] * x[(i + j) % N] + (k ? b[order[k - 1]] * 0.2 : 0.1);
      for (int k = 0; k < L; k++) a[order[k]] = 0.9 * a[order[k]] + 0.1 * tanh(b[k]);
      s += b[j % L] * a[(i + j) % L];
    }
  }
  return s;
}

/* Declared where some iterations do not come by; read in the same place, and a copy of it further on. */
static double on_one_way(const double *x) {
  double s = 0, last[L] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  for (int i = 0, n = rounds; i < n; i++) {
    if (x[i] > 0.2 && i % 5) {
      double a[L];
      for (int k = 0; k < L; k++) a[order[k]] = last[k] * x[(i + k) % N] + (k > 1 ? a[order[k - 2]] : 0.3);
      for (int k = 0; k < L; k++) s += a[k] * a[(k * 5) % L] * 0.1;
      if (i % 3 == 0) memcpy(last, a, sizeof last);
    } else if (i % 7 == 3)
      continue;
    else {
      double b[2] = {x[i], s * 0.1};
      for (int k = 0; k < i % 4; k++) b[k % 2] = b[(k + 1) % 2] * x[k] + sin(b[k % 2]);
      s += b[0] * b[1] * 0.2;
    }
  }
  return s + last[1] * last[4];
}

/* Left early, with a part of the array never written and never read; numbers of several kinds in one struct. */
struct mixed { int upto; double v[L]; float f; };
static double left_early(const double *x) {
  double s = 0;
  for (int i = 0, n = rounds; i < n; i++) {
    struct mixed m;
    m.f = 0.1f * i;
    for (m.upto = 0; m.upto < L; m.upto++) {
      m.v[m.upto] = x[(i + m.upto) % N] * (m.upto ? m.v[m.upto - 1] + 0.5 : 1.2);
      if (m.v[m.upto] < 4 * ((i * 7 + m.upto * 3) % 8 == 0)) break;
    }
    for (int k = 0; k < m.upto; k++) s += m.v[k] * m.v[m.upto - 1 - k] * (double)m.f;
  }
  return s;
}

/* The scope is left and entered again inside of one iteration, and an address of the array decides nothing. */
static double twice_in_one(const double *x) {
  double s = 0;
  for (int i = 0, n = rounds; i < n; i++) {
    double *other;
    double kept[2];
    for (int round = 0; round < 2; round++) {
      double a[L], b[L];
      for (int k = 0; k < L; k++) a[order[k]] = x[(i + k + round) % N], b[k] = (k ? a[order[k - 1]] : 1) * x[i];
      other = (i + round) % 2 ? a : b;
      for (int k = 1; k < L; k++) other[order[k]] += other[order[k - 1]] * a[k] * 0.5;
      kept[round] = other[2] + a[1] * b[3];
    }
    s += kept[0] * kept[1];
  }
  return s;
}

DERIVED(triangle)
DERIVED(looked_up)
DERIVED(from_before)
DERIVED(one_further_out)
DERIVED(on_one_way)
DERIVED(left_early)
DERIVED(twice_in_one)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.45 + 0.3 * sin(1.7 * i + 0.3);
  for (int round = 0; round < 2; round++) {
    CHECK_DERIVED(triangle, x);
    CHECK_DERIVED(looked_up, x);
    CHECK_DERIVED(from_before, x);
    CHECK_DERIVED(one_further_out, x);
    CHECK_DERIVED(on_one_way, x);
    CHECK_DERIVED(left_early, x);
    CHECK_DERIVED(twice_in_one, x);
    for (int i = 0; i < N; i++) x[i] = 0.8 * x[i] + 0.01 * i;
  }
  return check_done();
}
