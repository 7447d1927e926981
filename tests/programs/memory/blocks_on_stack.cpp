/* Small blocks of the heap: vectors of two and three numbers in loops, blocks that live on into the next iteration or are
 * swapped, that are given back on some ways only, by another function, or not at all, that are cleared, copied, compared,
 * thrown past, grown, filled by index, and those of a recursion. */
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "check.h"

#define N 12
using std::vector;

int two = 2; /* nobody knows that it stays so */

static double vectors(const double *x) {
  double s = 0;
  for (int i = 0; i + 3 < N; i++) {
    vector<double> d(3);
    for (int k = 0; k < 3; k++) d[k] = x[i + k + 1] - x[i];
    double r = 0.1;
    for (double each : d) r += each * each;
    s += std::sqrt(r) + 1 / r;
  }
  return s;
}
static vector<double> cross(const vector<double> &a, const vector<double> &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
static double returned(const double *x) {
  double s = 0;
  for (int i = 0; i + 5 < N; i++) {
    vector<double> c = cross({x[i], x[i + 1], x[i + 2]}, {x[i + 3], x[i + 4], x[i + 5]});
    s += c[0] * c[1] + std::sin(c[2]);
  }
  return s;
}
/* The block of the last iteration is read in this one. */
static double lives_on(const double *x) {
  double *last = (double *)malloc(2 * sizeof(double)), s = 0;
  last[0] = x[0], last[1] = x[1];
  for (int i = 2; i < N; i++) {
    double *next = (double *)malloc(2 * sizeof(double));
    next[0] = last[1] * x[i], next[1] = last[0] + x[i] * x[i];
    s += next[0] * next[1];
    free(last);
    last = next;
  }
  s += last[0];
  free(last);
  return s;
}
static double lives_on_briefly(const double *x) {
  double s = 0;
  for (int i = 0; i + 4 < N; i++) {
    double *last = nullptr;
    for (int k = 0; k < 3; k++) {
      double *next = (double *)malloc(2 * sizeof(double));
      next[0] = x[i + k], next[1] = x[i] * x[i + k];
      if (last) next[1] += last[0] * last[1], free(last);
      last = next;
    }
    s += last[0] * last[1];
    free(last);
  }
  return s;
}
static double swapped(const double *x) {
  vector<double> a{x[0], x[1]}, b{x[2], x[3]};
  double s = 0;
  for (int i = 0; i < N; i++) {
    b[0] = a[1] * x[i], b[1] = a[0] + x[i];
    s += b[0] * b[1];
    a.swap(b);
  }
  return s + a[0] * b[1];
}
static double some_ways(const double *x) {
  double s = 0;
  for (int i = 0; i < N - 1; i++) {
    double *p = (double *)malloc(16);
    p[0] = x[i], p[1] = x[i + 1] * x[i];
    if (x[i] > 1.2) {
      s += p[0] * p[1];
      free(p);
      continue;
    }
    s += p[1] * p[1];
    if (i % 3) free(p);
  }
  return s;
}
static NOINLINE void give_back(double *p) {
  p[0] = 0;
  free(p);
}
static double by_another(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    double *p = (double *)malloc(8);
    *p = x[i] * x[i];
    s += *p * x[0];
    give_back(p);
  }
  return s;
}
static double cleared(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    double *p = (double *)calloc(3, sizeof(double)), *q = (double *)calloc(1, 24);
    p[i % 2] += x[i] * x[i]; /* not named by a constant */
    for (int k = 0; k < 3; k++) q[k] += x[(i + k) % N] * (k + 1);
    q[1] *= q[0];
    s += p[0] * p[1] + p[0] + q[1] * q[2];
    free(p), free(q);
  }
  return s;
}
static double copied(const double *x) {
  double s = 0;
  for (int i = 0; i + 2 < N; i++) {
    double *p = new double[3], *q = new double[3];
    memcpy(p, x + i, 24);
    memmove(q, p, 24);
    p[0] *= q[1];
    q[2] += p[0] * p[0];
    s += p[0] * q[2] - p[1];
    delete[] p;
    delete[] q;
  }
  return s;
}
static double compared(const double *x) {
  double s = 0;
  for (int i = 0; i + 1 < N; i++) {
    double *p = (double *)malloc(16), *end = p + 2;
    if (!p) return -1;
    double *at = p;
    for (int k = 0; at != end; at++, k++) *at = x[i + k] * (k + 1);
    s += p[0] * p[1] * (double)(end - p) + ((uintptr_t)p % 8 ? 1 : 0);
    free(p);
  }
  return s;
}
static double thrown_past(const double *x) {
  double s = 0;
  for (int i = 0; i + 1 < N; i++) {
    try {
      vector<double> a(2), b(2);
      a[0] = x[i], a[1] = x[i + 1];
      if (a[0] > 1.25) throw std::range_error("large");
      b[0] = a[0] * a[1], b[1] = a[1];
      s += b[0] * b[1];
    } catch (const std::range_error &) {
      s += 0.5 * x[i];
    }
  }
  return s;
}
static double grown(const double *x) {
  double s = 0;
  for (int i = 0; i + 2 < N; i++) {
    vector<double> a;
    for (int k = 0; k < two; k++) a.push_back(x[i + k] * x[i]);
    a.push_back(x[i + 2]);
    s += a[0] * a[1] * a[2];
  }
  return s;
}
/* The address goes into memory, and is read back. */
static double held(const double *x) {
  double s = 0;
  for (int i = 0; i + 1 < N; i++) {
    vector<vector<double>> m(2, vector<double>(2));
    m[0][0] = x[i], m[0][1] = x[i + 1], m[1][0] = x[i] * x[i], m[1][1] = 1;
    std::swap(m[0], m[1]);
    s += m[0][0] * m[1][1] - m[0][1] * m[1][0];
  }
  return s;
}
static double owned(const double *x) {
  double s = 0;
  for (int i = 0; i + 1 < N; i++) {
    std::unique_ptr<double[]> p(new double[2]);
    p[0] = x[i], p[1] = p[0] * x[i + 1];
    std::unique_ptr<double[]> q = std::move(p);
    s += q[0] * q[1];
  }
  return s;
}
static NOINLINE double down(const double *x, int n) {
  if (n == 0) return x[0];
  vector<double> a(2);
  a[0] = x[n], a[1] = down(x, n - 1);
  double b = n > 3 ? down(x, n - 3) : 1;
  return a[0] * a[1] * b * 0.5 + a[1];
}
static double recursive(const double *x) { return down(x, N - 1); }
/* Two blocks with one life each, of which only one is there at a time. */
static double either(const double *x) {
  double s = 0;
  for (int i = 0; i < N; i++) {
    double *p = x[i] > 1 ? (double *)malloc(8) : (double *)malloc(16);
    p[0] = x[i] * x[i];
    s += p[0] * (i + 1);
    free(p);
  }
  return s;
}
DERIVED(vectors)
DERIVED(returned)
DERIVED(lives_on)
DERIVED(lives_on_briefly)
DERIVED(swapped)
DERIVED(some_ways)
DERIVED(by_another)
DERIVED(cleared)
DERIVED(copied)
DERIVED(compared)
DERIVED(thrown_past)
DERIVED(grown)
DERIVED(held)
DERIVED(owned)
DERIVED(recursive)
DERIVED(either)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.9 + 0.4 * sin(1.7 * i + 0.4);
#define EACH(f) CHECK_DERIVED(f, x)
  EACH(vectors); EACH(returned); EACH(lives_on); EACH(lives_on_briefly); EACH(swapped); EACH(some_ways); EACH(by_another); EACH(cleared);
  EACH(copied); EACH(compared); EACH(thrown_past); EACH(grown); EACH(held); EACH(owned); EACH(recursive); EACH(either);
  return check_done();
}
