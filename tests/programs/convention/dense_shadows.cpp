// reference: none (the matrices are made by derivatives alone)
/* __enzyme_todense: tangents that are rows of the identity, results and gradients that go into a sparse matrix. */
#include "check.h"
#include <stdexcept>
#include <vector>

extern int enzyme_width;
template <typename Pointer, typename... T> Pointer __enzyme_todense(void *load, void *store, T... arguments);
template <typename Pointer, typename... T> Pointer __enzyme_post_sparse_todense(void *load, void *store, T... arguments);
template <typename Result, typename... T> Result __enzyme_fwddiff_of(void *, T...);

struct Entry { size_t row, column; double value; };

static double unit_load(unsigned long long offset, size_t i) { return offset / sizeof(double) == i ? 1.0 : 0.0; }
static void unit_store(double, unsigned long long, size_t) { throw std::logic_error("a tangent is written"); }
static double none_load(unsigned long long, size_t, std::vector<Entry> &) { return 0; }
static void entry_store(double value, unsigned long long offset, size_t i, std::vector<Entry> &entries) {
  if (value != 0) entries.push_back({offset / sizeof(double), i, value});
}

/* A chain: every number meets the next. */
static double energy(const double *x, size_t n) {
  double s = 0;
  for (size_t i = 0; i + 1 < n; i++) s += (x[i + 1] - x[i]) * (x[i + 1] - x[i]) * x[i];
  return s;
}
NOINLINE static void step(const double *x, double *out, size_t i) { out[i] = x[i] * x[i] * (i > 0 ? x[i - 1] : 1); }
static void sweep(const double *x, double *out, size_t n) {
  for (const double *end = x + n, *at = x; at != end; ++at) step(x, out, (size_t)(at - x));
}
NOINLINE static void gradient(const double *x, double *dx, size_t n) {
  __enzyme_autodiff<void>((void *)energy, enzyme_dup, x, dx, enzyme_const, n);
}

static std::vector<Entry> jacobian(const double *x, size_t n) {
  std::vector<Entry> found;
  std::vector<double> out(n);
  for (size_t i = 0; i < n; i++)
    __enzyme_fwddiff<void>((void *)sweep, enzyme_dup, x, __enzyme_todense<double *>((void *)unit_load, (void *)unit_store, i),
                           enzyme_dup, out.data(), __enzyme_todense<double *>((void *)none_load, (void *)entry_store, i, &found),
                           enzyme_const, n);
  return found;
}
static std::vector<Entry> hessian(const double *x, size_t n) {
  std::vector<Entry> found;
  for (size_t i = 0; i < n; i++) {
    std::vector<double> dx(n);
    __enzyme_fwddiff<void>((void *)gradient, enzyme_dup, x, __enzyme_todense<double *>((void *)unit_load, (void *)unit_store, i),
                           enzyme_dup, dx.data(),
                           __enzyme_post_sparse_todense<double *>((void *)none_load, (void *)entry_store, i, &found),
                           enzyme_const, n);
  }
  return found;
}

/* Reverse: what is added to the shadow is read and written. */
static double sum_load(unsigned long long offset, double *sums) { return sums[offset / sizeof(double) % 2]; }
static void sum_store(double value, unsigned long long offset, double *sums) { sums[offset / sizeof(double) % 2] = value; }

int main() {
  const size_t n = 5;
  double x[n] = {0.5, -1.25, 2, 0.75, 1.5};
  double dense[n][n] = {}, expected[n][n] = {};
  for (auto &e : jacobian(x, n)) dense[e.row][e.column] += e.value;
  for (size_t i = 0; i < n; i++) {
    expected[i][i] = 2 * x[i] * (i > 0 ? x[i - 1] : 1);
    if (i > 0) expected[i][i - 1] = x[i] * x[i];
  }
  for (size_t i = 0; i < n * n; i++) check_value("jacobian", dense[i / n][i % n], expected[i / n][i % n], 1e-13);

  double h[n][n] = {};
  std::vector<Entry> entries = hessian(x, n);
  for (auto &e : entries) h[e.row][e.column] += e.value; /* nothing is there: each store is what is added */
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double e = 0;
      for (size_t k = 0; k + 1 < n; k++) { /* (b - a)^2 a: aa = 6a - 4b, ab = 2b - 4a, bb = 2a */
        if (i == k && j == k) e += 6 * x[k] - 4 * x[k + 1];
        if (i == k + 1 && j == k + 1) e += 2 * x[k];
        if ((i == k && j == k + 1) || (i == k + 1 && j == k)) e += 2 * x[k + 1] - 4 * x[k];
      }
      check_value("hessian", h[i][j], e, 1e-12);
    }

  double sums[2] = {0, 0}, g[n] = {};
  __enzyme_autodiff<void>((void *)energy, enzyme_dup, x, __enzyme_todense<double *>((void *)sum_load, (void *)sum_store, &sums[0]),
                          enzyme_const, n);
  gradient(x, g, n);
  check_value("even", sums[0], g[0] + g[2] + g[4], 1e-13);
  check_value("odd", sums[1], g[1] + g[3], 1e-13);
  return check_done();
}
