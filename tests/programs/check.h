/* Checks that every program of this folder shares.
 *
 * A program states its function as an `objective` on a flat vector, the derivative as an adapter that calls
 * __enzyme_autodiff or __enzyme_fwddiff, and sometimes the gradient in closed form. Differences are central, with two
 * Richardson steps, so they are good to about 1e-10; the error estimate beside them says where they are not.
 *
 * -DREFERENCE leaves the derivative adapters out and puts differences with other steps in their place: that build
 * needs no engine and shows that the program itself (smoothness, expected values, closed forms) is right.
 */
#ifndef ENZYME_PROGRAM_CHECK_H
#define ENZYME_PROGRAM_CHECK_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In C++ the result's type may come first: __enzyme_autodiff<struct pair>((void *)f, ...). */
#ifndef OWN_DECLARATIONS
#ifdef __cplusplus
template <typename Result = double, typename... Arguments> Result __enzyme_autodiff(void *function, Arguments... arguments);
template <typename Result = double, typename... Arguments> Result __enzyme_fwddiff(void *function, Arguments... arguments);
#else
extern double __enzyme_autodiff(void *, ...);
extern double __enzyme_fwddiff(void *, ...);
#endif
extern int enzyme_const, enzyme_dup, enzyme_dupnoneed, enzyme_out;
#endif

#ifdef REFERENCE
#define ENGINE 0
#else
#define ENGINE 1
#endif

#define NOINLINE __attribute__((noinline))
#define CHECK_MAX 256
#define COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

typedef double (*objective_fn)(const double *x);
typedef void (*gradient_fn)(const double *x, double *gradient); /* gradient arrives zeroed */
typedef double (*tangent_fn)(const double *x, const double *v);

static int check_failures;
static int check_total;

static NOINLINE void check_close(const char *name, int index, double got, double expected, double bound) {
  double difference = fabs(got - expected);
  check_total++;
  if (!(difference <= bound)) {
    check_failures++;
    if (check_failures <= 20)
      printf("FAIL %s[%d]: got %.15g expected %.15g (difference %.3g, allowed %.3g)\n", name, index, got, expected,
             difference, bound);
  }
}

static NOINLINE void check_value(const char *name, double got, double expected, double relative) {
  check_close(name, 0, got, expected, relative * (fabs(expected) > 1e-3 ? fabs(expected) : 1e-3));
}

static NOINLINE double check_central(objective_fn f, const double *x, const double *v, int n, double h) {
  double plus[CHECK_MAX], minus[CHECK_MAX];
  for (int i = 0; i < n; i++) {
    plus[i] = x[i] + h * v[i];
    minus[i] = x[i] - h * v[i];
  }
  return (f(plus) - f(minus)) / (2 * h);
}

/* Directional derivative of f at x along v, and an estimate of its error. */
static NOINLINE double check_difference(objective_fn f, const double *x, const double *v, int n, double h, double *error) {
  double a = check_central(f, x, v, n, h), b = check_central(f, x, v, n, h / 2), c = check_central(f, x, v, n, h / 4);
  double ab = b + (b - a) / 3, bc = c + (c - b) / 3, best = bc + (bc - ab) / 15;
  *error = fabs(best - bc);
  return best;
}

static NOINLINE void check_unit(double *v, int n, int index) {
  for (int i = 0; i < n; i++) v[i] = i == index ? 1.0 : 0.0;
}

/* relative: tolerance against differences. A closed form, where there is one, is held to `exact`. */
static NOINLINE void check_gradient(const char *name, objective_fn f, gradient_fn derivative, gradient_fn closed,
                                    tangent_fn tangent, const double *x, int n, double relative, double exact) {
  double got[CHECK_MAX], expected[CHECK_MAX], formula[CHECK_MAX], error[CHECK_MAX], v[CHECK_MAX], largest = 0;
  char label[160];
  if (n > CHECK_MAX) {
    printf("FAIL %s: %d inputs are too many\n", name, n);
    check_failures++;
    return;
  }
  memset(got, 0, sizeof got);
  memset(formula, 0, sizeof formula);
  for (int i = 0; i < n; i++) {
    check_unit(v, n, i);
    expected[i] = check_difference(f, x, v, n, 1e-3, &error[i]);
    if (fabs(expected[i]) > largest) largest = fabs(expected[i]);
  }
  for (int i = 0; i < n; i++) {
    snprintf(label, sizeof label, "%s: differences are not accurate", name);
    check_close(label, i, error[i], 0, 0.1 * relative * (fabs(expected[i]) + 0.01 * largest) + 1e-11);
  }
  if (ENGINE && derivative) derivative(x, got);
  if (!ENGINE)
    for (int i = 0; i < n; i++) {
      check_unit(v, n, i);
      got[i] = check_difference(f, x, v, n, 3.1e-4, &error[i]);
    }
  if (derivative)
    for (int i = 0; i < n; i++)
      check_close(name, i, got[i], expected[i], relative * (fabs(expected[i]) + 0.01 * largest) + 1e-11);
  if (closed) {
    closed(x, formula);
    snprintf(label, sizeof label, "%s (closed form)", name);
    double bound = ENGINE ? exact : relative;
    for (int i = 0; i < n; i++)
      check_close(label, i, derivative ? got[i] : expected[i], formula[i],
                  bound * (fabs(formula[i]) + 0.01 * largest) + 1e-13 + (ENGINE ? 0 : 1e-11));
  }
  if (!tangent) return;
  for (int round = 0; round < 2; round++) {
    double slope_error, along = 0, size = 0;
    for (int i = 0; i < n; i++) v[i] = cos(1.0 + 2.3 * i + 0.7 * round);
    double slope = check_difference(f, x, v, n, 1e-3, &slope_error);
    double value = ENGINE ? tangent(x, v) : check_difference(f, x, v, n, 3.1e-4, &slope_error);
    for (int i = 0; i < n; i++) {
      along += got[i] * v[i];
      size += fabs(got[i] * v[i]);
    }
    snprintf(label, sizeof label, "%s (forward)", name);
    check_close(label, round, value, slope, relative * (fabs(slope) + 0.01 * largest) + 1e-11);
    if (derivative && ENGINE) {
      snprintf(label, sizeof label, "%s (forward against reverse)", name);
      check_close(label, round, value, along, exact * (size + 0.01 * largest) + 1e-13);
    }
  }
}

