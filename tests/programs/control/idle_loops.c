/* Loops in which nothing is differentiated, around, beside and inside of others: searches, bits, tables of integers. Some
 * are left by several ways, out of further loops or out of the function; some only seem to be idle. */
#include "check.h"

#define N 12

static const double knots[] = {-2.0, -1.1, -0.4, 0.1, 0.7, 1.3, 2.5};
static int table[16] = {3, 0, 5, 0, 0, 2, 7, 0, 1, 0, 0, 4, 0, 6, 0, 0};

/* A binary search in each iteration, by decisions that hang on the numbers themselves. */
static double interpolate(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    int low = 0, high = 6;
    while (high - low > 1) {
      int middle = (low + high) / 2;
      if (x[i] < knots[middle])
        high = middle;
      else
        low = middle;
    }
    double t = (x[i] - knots[low]) / (knots[high] - knots[low]);
    s += (low + 1) * t * t + high * x[i];
  }
  return s;
}
/* Probing a table, with two ways out of the loop and a nest in which nothing happens. */
static double probe(const double *x, int n) {
  double s = 0, product = 1;
  for (int i = 0; i < n; i++) {
    int at = (7 * i) & 15, found = -1;
    for (int k = 0; k < 16; k++) {
      int here = table[(at + k) & 15];
      if (here == i % 8) {
        found = k;
        break;
      }
      if (here > 6 && k > 9)
        goto next;
    }
    int bits = 0;
    for (int k = 1; k <= i; k++)
      for (int j = k; j; j &= j - 1)
        bits++;
    product *= 1 + 0.01 * x[i] * (found + bits);
    s += product * x[(found + 13) % n];
  next:
    s += 0.1 * x[i] * s;
  }
  return s;
}
/* Left from inside, out of the loop around it and out of the function. */
static double leaving(const double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; i++) {
    s *= 1 + 0.1 * x[i];
    for (int j = 0; j < 5; j++) {
      if (table[(i + j) & 15] == 4 && i > 3)
        return s * x[0];
      if (table[(2 * i + 3 * j) & 15] == 7 && i > n - 5)
        goto done;
    }
    s += x[i] * x[i];
  }
done:
  return s * s;
}
/* The loop writes integers that the next iteration reads; numbers are read in it, but only compared; and it hands on a
 * number that it does not make. */
static double seeming(const double *x, int n) {
  int count[N] = {0};
  double s = 0, last = x[0];
  for (int i = 0; i < n; i++) {
    int j = 0;
    double largest = x[0];
    for (j = 0; j < i; j++)
      count[j] += (x[j] > x[i]);
    for (j = 1; j < n && count[j % N] < 2; j++)
      largest = x[j] > largest ? x[j] : largest;
    for (j = i; j > 0 && x[j - 1] < x[i]; j--) {
    }
    s += largest * largest * (count[i] + 1) + last * x[j];
    last = x[j] * x[i];
  }
  return s;
}

#define CALLS(name)                                                                                             \
  static double name##_objective(const double *x) { return name(x, N); }                                        \
  static void name##_gradient(const double *x, double *g) { __enzyme_autodiff((void *)name, x, g, N); }          \
  static double name##_tangent(const double *x, const double *v) { return __enzyme_fwddiff((void *)name, x, v, N); }

CALLS(interpolate)
CALLS(probe)
CALLS(leaving)
CALLS(seeming)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++)
    x[i] = 1.9 * sin(1 + 1.3 * i);
  CHECK(interpolate_objective, interpolate_gradient, interpolate_tangent, x);
  CHECK(probe_objective, probe_gradient, probe_tangent, x);
  CHECK(leaving_objective, leaving_gradient, leaving_tangent, x);
  CHECK(seeming_objective, seeming_gradient, seeming_tangent, x);
  return check_done();
}
