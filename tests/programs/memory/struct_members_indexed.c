/* Structs of arrays beside other things: an index into an array moves inside it, whatever shape its steps have. */
#include "check.h"

struct model {
  double m[5];
  int order[5];
  int n;
  double scale;
};

static NOINLINE double ordered(struct model s, double x) {
  double r = 0;
  for (int i = 0; i < s.n; i++) r = r * x + s.m[s.order[i]] * s.scale;
  return r;
}

static NOINLINE struct model turned(struct model s, double x) {
  for (int i = 0; i < s.n; i++) {
    int other = s.n - 1 - s.order[i], kept = s.order[i];
    s.order[i] = s.order[other];
    s.order[other] = kept;
    s.m[other] *= x;
  }
  s.scale += s.m[0];
  return s;
}

static double permuted(const double *x) {
  struct model s = {{0}, {2, 0, 3, 1, 4}, 4, 1.5};
  for (int i = 0; i < 5; i++) s.m[i] = x[i] * x[(i + 1) % 5];
  return ordered(turned(s, x[1]), x[2]) + ordered(s, x[0]);
}
DERIVED(permuted)

struct lu {
  double a[3][3];
  int rows[3];
  int sign;
  double norm;
};

static NOINLINE double factor(struct lu *f) {
  for (int k = 0; k < 3; k++) {
    int best = k;
    for (int i = k + 1; i < 3; i++)
      if (fabs(f->a[k][i]) > fabs(f->a[k][best])) best = i;
    f->rows[k] = best;
    if (best != k) f->sign = -f->sign;
    for (int j = 0; j < 3; j++) {
      double t = f->a[j][k];
      f->a[j][k] = f->a[j][best];
      f->a[j][best] = t;
    }
    for (int i = k + 1; i < 3; i++) {
      f->a[k][i] /= f->a[k][k];
      for (int j = k + 1; j < 3; j++) f->a[j][i] -= f->a[k][i] * f->a[j][k];
    }
  }
  return f->sign * f->a[0][0] * f->a[1][1] * f->a[2][2];
}

static double eliminated(const double *x) {
  struct lu f;
  f.sign = 1;
  f.norm = 0;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) f.a[j][i] = x[3 * j + i], f.norm += x[3 * j + i] * x[3 * j + i];
  struct lu copy = f;
  double r = factor(&f) * f.norm;
  return r + copy.a[1][f.rows[0]] * f.rows[1] + f.a[2][copy.sign];
}
DERIVED(eliminated)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3}, y[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9};
  CHECK_DERIVED(permuted, x);
  CHECK_DERIVED(eliminated, y);
  return check_done();
}
