/* Loops whose results a minimum, another choice or a way around them does not take. */
#include "check.h"

#define K 5
#define D 3

/* The nearest of K points, by select or by a branch. */
static double nearest(const double *x, int k, int d) {
  const double *at = x + k * d;
  double least = 1e300;
  for (int c = 0; c < k; c++) {
    double sum = 0;
    for (int i = 0; i < d; i++) sum += (x[c * d + i] - at[i]) * (x[c * d + i] - at[i]);
    if (sum < least) least = sum;
  }
  return least * least;
}

/* Each distance is used once more, so none is left out; the root of the nearest goes through another choice. */
static double also_all(const double *x, int k, int d) {
  const double *at = x + k * d;
  double least = 1e300, all = 0;
  for (int c = 0; c < k; c++) {
    double sum = 0.01;
    for (int i = 0; i < d; i++) sum += (x[c * d + i] - at[i]) * (x[c * d + i] - at[i]);
    all += sin(sum);
    double root = sqrt(sum), other = 3 * sum;
    least = c % 2 ? (root < least ? root : least) : (other < least ? other : least);
  }
  return least * all;
}

/* The least and the second least, whose places are exchanged; what the loop before gave is used an iteration later. */
static double two_least(const double *x, int k, int d) {
  const double *at = x + k * d;
  double first = 100, second = 100, before = 0.5, late = 0;
  for (int c = 0; c < k; c++) {
    double sum = 0, product = 1;
    for (int i = 0; i < d; i++) {
      sum += (x[c * d + i] - at[i]) * (x[c * d + i] - at[i]);
      product *= 1 + 0.1 * x[c * d + i];
    }
    if (sum < first) {
      second = first;
      first = sum;
    } else if (sum < second)
      second = sum;
    late = late > before ? late : before;
    before = product;
  }
  return first * second + late;
}

/* Loops in loops, the inner ones with products that need a tape; one that writes what is read behind it. */
static double nested(const double *x, int k, int d) {
  double best = -1e300, scratch[D], wrote = 0;
  for (int c = 0; c < k; c++) {
    double sum = 0, kept = 0;
    for (int i = 0; i < d; i++) {
      double power = 1;
      for (int j = 0; j <= i; j++) power *= sin(x[c * d + j]) + 1.5;
      sum += exp(0.1 * power);
    }
    for (int i = 0; i < d; i++) {
      scratch[i] = x[c * d + i] * x[c * d + i];
      kept += scratch[i];
    }
    best = sum > best ? sum : best;
    best = kept * 0.1 > best ? kept * 0.1 : best;
    wrote += scratch[d - 1];
  }
  return best + 0.1 * wrote;
}

/* Loops that are left from the midst, that run no time, and arms of a branch with one each. */
static double arms(const double *x, int k, int d) {
  double total = 0, best = 0.1;
  for (int c = 0; c < k; c++) {
    double sum = 0, value;
    int i;
    for (i = 0; i < c; i++) {
      sum += x[c * d + i % d] * 0.3;
      if (sum > 0.7) break;
      sum += x[i] * x[i + 1];
    }
    if (x[c] > 0.3) {
      double product = 1;
      for (int j = 0; j < d; j++) product *= x[c * d + j];
      value = product;
    } else if (c != 2) {
      double square = 0;
      for (int j = 0; j < d; j++) square += x[c * d + j] * x[c * d + j];
      value = square;
    } else
      value = sum;
    best = value * value > best ? value : best;
    total += best;
  }
  return total;
}

#define ADAPT(name)                                                                                                    \
  static double name##_objective(const double *x) { return name(x, K, D); }                                            \
  static void name##_gradient(const double *x, double *g) {                                                            \
    __enzyme_autodiff((void *)name, enzyme_dup, x, g, enzyme_const, K, enzyme_const, D);                               \
  }                                                                                                                    \
  static double name##_tangent(const double *x, const double *v) {                                                     \
    return __enzyme_fwddiff((void *)name, enzyme_dup, x, v, enzyme_const, K, enzyme_const, D);                         \
  }
ADAPT(nearest)
ADAPT(also_all)
ADAPT(two_least)
ADAPT(nested)
ADAPT(arms)

int main(void) {
  double x[(K + 1) * D];
  for (int i = 0; i < COUNT(x); i++) x[i] = sin(1.7 * i * i + 0.4) + 0.02 * i;
  CHECK(nearest_objective, nearest_gradient, nearest_tangent, x);
  CHECK(also_all_objective, also_all_gradient, also_all_tangent, x);
  CHECK(two_least_objective, two_least_gradient, two_least_tangent, x);
  CHECK(nested_objective, nested_gradient, nested_tangent, x);
  CHECK(arms_objective, arms_gradient, arms_tangent, x);
  return check_done();
}
