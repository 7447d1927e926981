/* Expression templates over the curiously recurring template pattern. */
#include <cstddef>
#include <vector>

#include "cpp_check.h"

template <class E> struct Expression {
  const E &self() const { return static_cast<const E &>(*this); }
  double operator[](size_t i) const { return self()[i]; }
  size_t size() const { return self().size(); }
};
struct Vector : Expression<Vector> {
  std::vector<double> data;
  Vector(const double *first, size_t n) : data(first, first + n) {}
  template <class E> Vector(const Expression<E> &e) : data(e.size()) {
    for (size_t i = 0; i < data.size(); i++) data[i] = e[i];
  }
  double operator[](size_t i) const { return data[i]; }
  size_t size() const { return data.size(); }
};
template <class L, class R> struct Sum : Expression<Sum<L, R>> {
  const L &l;
  const R &r;
  Sum(const L &l, const R &r) : l(l), r(r) {}
  double operator[](size_t i) const { return l[i] + r[i]; }
  size_t size() const { return l.size(); }
};
template <class L, class R> struct Product : Expression<Product<L, R>> {
  const L &l;
  const R &r;
  Product(const L &l, const R &r) : l(l), r(r) {}
  double operator[](size_t i) const { return l[i] * r[i]; }
  size_t size() const { return l.size(); }
};
template <class L, class R> Sum<L, R> operator+(const Expression<L> &l, const Expression<R> &r) { return {l.self(), r.self()}; }
template <class L, class R> Product<L, R> operator*(const Expression<L> &l, const Expression<R> &r) {
  return {l.self(), r.self()};
}

static double expressed(const double *x) {
  Vector a(x, 3), b(x + 1, 3);
  Vector c = a * b + a * a * b + b;
  Vector d = c * c + a;
  double sum = 0;
  for (size_t i = 0; i < d.size(); i++) sum += d[i] * (double)(i + 1);
  return sum;
}
ADAPTERS(expressed)

template <class Derived> struct Body {
  double energy(double v) const {
    const Derived &d = static_cast<const Derived &>(*this);
    return 0.5 * d.mass() * v * v + d.potential();
  }
};
struct Spring : Body<Spring> {
  double k, reach;
  Spring(double k, double reach) : k(k), reach(reach) {}
  double mass() const { return 2 * k; }
  double potential() const { return 0.5 * k * reach * reach; }
};
struct Weight : Body<Weight> {
  double m, height;
  Weight(double m, double height) : m(m), height(height) {}
  double mass() const { return m; }
  double potential() const { return 9.81 * m * height; }
};
template <class T> static double twice(const Body<T> &body, double v) { return body.energy(v) * body.energy(2 * v); }

static double curious(const double *x) { return twice(Spring(x[0], x[1]), x[2]) + twice(Weight(x[2], x[3]), x[0]); }
ADAPTERS(curious)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(expressed, x);
  CHECK_BOTH(curious, x);
  return check_done();
}
