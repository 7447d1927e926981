/* What a program states of memory it hands over as bytes: numbers, integers and pointers, one or an array of them. */
#include "check.h"

#ifdef REFERENCE
template <typename... T> static void __enzyme_double(T...) {}
template <typename... T> static void __enzyme_float(T...) {}
template <typename... T> static void __enzyme_integer(T...) {}
template <typename... T> static void __enzyme_pointer(T...) {}
#else
template <typename... T> void __enzyme_double(T...);
template <typename... T> void __enzyme_float(T...);
template <typename... T> void __enzyme_integer(T...);
template <typename... T> void __enzyme_pointer(T...);
#endif

NOINLINE static void copy(void *to, const void *from, size_t n) { memcpy(to, from, n); }

struct record { double value; long count; const double *more; };

static double parts(const void *record) {
  __enzyme_double(record);
  __enzyme_integer((const char *)record + 8, 8);
  __enzyme_pointer((const char *)record + 16);
  char moved[24];
  memcpy(moved, record, 24);
  double value;
  long count;
  const double *more;
  memcpy(&value, moved, 8);
  memcpy(&count, moved + 8, 8);
  memcpy(&more, moved + 16, 8);
  return value * value * count + more[1] * value;
}

static double f(const double *x) {
  try {
    void *block = malloc(3 * sizeof(double));
    __enzyme_double(block, 3 * sizeof(double));
    copy(block, x, 3 * sizeof(double));
    const double *numbers = (const double *)block;
    record r = {numbers[0], 3, x};
    double s = parts(&r) + numbers[1] * numbers[2];
    free(block);
    return s;
  } catch (int) {
    return 0;
  }
}
DERIVED(f)

int main() {
  double x[3] = {1.5, -2, 0.75};
  CHECK_DERIVED(f, x);
  return check_done();
}
