/* Locks, flags of call_once and pointers to exceptions stand beside numbers, in objects that the function makes. */
#include <exception>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <vector>

#include "cpp_check.h"

class Sum {
  mutable std::mutex lock;
  double total = 0;
  std::vector<double> all;

 public:
  void add(double v) {
    std::lock_guard<std::mutex> held(lock);
    total += v * v;
    all.push_back(v);
  }
  double get() const {
    std::unique_lock<std::mutex> held(lock);
    double r = total;
    for (double v : all) r += v * total;
    return r;
  }
};

static double locked(const double *x) {
  Sum sum;
  for (int i = 0; i < 4; i++) sum.add(x[i % 3] * (i + 1));
  return sum.get();
}
ADAPTERS(locked)

struct Late {
  mutable std::once_flag flag;
  mutable double value = 0;
  double a;
  explicit Late(double a) : a(a) {}
  double get() const {
    std::call_once(flag, [this] { value += std::exp(a) * a; });
    return value;
  }
};

static double once(const double *x) {
  Late late(x[0] * x[1]);
  double s = 0;
  for (int i = 0; i < 3; i++) s += late.get() * x[2] * (i + 1);
  return s;
}
ADAPTERS(once)

struct Outcome {
  mutable std::shared_mutex lock;
  double value = 0;
  std::exception_ptr error;
  double scale = 1;
};

static NOINLINE void attempt(Outcome &to, const double *x, int n) {
  std::unique_lock<std::shared_mutex> held(to.lock);
  try {
    if (n > 2) throw std::out_of_range("more than two");
    to.value = x[n] * x[n] * x[0];
  } catch (...) {
    to.error = std::current_exception();
  }
  to.scale = x[1];
}

static double outcomes(const double *x) {
  Outcome all[4];
  double s = 0;
  for (int i = 0; i < 4; i++) {
    attempt(all[i], x, i);
    std::shared_lock<std::shared_mutex> held(all[i].lock);
    std::exception_ptr copy = all[i].error;
    s += copy ? all[i].scale * x[2] : all[i].value * all[i].scale;
    if (i < 3 && copy) std::rethrow_exception(copy);
  }
  return s;
}
ADAPTERS(outcomes)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(locked, x);
  CHECK_BOTH(once, x);
  CHECK_BOTH(outcomes, x);
  return check_done();
}
