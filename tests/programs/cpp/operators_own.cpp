/* A vector class of one's own: operators, templates, copy and move, a destructor. */
#include <cstring>
#include <utility>

#include "cpp_check.h"

template <class T> class Vec {
public:
  explicit Vec(int n) : size_(n), data_(new T[n]) {}
  Vec(const Vec &o) : size_(o.size_), data_(new T[o.size_]) { std::memcpy(data_, o.data_, size_ * sizeof(T)); }
  Vec(Vec &&o) noexcept : size_(o.size_), data_(o.data_) { o.data_ = nullptr; o.size_ = 0; }
  Vec &operator=(Vec o) { std::swap(size_, o.size_); std::swap(data_, o.data_); return *this; }
  ~Vec() { delete[] data_; }
  T &operator[](int i) { return data_[i]; }
  const T &operator[](int i) const { return data_[i]; }
  int size() const { return size_; }
  Vec &operator+=(const Vec &o) { for (int i = 0; i < size_; i++) data_[i] += o[i]; return *this; }
  friend Vec operator+(Vec a, const Vec &b) { a += b; return a; }
  friend Vec operator*(T s, Vec a) { for (int i = 0; i < a.size_; i++) a[i] *= s; return a; }
  friend T operator*(const Vec &a, const Vec &b) { T s = 0; for (int i = 0; i < a.size_; i++) s += a[i] * b[i]; return s; }
private:
  int size_;
  T *data_;
};

static double combined(const double *x) {
  Vec<double> a(4), b(4);
  for (int i = 0; i < 4; i++) { a[i] = x[i]; b[i] = x[3 - i] * x[i]; }
  Vec<double> c = 2.0 * a + b;
  c = x[1] * (c + a);
  return c * a + c[2];
}
ADAPTERS(combined)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(combined, x);
  return check_done();
}
