/* Numbers that an iteration is handed by the one before, which loaded them: up, down, over two and three elements, in
 * rows, members of structs; where the first comes from elsewhere, where it is overwritten before the loop begins, where
 * the array is overwritten in the loop, behind it, or is gone, and where some iterations load nothing. */
#include "check.h"

#define N 24

static volatile int length = N, first = 0; /* nobody knows these */

static double neighbours(const double *x) {
  int n = length;
  double s = 0;
  for (int i = 0; i < n - 1; i++) {
    double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
    s += 10 * a * a + b * b;
  }
  return s;
}

static double downwards(const double *x) {
  double s = 0;
  for (int i = length - 1; i >= 2; i--) s += sin(x[i] * x[i - 1]) * x[i - 2] * x[i - 2];
  return s;
}

static double three(const double *x) {
  int n = length;
  double s = 0;
  for (int i = 1; i + 2 < n; i++) {
    double d = x[i + 1] - 2 * x[i] + x[i - 1] * x[i + 2];
    s += sqrt(1 + d * d) * x[i] * x[i - 1];
  }
  return s;
}

static double before(const double *x) { /* the first is none of the array */
  int n = length;
  double s = 0, last = x[first];
  for (int i = 0; i < n; i++) {
    s += x[i] * x[i] * last;
    last = x[i];
  }
  return s;
}

static double constant(const double *x) {
  int n = length;
  double s = 0, last = 0.3;
  for (int i = 0; i < n; i++) {
    s += exp(x[i] * last);
    last = x[i];
  }
  return s;
}

static double changed_ahead(const double *x) { /* what was loaded in front is no longer there */
  int n = length;
  double u[N], s = 0;
  for (int i = 0; i < N; i++) u[i] = x[i];
  double last = u[0];
  u[first] = 0.7 * x[3];
  for (int i = 1; i < n; i++) {
    s += u[i] * last * last;
    last = u[i];
  }
  return s + u[0];
}

static double in_place(const double *x) {
  int n = length;
  double u[N], s = 0;
  for (int i = 0; i < N; i++) u[i] = x[i];
  for (int t = 0; t < 2; t++)
    for (int i = 0; i < n - 1; i++) u[i] = 0.5 * u[i] * u[i + 1] + 0.1 * u[i];
  for (int i = 0; i < N; i++) s += u[i] * u[i];
  return s;
}

static double behind(const double *x) {
  int n = length;
  double u[N], s = 0;
  for (int i = 0; i < N; i++) u[i] = x[i] * x[i];
  for (int i = 0; i < n - 1; i++) s += u[i] * u[i + 1] * u[i + 1];
  for (int i = first; i < n; i += 3) u[i] = s * x[i];
  for (int i = 0; i < n; i++) s += u[i];
  return s;
}

static double gone(const double *x) {
  int n = length;
  double *u = (double *)malloc(N * sizeof *u), s = 0;
  for (int i = 0; i < N; i++) u[i] = sin(x[i]);
  for (int i = 0; i < n - 1; i++) s += u[i] * u[i] * u[i + 1];
  free(u);
  return s;
}

static double now_and_then(const double *x) {
  int n = length;
  double s = 0, last = x[0];
  for (int i = 1; i < n; i++) {
    if ((i + first) % 3) {
      s += x[i] * last * last;
      last = x[i];
    } else
      s += last * last;
  }
  return s;
}

static double stopped(const double *x) {
  int n = length;
  double s = 0, last = x[0];
  for (int i = 1; i < n; i++) {
    s += last * last * (i + 1);
    if (s > 9) break;
    s += x[i] * last;
    last = x[i];
  }
  return s + last * last * last;
}

struct point {
  double at[2];
  int kind;
  float weight;
};
static double line(const double *x) {
  int n = length / 2;
  struct point p[N];
  double s = 0;
  for (int i = 0; i < N; i++) p[i] = (struct point){{x[i], x[N - 1 - i]}, i, (float)(0.5 + 0.25 * (i % 3))};
  for (int i = 1; i < n; i++) {
    double a = p[i].at[0] - p[i - 1].at[0], b = p[i].at[1] - p[i - 1].at[1];
    s += sqrt(0.1 + a * a + b * b) * p[i].weight * p[i - 1].weight;
  }
  return s;
}

static NOINLINE double rows(int m, int n, const double *u, double *v) {
  double s = 0;
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n - 1; j++) {
      double d = u[i * n + j + 1] * u[i * n + j];
      v[i * n + j] = d * d;
      s += d * u[i * n + j];
    }
  return s;
}
static double rows_apart(const double *x) {
  double u[N], v[N], s;
  for (int i = 0; i < N; i++) u[i] = v[i] = x[i];
  s = rows(3, length / 3, u, v);
  s += rows(2, length / 3, v, v); /* over what is read */
  for (int i = 0; i < N; i++) s += v[i] * v[i];
  return s;
}

