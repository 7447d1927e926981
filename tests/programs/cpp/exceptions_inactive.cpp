/* Exceptions thrown and caught in the differentiated function, on paths that no derivative flows through. */
#include <stdexcept>
#include <string>

#include "cpp_check.h"

static int limit = 3;

static NOINLINE int checked(int n) {
  if (n > limit) throw std::out_of_range("too many");
  return 2 * n;
}

struct Guard {
  int *open;
  explicit Guard(int *counter) : open(counter) { ++*open; }
  ~Guard() { --*open; }
};

static int opened;

/* Every second step throws an integer, which says what to do instead. */
static double caught(const double *x) {
  double sum = 0;
  for (int i = 0; i < 6; i++) {
    Guard guard(&opened);
    try {
      if (i % 2) throw i;
      sum += x[i % 3] * x[i % 3];
    } catch (int which) {
      sum *= x[which % 3];
    }
  }
  return sum + opened;
}
ADAPTERS(caught)

/* A callee throws; two kinds of handlers; the loop goes on. */
static double from_callee(const double *x) {
  double product = 1, before = x[0];
  for (int i = 0; i < 5; i++) {
    double value = before * x[i % 3];
    try {
      int n = checked(i);
      product *= value + n;
    } catch (const std::length_error &) {
      product = 0;
    } catch (const std::exception &error) {
      product += value * value * (error.what()[0] == 't');
    }
    before = value + 1;
  }
  return product;
}
ADAPTERS(from_callee)

/* Rethrown, and caught further out. */
static double rethrown(const double *x) {
  double result = x[0];
  try {
    try {
      result *= x[1];
      if (limit == 3) throw std::string("text");
      result = 0;
    } catch (const std::string &text) {
      result *= x[2] * (double)text.size();
      throw;
    }
  } catch (...) {
    result = result * result;
  }
  return result;
}
ADAPTERS(rethrown)

/* What leaves the function reaches the caller of the derivative. */
static double leaves(const double *x) {
  Guard guard(&opened);
  if (limit < 0) throw std::domain_error("left");
  return x[0] * x[1];
}
ADAPTERS(leaves)

static double bounded(const double *x) noexcept {
  Guard guard(&opened);
  int n = checked(2);
  return n * x[0] * x[2];
}
ADAPTERS(bounded)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9};
  CHECK_BOTH(caught, x);
  CHECK_BOTH(from_callee, x);
  CHECK_BOTH(rethrown, x);
  CHECK_BOTH(leaves, x);
  CHECK_BOTH(bounded, x);
  limit = -1;
  int reached = 0;
  try {
    leaves(x);
  } catch (const std::domain_error &) {
    reached++;
  }
#ifndef REFERENCE
  double g[3] = {0, 0, 0};
  try {
    leaves_reverse(x, g);
    reached = 0;
  } catch (const std::domain_error &) {
    reached++;
  }
  try {
    leaves_forward(x, g);
    reached = 0;
  } catch (const std::domain_error &) {
    reached++;
  }
#endif
  CHECK_ENGINE(check_value("handlers reached", reached, 3, 0));
  check_value("destructors run", opened, 0, 0);
  return check_done();
}
