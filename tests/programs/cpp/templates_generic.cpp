/* Templates over the number type, expression templates, recursion at compile time, CRTP. */
#include "cpp_check.h"

template <int N> struct Power {
  template <class T> static T of(T v) { return v * Power<N - 1>::of(v); }
};
template <> struct Power<0> {
  template <class T> static T of(T) { return 1; }
};

template <class L, class R> struct Sum {
  const L &l;
  const R &r;
  double operator[](int i) const { return l[i] + r[i]; }
};
template <class L, class R> struct Product {
  const L &l;
  const R &r;
  double operator[](int i) const { return l[i] * r[i]; }
};
struct View {
  const double *data;
  double operator[](int i) const { return data[i]; }
};

template <class Self> struct Shape {
  double twice() const { return 2 * static_cast<const Self *>(this)->area(); }
};
struct Square : Shape<Square> {
  double side;
  double area() const { return side * side; }
};

static double generic(const double *x) {
  View a{x}, b{x + 1};
  Sum<View, View> s{a, b};
  Product<Sum<View, View>, View> e{s, a};
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += e[i];
  Square square;
  square.side = x[3];
  return Power<4>::of(sum) + square.twice() + Power<3>::of((float)2) * x[0];
}
ADAPTERS(generic)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(generic, x);
  return check_done();
}