/* Pointers, and numbers behind them. */
static NOINLINE double joined(int n, double *const *p) {
  double s = 0;
  for (int i = 1; i < n; i++) s += p[i][0] * p[i - 1][0] * p[i - 1][1];
  return s;
}
static double pointers(const double *x) {
  double u[N + 1], *p[N];
  for (int i = 0; i <= N; i++) u[i] = x[i % N];
  for (int i = 0; i < N; i++) p[i] = u + i * 5 % N;
  return joined(length, p);
}

/* Angles, of which the forward sweep needs nothing, or the sum. */
static double angles(const double *x) {
  int n = length;
  double s = 0;
  for (int i = 1; i < n; i++) s += (x[i] - x[i - 1]) * (sin(x[i]) + cos(x[i - 1]));
  return s;
}
static double turning(const double *x) {
  int n = length;
  double s = 0, a = 0;
  for (int i = 0; i < n; i++) {
    a += x[i];
    s += cos(a) * x[i] + (i ? sin(a + x[i - 1]) : 0);
  }
  return s * a;
}
static double angles_kept(const double *x) {
  int n = length;
  double w[N], s = 0;
  for (int i = 0; i < N; i++) w[i] = x[i];
  for (int i = 0; i + 1 < n; i++) {
    double a = sin(w[i]) * w[i + 1];
    s += a * cos(w[i + 1]);
    w[N - 1 - i] = a;
  }
  for (int i = 0; i < N; i++) s += w[i] * w[i];
  return s;
}

static double two_back(const double *x) {
  int n = length;
  double s = 0, a = x[0], b = x[1];
  for (int i = 2; i < n; i++) {
    s += x[i] * x[i] * b * b * a + a * a;
    a = b;
    b = x[i];
  }
  return s + a * b;
}
static double angles_back(const double *x) {
  int n = length;
  double s = 0, a = x[n], b = x[n - 1];
  for (int i = n - 2; i >= 0; i--) {
    s += sin(x[i] * b) * cos(a * b);
    a = b;
    b = x[i];
  }
  return s;
}
static double angles_in_place(const double *x) { /* what was loaded is overwritten before it is asked for */
  int n = length;
  double w[N], s = 0;
  for (int i = 0; i < N; i++) w[i] = x[i];
  double last = w[0];
  for (int i = 1; i < n; i++) {
    s += sin(last * last) * w[i];
    last = w[i];
    w[i] = 0.25 * i;
  }
  return s;
}
static double angles_changed(const double *x) { /* the first one is */
  int n = length;
  double w[N], s = 0;
  for (int i = 0; i < N; i++) w[i] = x[i];
  double last = w[0];
  w[first] = 0.7 * x[3];
  for (int i = 1; i < n; i++) {
    s += sin(last * last) * w[i];
    last = w[i];
  }
  return s;
}

static double steps(const double *x) {
  int n = length;
  double s = 0;
  for (int i = 0; i + 2 < n; i += 2) s += x[i] * x[i + 2] * x[i + 2] + x[i + 1] * x[i];
  return s;
}

DERIVED(neighbours)
DERIVED(downwards)
DERIVED(three)
DERIVED(before)
DERIVED(constant)
DERIVED(changed_ahead)
DERIVED(in_place)
DERIVED(behind)
DERIVED(gone)
DERIVED(now_and_then)
DERIVED(stopped)
DERIVED(line)
DERIVED(rows_apart)
DERIVED(steps)
DERIVED(pointers)
DERIVED(two_back)
DERIVED(angles_back)
DERIVED(angles_in_place)
DERIVED(angles_changed)
DERIVED(angles)
DERIVED(turning)
DERIVED(angles_kept)

int main(void) {
  static const int lengths[] = {24, 9, 3, 2, 1};
  for (int k = 0; k < COUNT(lengths); k++) {
    double x[N + 1];
    length = lengths[k];
    first = k % 3;
    for (int i = 0; i <= N; i++) x[i] = 0.45 + 0.3 * sin(1.7 * i + 0.3 + k);
    CHECK_DERIVED(neighbours, x);
    CHECK_DERIVED(downwards, x);
    CHECK_DERIVED(three, x);
    CHECK_DERIVED(before, x);
    CHECK_DERIVED(constant, x);
    CHECK_DERIVED(changed_ahead, x);
    CHECK_DERIVED(in_place, x);
    CHECK_DERIVED(behind, x);
    CHECK_DERIVED(gone, x);
    CHECK_DERIVED(now_and_then, x);
    CHECK_DERIVED(stopped, x);
    CHECK_DERIVED(line, x);
    CHECK_DERIVED(rows_apart, x);
    CHECK_DERIVED(steps, x);
    CHECK_DERIVED(pointers, x);
    CHECK_DERIVED(two_back, x);
    CHECK_DERIVED(angles_back, x);
    CHECK_DERIVED(angles_in_place, x);
    CHECK_DERIVED(angles_changed, x);
    CHECK_DERIVED(angles, x);
    CHECK_DERIVED(turning, x);
    CHECK_DERIVED(angles_kept, x);
  }
  return check_done();
}
