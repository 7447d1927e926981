// flags: -std=c++20
/* A coroutine that yields numbers which depend on what it was given, and one that is given up before its end. */
#include <coroutine>
#include <exception>

#include "cpp_check.h"

struct Numbers {
  struct promise_type {
    double current;
    Numbers get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(double value) {
      current = value;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  std::coroutine_handle<promise_type> handle;
  ~Numbers() { handle.destroy(); }
  bool next() {
    handle.resume();
    return !handle.done();
  }
  double value() const { return handle.promise().current; }
};

static Numbers powers(double x) {
  for (double power = x;; power *= x) co_yield power;
}

static Numbers squares(const double *x, int count) {
  for (int k = 0; k < count; k++) co_yield x[k] * x[k];
}

static double objective(const double *x) {
  Numbers p = powers(x[0]), s = squares(x, 3);
  double sum = 0;
  for (int k = 0; k < 4; k++) {
    p.next();
    sum += x[k] * p.value();
  }
  while (s.next()) sum += s.value() * x[3];
  return sum;
}
ADAPTERS(objective)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4};
  CHECK_BOTH(objective, x);
  return check_done();
}