#ifdef REFERENCE
/* Name the adapter without using it, so that a static one is not compiled at all. */
static NOINLINE void check_no_gradient(const double *x, double *g) { (void)x, (void)g; }
static NOINLINE double check_no_tangent(const double *x, const double *v) { return (void)x, (void)v, 0.0; }
#ifdef __cplusplus
template <typename T> char check_named(T);
#define CHECK_NAMED(fn) ((void)sizeof(check_named(fn)))
#else
#define CHECK_NAMED(fn) ((void)sizeof(fn))
#endif
#define CHECK_REVERSE(fn) (CHECK_NAMED(fn), check_no_gradient)
#define CHECK_FORWARD(fn) (CHECK_NAMED(fn), check_no_tangent)
#else
#define CHECK_REVERSE(fn) (fn)
#define CHECK_FORWARD(fn) (fn)
#endif

/* The usual cases: 0 where there is no such adapter; x is an array, not a pointer. */
#define CHECK_FULL(objective, reverse, closed, forward, x, n, relative, exact) \
  check_gradient(#objective, objective, CHECK_REVERSE(reverse), closed, CHECK_FORWARD(forward), x, n, relative, exact)
#define CHECK(objective, reverse, forward, x) CHECK_FULL(objective, reverse, 0, forward, x, COUNT(x), 1e-6, 1e-10)
#define CHECK_N(objective, reverse, forward, x, n) CHECK_FULL(objective, reverse, 0, forward, x, n, 1e-6, 1e-10)
#define CHECK_CLOSED(objective, reverse, closed, forward, x) \
  CHECK_FULL(objective, reverse, closed, forward, x, COUNT(x), 1e-6, 1e-10)
/* The adapters of `double f(const double *x)`, and the check that uses them. */
#define DERIVED(f)                                                                        \
  static void f##_gradient(const double *check_x, double *check_g) {                      \
    __enzyme_autodiff((void *)f, enzyme_dup, check_x, check_g);                           \
  }                                                                                       \
  static double f##_tangent(const double *check_x, const double *check_v) {               \
    return __enzyme_fwddiff((void *)f, enzyme_dup, check_x, check_v);                     \
  }
#define CHECK_DERIVED(f, x) CHECK(f, f##_gradient, f##_tangent, x)
/* Single-precision code, whose objective is the same function in double. */
#define CHECK_SINGLE(objective, reverse, forward, x) CHECK_FULL(objective, reverse, 0, forward, x, COUNT(x), 1e-3, 1e-4)
/* What only makes sense with the engine: code that calls a derivative outside of the checks above. */
#ifdef REFERENCE
#define CHECK_ENGINE(statement) ((void)0)
#else
#define CHECK_ENGINE(statement) statement
#endif
/* The gradient of an objective inside of code that is itself differentiated. */
#ifdef REFERENCE
#define GRADIENT_OF(f, x, g, n)                  \
  do {                                           \
    double at[n];                                \
    memcpy(at, x, sizeof at);                    \
    for (int i_ = 0; i_ < (n); i_++) {           \
      at[i_] = (x)[i_] + 1e-4;                   \
      double up = f(at);                         \
      at[i_] = (x)[i_] - 1e-4;                   \
      (g)[i_] = (up - f(at)) / 2e-4;             \
      at[i_] = (x)[i_];                          \
    }                                            \
  } while (0)
#else
#define GRADIENT_OF(f, x, g, n) __enzyme_autodiff((void *)f, enzyme_dup, x, g)
#endif

static NOINLINE int check_done(void) {
  if (check_failures) printf("%d of %d checks failed\n", check_failures, check_total);
  else printf("ok %d checks\n", check_total);
  return check_failures ? 1 : 0;
}

#endif
