/* Small arrays of a function's own and loops over them: vectors of two to four, matrices of two and three rows, arrays
 * whose elements go elsewhere by address, hold integers, are filled in part, or are told apart only when it runs. */
#include "check.h"

#define SIZE 18

static int given, turns;

/* 2x2 and 3x3 products in a loop in time */
static NOINLINE double square(const double *x) {
  double p[2][2] = {{1, 0}, {0, 1}}, s = 0;
  for (int t = 0; t < turns; t++) {
    double q[2][2];
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) {
        q[i][j] = 0;
        for (int k = 0; k < 2; k++) q[i][j] += p[i][k] * x[(2 * k + j + t) % SIZE];
      }
    memcpy(p, q, sizeof p);
    s += p[0][1] * p[1][0];
  }
  return s + p[0][0];
}
static NOINLINE double cube(const double *x) {
  double p[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, v[3] = {x[0], x[1], x[2]}, s = 0;
  for (int t = 0; t < turns; t++) {
    double q[3][3], w[3];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        q[i][j] = 0.1 * (i == j);
        for (int k = 0; k < 3; k++) q[i][j] += p[i][k] * x[(3 * k + j + t) % SIZE];
      }
    double *into = p[0], *from = q[0];
    for (int i = 0; i < 9; i++) into[i] = from[i] * from[8 - i] + 0.2;
    for (int i = 0; i < 3; i++) {
      w[i] = 0;
      for (int k = 0; k < 3; k++) w[i] += p[i][k] * v[k];
    }
    for (int i = 0; i < 3; i++) v[i] = w[i] / (1 + w[i] * w[i]), s += v[i];
  }
  return s;
}
/* an element that only the running program names: these stay memory */
static NOINLINE double chosen(const double *x) {
  double v[3], s = 0;
  for (int t = 0; t < turns; t++) {
    for (int i = 0; i < 3; i++) v[i] = x[(i + t) % SIZE] * x[i];
    v[given % 3] *= 2 * v[(given + t) % 3];
    for (int i = 0; i < 3; i++) s += v[i] * v[2 - i] * s * 0.1 + v[i];
  }
  return s;
}
/* filled in part, and what was there before is read */
static NOINLINE double kept(const double *x) {
  double v[4] = {x[0], x[1], x[2], x[3]}, s = 0;
  for (int t = 0; t < turns; t++) {
    for (int i = 0; i < 4; i++)
      if ((i + t) % 3) v[i] = v[i] * x[4 + i] + v[(i + 1) % 4] * 0.5;
    for (int i = 0; i < 2; i++) s += v[i] * v[i + 2];
  }
  return s;
}
/* through a pointer that goes along, and one to either of two arrays */
static NOINLINE double pointers(const double *x) {
  double a[3], b[3], s = 0;
  for (int t = 0; t < turns; t++) {
    double *p = a;
    for (int i = 0; i < 3; i++) *p++ = x[i + t % 9] * 1.5, b[i] = x[5 + i];
    double *q = t & 1 ? a : b, *r = given & 1 ? b : a;
    for (int i = 0; i < 3; i++) q[i] += r[2 - i] * r[i];
    for (int i = 0; i < 3; i++) s += a[i] * b[i] + s * 0.01 * a[i];
  }
  return s;
}
/* handed to another function */
static NOINLINE double length(const double *v, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += v[i] * v[i];
  return sqrt(s);
}
static NOINLINE double handed(const double *x) {
  double v[3], s = 0;
  for (int t = 0; t < turns; t++) {
    for (int i = 0; i < 3; i++) v[i] = x[(3 * t + i) % SIZE];
    double l = length(v, 3);
    for (int i = 0; i < 3; i++) v[i] /= l, s += v[i] * x[i];
  }
  return s;
}
/* structs, and numbers among integers */
struct part {
  int n;
  double at[2];
  float w;
};
static NOINLINE double mixed(const double *x) {
  double s = 0;
  for (int t = 0; t < turns; t++) {
    struct part p = {t, {x[t % 9], x[t % 7]}, 2};
    int order[3] = {2, 0, 1};
    double v[3];
    for (int i = 0; i < 2; i++) p.at[i] *= x[10 + i] * p.w;
    for (int i = 0; i < 3; i++) v[order[i]] = x[i + 3] * p.at[i / 2];
    for (int i = 0; i < 3; i++) s += v[i] * (i + 1) * p.at[(p.n + i) % 2];
  }
  return s;
}
/* a loop inside that is not short, loops that are left early, and lengths that fill vectors */
static NOINLINE double around(const double *x) {
  double v[3] = {0, 0, 0}, u[8], s = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < given; j++) v[i] += x[j % SIZE] * x[(i + j) % SIZE];
    if (v[i] > 4.7) break;
  }
  for (int t = 0; t < turns; t++) {
    for (int i = 0; i < 8; i++) u[i] = x[i] * v[i % 3];
    for (int i = 0; i < 3; i++) {
      if (u[i] > 1.37) continue;
      v[i] = 0.9 * v[i] + 0.1 * u[2 * i] * u[7 - i];
    }
    for (int i = 0; i < 3; i++) s += v[i] * v[i];
  }
  return s;
}
/* two rounds, one round, and none */
static NOINLINE double few(const double *x) {
  double v[2], w[1], s = 0;
  for (int t = 0; t < turns; t++) {
    for (int i = 0; i < 2; i++) v[i] = x[i + t % 5] * x[i];
    for (int i = 0; i < 1; i++) w[i] = v[i] * v[i + 1];
    for (int i = 1; i >= 0; i--) s += v[i] * w[0] * (1 + s * 0.01);
    for (int i = 2; i < 2; i++) s += v[i];
  }
  return s;
}

#define EACH(do) do(square) do(cube) do(chosen) do(kept) do(pointers) do(handed) do(mixed) do(around) do(few)
EACH(DERIVED)

int main(void) {
  double x[SIZE];
  for (int i = 0; i < SIZE; i++) x[i] = 0.7 + 0.3 * cos(1.3 * i + 0.4);
  for (given = 0; given < 6; given++)
    for (turns = 0; turns < 8; turns = 2 * turns + 1) {
#define ONE(f) CHECK_DERIVED(f, x);
      EACH(ONE)
    }
  return check_done();
}
