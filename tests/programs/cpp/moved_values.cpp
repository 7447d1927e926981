/* Move semantics: what is moved from is left empty, swaps, returned containers, emplaced objects. */
#include <array>
#include <utility>
#include <vector>

#include "cpp_check.h"

struct Buffer {
  double *data;
  int n;
  explicit Buffer(int n) : data(new double[n]()), n(n) {}
  Buffer(const Buffer &o) : Buffer(o.n) {
    for (int i = 0; i < n; i++) data[i] = o.data[i];
  }
  Buffer(Buffer &&o) noexcept : data(o.data), n(o.n) { o.data = nullptr, o.n = 0; }
  Buffer &operator=(Buffer o) noexcept {
    std::swap(data, o.data);
    std::swap(n, o.n);
    return *this;
  }
  ~Buffer() { delete[] data; }
  double sum() const {
    double s = 0;
    for (int i = 0; i < n; i++) s += data[i] * data[i];
    return s;
  }
};

static Buffer filled(const double *x, int n) {
  Buffer made(n);
  for (int i = 0; i < n; i++) made.data[i] = x[i] * x[0];
  return made;
}

static double moved(const double *x) {
  Buffer a = filled(x, 3), b(2);
  b = a;
  b.data[1] *= x[3];
  Buffer c = std::move(a);
  a = std::move(b);
  std::vector<Buffer> all;
  all.push_back(std::move(c));
  all.emplace_back(2);
  all.back().data[0] = x[1] * x[2];
  all.push_back(a);
  std::swap(all[0], all[2]);
  std::array<std::vector<double>, 2> pair{std::vector<double>{x[0], x[1]}, std::vector<double>{x[2]}};
  std::swap(pair[0], pair[1]);
  double sum = 0, factor = 1;
  for (const Buffer &each : all) sum += each.sum() * (factor += 1);
  return sum * pair[0][0] + pair[1][1] * all[2].n;
}
ADAPTERS(moved)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(moved, x);
  return check_done();
}
