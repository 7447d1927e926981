/* Classes that own memory: copies, moves, swaps, a container of containers; destructors in other functions. */
#include "check.h"

class array {
  double *data_ = nullptr;
  int n_ = 0;

public:
  NOINLINE explicit array(int n) : data_(new double[n]()), n_(n) {}
  NOINLINE array(const array &o) : data_(new double[o.n_]), n_(o.n_) { memcpy(data_, o.data_, n_ * sizeof(double)); }
  array(array &&o) noexcept : data_(o.data_), n_(o.n_) { o.data_ = nullptr; }
  NOINLINE ~array() { delete[] data_; }
  array &operator=(array o) {
    double *t = data_;
    data_ = o.data_;
    o.data_ = t;
    int n = n_;
    n_ = o.n_;
    o.n_ = n;
    return *this;
  }
  double &operator[](int i) { return data_[i]; }
  const double &operator[](int i) const { return data_[i]; }
  int size() const { return n_; }
};
static NOINLINE array operator*(const array &a, const array &b) {
  array r(a.size() + b.size() - 1);
  for (int i = 0; i < a.size(); i++)
    for (int k = 0; k < b.size(); k++) r[i + k] += a[i] * b[k];
  return r;
}
static NOINLINE double norm(const array &a) {
  double s = 0;
  for (int i = 0; i < a.size(); i++) s += a[i] * a[i];
  return s;
}
static double convolve(const double *x) {
  array a(2), b(3);
  for (int i = 0; i < 2; i++) a[i] = x[i];
  for (int i = 0; i < 3; i++) b[i] = x[i + 1] * x[0];
  double s = 0;
  for (int i = 0; i < 3; i++) {
    array c = a * b;
    s += norm(c);
    c[0] *= s * 0.1;
    a = c;
    array *kept = new array(a);
    (*kept)[1] += x[3];
    s += norm(*kept) * 0.01;
    delete kept;
  }
  return s + norm(a);
}
static void gradient(const double *x, double *g) { __enzyme_autodiff((void *)convolve, x, g); }
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)convolve, enzyme_dup, x, v);
}

int main() {
  double x[4] = {0.6, -0.45, 0.8, 0.5};
  for (int i = 0; i < 2; i++) CHECK(convolve, gradient, tangent, x);
  return check_done();
}
