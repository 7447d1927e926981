/* Programs as people write them in C++ (see everyday.c): vectors of vectors, operators, lambdas, virtual functions,
 * matrices that are returned by value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cmath>
#include <memory>
#include <numeric>
#include <vector>

#include "everyday.h"

using std::vector;

// a network in vectors of vectors
static vector<double> apply(const vector<vector<double>> &w, const vector<double> &b, const vector<double> &x, bool last) {
  vector<double> y(w.size());
  for (size_t i = 0; i < w.size(); i++) {
    double s = b[i];
    for (size_t j = 0; j < x.size(); j++) s += w[i][j] * x[j];
    y[i] = last ? s : std::tanh(s);
  }
  return y;
}
FUNCTION vmlp(double *x, double *w, int *ind, int n) {
  vector<vector<vector<double>>> weights;
  vector<vector<double>> biases;
  double *at = x;
  for (int l = 0; l < 3; l++) {
    vector<vector<double>> m;
    for (int i = 0; i < n; i++) m.push_back(vector<double>(at, at + n)), at += n;
    weights.push_back(m);
    biases.push_back(vector<double>(at, at + n)), at += n;
  }
  double loss = 0;
  for (int s = 0; s < 10; s++) {
    vector<double> y(w + s * n, w + (s + 1) * n);
    for (int l = 0; l < 3; l++) y = apply(weights[l], biases[l], y, l == 2);
    for (double v : y) loss += v * v;
  }
  return loss;
}

// points with operators
struct V3 {
  double x, y, z;
  V3 operator+(const V3 &o) const { return {x + o.x, y + o.y, z + o.z}; }
  V3 operator-(const V3 &o) const { return {x - o.x, y - o.y, z - o.z}; }
  V3 operator*(double s) const { return {x * s, y * s, z * s}; }
  double dot(const V3 &o) const { return x * o.x + y * o.y + z * o.z; }
  V3 cross(const V3 &o) const { return {y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x}; }
  double norm() const { return std::sqrt(dot(*this)); }
};
FUNCTION cloth(double *x, double *w, int *ind, int n) {
  const V3 *p0 = (const V3 *)x;
  vector<V3> p(p0, p0 + n * n), v(n * n, V3{0, 0, 0}), f(n * n);
  for (int t = 0; t < 10; t++) {
    for (auto &each : f) each = V3{0, 0, -0.1};
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        auto spring = [&](int a, int b) {
          V3 d = p[b] - p[a];
          double l = d.norm();
          V3 g = d * (5.0 * (l - 0.3) / l);
          f[a] = f[a] + g, f[b] = f[b] - g;
        };
        if (i + 1 < n) spring(i * n + j, (i + 1) * n + j);
        if (j + 1 < n) spring(i * n + j, i * n + j + 1);
      }
    for (int k = 0; k < n * n; k++) v[k] = v[k] * 0.99 + f[k] * 0.01, p[k] = p[k] + v[k] * 0.01;
  }
  double e = 0;
  for (int k = 0; k < n * n; k++) e += p[k].dot(p[k]) + v[k].dot(v[k]);
  return e;
}

// surface of triangles
FUNCTION volume(double *x, double *w, int *ind, int n) {
  const V3 *p = (const V3 *)x;
  double s = 0;
  for (int t = 0; t < n; t++) {
    V3 a = p[ind[3 * t]], b = p[ind[3 * t + 1]], c = p[ind[3 * t + 2]];
    s += a.dot(b.cross(c)) / 6 + (b - a).cross(c - a).norm();
  }
  return s;
}

// complex numbers of the library
FUNCTION dft(double *x, double *w, int *ind, int n) {
  using C = std::complex<double>;
  double s = 0;
  for (int k = 0; k < n; k++) {
    C sum(0, 0), step = std::polar(1.0, -2 * M_PI * k / n), at(1, 0);
    for (int i = 0; i < n; i++) sum += C(x[i], x[n + i]) * at, at *= step;
    s += std::norm(sum) * std::norm(sum);
  }
  return s / n;
}

// shapes with a virtual function
struct Shape {
  virtual double energy(double t) const = 0;
  virtual ~Shape() {}
};
struct Disc : Shape {
  double r;
  Disc(double r) : r(r) {}
  double energy(double t) const override { return r * r * std::cos(t); }
};
struct Box : Shape {
  double a, b;
  Box(double a, double b) : a(a), b(b) {}
  double energy(double t) const override { return a * b * std::sin(t * a); }
};
FUNCTION shapes(double *x, double *w, int *ind, int n) {
  vector<std::unique_ptr<Shape>> all;
  for (int i = 0; i < n; i++)
    if (i % 3 == 0) all.emplace_back(new Disc(x[i]));
    else all.emplace_back(new Box(x[i], x[(i * 7) % n]));
  double s = 0;
  for (int t = 0; t < 5; t++)
    for (const auto &each : all) s += each->energy(0.1 * t) * s * 1e-3 + each->energy(0.2);
  return s;
}

// a matrix class that returns by value
struct Matrix {
  int n;
  vector<double> d;
  Matrix(int n) : n(n), d(n * n) {}
  double &operator()(int i, int j) { return d[i * n + j]; }
  double operator()(int i, int j) const { return d[i * n + j]; }
  Matrix operator*(const Matrix &o) const {
    Matrix r(n);
    for (int i = 0; i < n; i++)
      for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++) r(i, j) += (*this)(i, k) * o(k, j);
    return r;
  }
  Matrix operator+(const Matrix &o) const {
    Matrix r(n);
    for (size_t i = 0; i < d.size(); i++) r.d[i] = d[i] + o.d[i];
    return r;
  }
};
FUNCTION chain(double *x, double *w, int *ind, int n) {
  Matrix a(n), b(n);
  std::copy(x, x + n * n, a.d.begin()), std::copy(x + n * n, x + 2 * n * n, b.d.begin());
  Matrix c = a * b + b * a, e = c * a + a;
  return std::inner_product(e.d.begin(), e.d.end(), e.d.begin(), 0.0) / n;
}

// algorithms with lambdas
FUNCTION stats(double *x, double *w, int *ind, int n) {
  vector<double> v(x, x + n), z(n);
  double mean = std::accumulate(v.begin(), v.end(), 0.0) / n;
  double var = std::accumulate(v.begin(), v.end(), 0.0, [&](double s, double a) { return s + (a - mean) * (a - mean); }) / n;
  std::transform(v.begin(), v.end(), z.begin(), [&](double a) { return (a - mean) / std::sqrt(var + 1e-6); });
  double k3 = 0, k4 = 0;
  std::for_each(z.begin(), z.end(), [&](double a) { k3 += a * a * a, k4 += a * a * a * a; });
  return k3 * k3 + k4 / n;
}

// three numbers in an array, a right-hand side by template
template <class F> static void rk4(std::array<double, 3> &y, double h, F f) {
  std::array<double, 3> k1 = f(y), z;
  for (int i = 0; i < 3; i++) z[i] = y[i] + h / 2 * k1[i];
  auto k2 = f(z);
  for (int i = 0; i < 3; i++) z[i] = y[i] + h / 2 * k2[i];
  auto k3 = f(z);
  for (int i = 0; i < 3; i++) z[i] = y[i] + h * k3[i];
  auto k4 = f(z);
  for (int i = 0; i < 3; i++) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}
FUNCTION lorenz(double *x, double *w, int *ind, int n) {
  std::array<double, 3> y{1 + x[3], x[4], 20 + x[5]};
  double s = 0;
  for (int t = 0; t < n; t++) {
    rk4(y, 0.01, [&](const std::array<double, 3> &u) {
      return std::array<double, 3>{(10 + x[0]) * (u[1] - u[0]), u[0] * (28 + x[1] - u[2]) - u[1], u[0] * u[1] - (2.6 + x[2]) * u[2]};
    });
    s += y[0] * y[0] * 1e-3;
  }
  return s;
}

// bodies with 3x3 rotations in local arrays: chain of joints
FUNCTION joints(double *x, double *w, int *ind, int n) {
  double R[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, p[3] = {0, 0, 0}, s = 0;
  for (int k = 0; k < n; k++) {
    double a = x[3 * k], c = cos(a), d = sin(a), b = x[3 * k + 1], e = cos(b), g = sin(b);
    double A[3][3] = {{c, -d, 0}, {d, c, 0}, {0, 0, 1}}, B[3][3] = {{e, 0, g}, {0, 1, 0}, {-g, 0, e}}, T[3][3], U[3][3];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        T[i][j] = 0;
        for (int l = 0; l < 3; l++) T[i][j] += A[i][l] * B[l][j];
      }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        U[i][j] = 0;
        for (int l = 0; l < 3; l++) U[i][j] += R[i][l] * T[l][j];
      }
    memcpy(R, U, sizeof R);
    for (int i = 0; i < 3; i++) p[i] += R[i][0] * (0.3 + x[3 * k + 2]);
    double q = 0;
    for (int i = 0; i < 3; i++) q += (p[i] - w[i]) * (p[i] - w[i]);
    s += q;
  }
  return s;
}

// roots by a function that is called for each, and steps until it has it
struct cubic {
  double a, b;
  __attribute__((noinline)) double root() const {
    double r = 1;
    for (double f = 1; std::fabs(f) > 1e-12; r -= f / (3 * r * r + a)) f = r * r * r + a * r - b;
    return r;
  }
};
FUNCTION roots(double *x, double *w, int *ind, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    cubic c{1 + x[i] * x[i], 3 * x[n + i]};
    w[i] = c.root();
    s += w[i] * w[i];
  }
  return s;
}

// points of a curve, each by weighing points of a local array again and again
struct spot {
  double x, y, z;
  spot operator+(const spot &o) const { return {x + o.x, y + o.y, z + o.z}; }
  spot operator*(double s) const { return {x * s, y * s, z * s}; }
};
FUNCTION curve(double *x, double *w, int *ind, int n) {
  std::vector<spot> given(8), found(n);
  for (int j = 0; j < 8; j++) given[j] = {x[3 * j], x[3 * j + 1], x[3 * j + 2]};
  for (int i = 0; i < n; i++) {
    spot d[8];
    std::copy(given.begin(), given.end(), d);
    double t = 0.5 + x[24 + i];
    for (int r = 1; r < 8; r++)
      for (int j = 0; j < 8 - r; j++) d[j] = d[j] * (1 - t) + d[j + 1] * t;
    found[i] = d[0];
  }
  double s = 0;
  for (const spot &p : found) s += p.x * p.x + p.y * p.z;
  return s;
}

// a tree whose nodes own each other: built, walked through and taken down by functions that call themselves
struct knot {
  double value;
  std::unique_ptr<knot> left, right;
};
static std::unique_ptr<knot> grown(const double *x, int a, int b) {
  if (a >= b) return nullptr;
  int m = (a + b) / 2;
  auto made = std::make_unique<knot>();
  made->value = x[m] * x[m] + 0.1;
  made->left = grown(x, a, m), made->right = grown(x, m + 1, b);
  return made;
}
static double walked(const knot *at) {
  if (!at) return 0.1;
  double left = walked(at->left.get()), right = walked(at->right.get());
  return at->value * (0.5 * left + 0.3) + 0.4 * sqrt(at->value) * right;
}
FUNCTION knots(double *x, double *w, int *ind, int n) { return walked(grown(x, 0, n).get()); }

// a recurrent network in vectors, each index of which is checked
FUNCTION checked(double *x, double *w, int *ind, int n) {
  const int H = 16;
  std::vector<double> v(x, x + H * H + n), h(H), g(H);
  double s = 0;
  for (int t = 0; t < n; t++) {
    for (int i = 0; i < H; i++) {
      double a = v.at(H * H + t);
      for (int j = 0; j < H; j++) a += v.at(i * H + j) * h.at(j);
      g.at(i) = a / (1 + std::fabs(a));
    }
    for (int i = 0; i < H; i++) h.at(i) = g.at(i), s += h.at(i) * h.at(i);
  }
  return s;
}

/* ---- distances along a curve in space, with a small vector for each ---- */
FUNCTION distances(double *x, double *w, int *ind, int n) {
  double s = 0;
  for (int i = 0; i + 1 < n; i++) {
    std::vector<double> d(3);
    for (int k = 0; k < 3; k++) d[k] = x[3 * i + 3 + k] - x[3 * i + k];
    double r = 0.1;
    for (double each : d) r += each * each;
    s += std::sqrt(r) + 1 / r;
  }
  return s;
}

/* Each program, and how many numbers x, w and ind have for a size n. */
#define EACH(do) do(vmlp, 3 * n * (n + 1), 10 * n, 1) do(cloth, 3 * n * n, 1, 1) do(volume, 3 * n, 1, 3 * n) do(dft, 2 * n, 1, 1) do(shapes, n, 1, 1) \
  do(chain, 2 * n * n, 1, 1) do(stats, n, 1, 1) do(lorenz, 6, 1, 1) do(joints, 3 * n, 3, 1) \
  do(roots, 2 * n, n, 1) do(curve, n + 24, 1, 1) do(knots, n, 1, 1) do(checked, n + 256, 1, 1) do(distances, 3 * n, 1, 1)

static void prepare(const char *name, int n, double *, double *, int *ind) {
  for (int e = 0; e < n && !strcmp(name, "volume"); e++)
    for (int k = 0; k < 3; k++) ind[3 * e + k] = (ind[3 * e] + k * (1 + e % 7)) % n;
}

MEASURE
