// Blocks of new and of containers, small ones and large ones, given back with their sizes.
#include <memory>
#include <vector>

#include "../check.h"

static const int N = 7;
static long room = 12;

static double arrays(const double *x) {
  double *a = new double[room], *b = new double[room]();
  double s = 0;
  for (long i = 0; i < N; i++) a[i] = x[i] * x[i], b[room - 1 - i] += a[i];
  for (long i = 0; i < N; i++) s += a[i] * b[room - N + i];
  delete[] a;
  delete[] b;
  return s;
}
DERIVED(arrays)

static double vectors(const double *x) {
  std::vector<double> a(room, 1.5), b(x, x + N);
  for (long step = 0; step < 3; step++) {
    std::vector<double> next(room);
    for (long i = 0; i < room; i++) next[i] = 0.5 * a[i] + 0.1 * b[i % N] * a[(i + 1) % room];
    a.swap(next);
  }
  for (int i = 0; i < 5; i++) b.push_back(a[i]);
  double s = 0;
  for (double each : b) s += each * each;
  for (double each : a) s += each;
  return s;
}
DERIVED(vectors)

struct pair {
  double value[400];
  long count;
};
static double objects(const double *x) {
  auto one = std::make_unique<pair>();
  std::unique_ptr<double[]> other(new double[room]);
  pair *plain = new pair;
  one->count = plain->count = N;
  for (int i = 0; i < N; i++) one->value[i] = x[i], plain->value[i] = std::sin(x[i]), other[i] = x[i] * 2;
  double s = 0;
  for (long i = 0; i < one->count; i++) s += one->value[i] * plain->value[i] * other[i];
  delete plain;
  return s;
}
DERIVED(objects)

int main() {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = std::cos(1.1 * i);
  for (room = 12; room < 12000; room *= 25) {
    CHECK_DERIVED(arrays, x);
    CHECK_DERIVED(vectors, x);
    CHECK_DERIVED(objects, x);
  }
  return check_done();
}
