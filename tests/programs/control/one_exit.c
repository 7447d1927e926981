/* Loops in time around loops that have no rounds where n is zero: an optimiser gives them a second end for that case.
 * What the ends hand on to what comes behind differs in value, in kind and in place. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 6
#define SIZE (3 * N)

typedef double kernel(double *a, double *b, double *c, int n, int steps);

/* two loops in each step, and one behind that the same question leads to */
static NOINLINE double plain(double *a, double *b, double *c, int n, int steps) {
  double s = 0;
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) c[i] = a[i] * b[i];
    for (int i = 0; i < n; i++) a[i] += 0.1 * c[i] * c[i];
  }
  for (int i = 0; i < n; i++) s += a[i] * a[i];
  return s;
}
/* a number that goes from step to step, another one where there is nothing */
static NOINLINE double carried(double *a, double *b, double *c, int n, int steps) {
  double r = b[0], last = a[1];
  for (int t = 0; t < steps; t++) {
    double next = 0.3 * a[2];
    for (int i = 0; i < n; i++) next += a[i] * b[i];
    for (int i = 0; i < n; i++) b[i] += 0.1 * next / (2 + r * r) * c[i];
    last = r, r = next;
  }
  return r * last + r;
}
/* the counter, and a count of what was done, are used behind the loop */
static NOINLINE double counted(double *a, double *b, double *c, int n, int steps) {
  int t, done = 0;
  for (t = 0; t < steps && t < 7; t++) {
    for (int i = 0; i < n; i++) a[i] += 0.1 * b[i] * a[(i + t) % N], done++;
    for (int i = 0; i < n; i++) c[i] *= a[i];
  }
  return a[t % N] * b[done % N] + c[0] * c[N - 1] * t;
}
/* arrays that change places, and may not */
static NOINLINE double places(double *a, double *b, double *c, int n, int steps) {
  double *from = a, *to = b;
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n; i++) to[i] = from[i] + 0.1 * from[i - 1] * c[i];
    for (int i = 0; i < n; i++) c[i] += 0.1 * to[i] * to[i];
    if (n > 3) {
      double *old = from;
      from = to, to = old;
    }
  }
  return from[2] * to[3] + from[N - 1] * from[N - 1];
}
/* the loop inside is left early, and so may be the one around it */
static NOINLINE double early(double *a, double *b, double *c, int n, int steps) {
  double s = 0;
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) {
      if (a[i] > 3) break;
      a[i] += 0.2 * b[i] * b[i];
    }
    if (n && a[0] > 2.5) return s * a[0];
    for (int i = 0; i < n; i++) s += a[i] * c[i];
    if (s > 40) break;
  }
  return s + a[1];
}
/* iterations that end in three ways */
static NOINLINE double three(double *a, double *b, double *c, int n, int steps) {
  double s = 0;
  for (int t = 0; t < steps; t++) {
    if (n == 0) {
      s += 0.5 * a[t % N];
      continue;
    }
    for (int i = 0; i < n; i++) a[i] += 0.1 * b[i] * a[i];
    if (n < 3) {
      s *= 1.1;
      continue;
    }
    for (int i = 3; i < n; i++) s += a[i] * c[i] * s * 0.01 + a[i];
  }
  return s * s + a[0];
}
/* loops in loops in loops, all with the same question */
static NOINLINE double nested(double *a, double *b, double *c, int n, int steps) {
  double s = 0;
  for (int t = 0; t < steps; t++) {
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < n; i++) c[i] = 0.9 * c[i] + a[i] * b[i];
      for (int i = 0; i < n; i++) a[i] -= 0.05 * c[i];
    }
    for (int i = 0; i < n; i++) s += a[i] * c[i];
  }
  for (int i = 0; i < n; i++) s += b[i] * a[i];
  return s;
}
/* ends that test another thing: no such loop */
static NOINLINE double others(double *a, double *b, double *c, int n, int steps) {
  double s = 0;
  for (int t = 0;;) {
    if (n == 0) {
      s += a[t];
      if (++t >= 2) break;
    } else {
      for (int i = 0; i < n; i++) a[i] += 0.1 * b[i] * a[i];
      s += a[0] * c[t % N];
      if (++t >= steps) return s * s;
    }
  }
  return s;
}
/* a product of lengths is asked, and the test is made of more than the counter */
static NOINLINE double products(double *a, double *b, double *c, int n, int steps) {
  double s = 0;
  int m = n / 2;
  for (int t = steps; 2 * t - 1 > 0; t -= 1) {
    for (int i = 0; i < m; i++)
      for (int j = 0; j < 2; j++) a[i * 2 + j] += 0.1 * b[j] * c[i];
    for (int i = 0; i < m * 2; i++) s += a[i] * a[i] * b[i];
  }
  return s;
}

/* each step sets an array to zero, adds to it, and adds it up */
static NOINLINE double cells(double *a, double *b, double *c, int n, int steps) {
  double s = 0;
  for (int t = 0; t < 5; t++) {
    for (int i = 0; i < n; i++) b[i] = 0;
    for (int i = 0; i < 3 * n; i++) b[i / 3] += 0.2 * a[i % N] * c[i % N];
    for (int i = 0; i < n; i++) a[i] += 0.1 * b[i];
  }
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s + steps;
}
/* conjugate gradients, of which two numbers are used in the end */
static NOINLINE double conjugate(double *a, double *b, double *c, int n, int steps) {
  double r = 1, last = 2, s = 0;
  for (int t = 0; t < 4; t++) {
    double q = 0, next = 0;
    for (int i = 0; i < n; i++) q += a[i] * b[i];
    double alpha = r / (1 + q * q);
    for (int i = 0; i < n; i++) a[i] += alpha * b[i] * c[i];
    for (int i = 0; i < n; i++) next += a[i] * a[i];
    last = r, r = next / (1 + next);
    for (int i = 0; i < n; i++) b[i] = a[i] + 0.2 * r * b[i];
  }
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s + r * last + steps * last;
}
/* what is handed on hangs on the counter */
static NOINLINE double threaded(double *a, double *b, double *c, int n, int steps) {
  int t;
  double s = 0;
  for (t = 0; t < 5; t++) {
    for (int i = 0; i < n; i++) b[i] = a[i] * a[i];
    s += b[0] * t * c[t];
    for (int i = 0; i < n; i++) a[i] += 0.1 * b[i] / (1 + s * s);
    for (int i = 0; i < n; i++) s += a[i];
  }
  for (int i = 0; i < n; i++) s += a[i] * t * c[i];
  return s * steps + s;
}
/* and what is done without rounds is no nothing */
static NOINLINE double branches(double *a, double *b, double *c, int n, int steps) {
  double s = 0;
  for (int t = 0; t < 5; t++) {
    if (n > 0) {
      for (int i = 0; i < n; i++) b[i] = a[i] * a[i] * c[i];
      s += b[0];
    } else {
      s += a[1] * t;
    }
    if (n > 0)
      for (int i = 0; i < n; i++) a[i] += 0.1 * b[i] * s;
    else
      s = s * 0.5 + a[3] * c[2];
  }
  return n > 0 ? s * a[0] + b[n - 1] : s * a[2] + b[1] * steps;
}
static NOINLINE double inside(double *a, double *b, double *c, int n, int steps) {
  double s = 0;
  for (int t = 0; t < steps; t++) {
    for (int i = 0; i < n; i++) b[i] = a[i] * a[i];
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < n; i++) a[i] += 0.1 * b[i] * c[k] - 0.02 * a[i] * b[k];
    for (int i = 0; i < n; i++) s += a[i];
  }
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

/* the ends ask the counter as it was, and the next one is made on the way back: downwards, by two, with another one that
 * goes its own way, and the way back used behind the loop */
static NOINLINE double down(double *a, double *b, double *c, int n, int steps) {
  double s = 0;
  for (int t = steps; t > 0; t--) {
    for (int i = 0; i < n; i++) b[i] = a[i] * a[i] * c[t % N];
    for (int i = 0; i < n; i++) a[i] += 0.1 * b[i] / (1 + s * s);
    for (int i = 0; i < n; i++) s += a[i];
  }
  for (int i = 0; i < n; i++) s += a[i] * c[i];
  return s + a[1] * s;
}
static NOINLINE double by_two(double *a, double *b, double *c, int n, int steps) {
  double s = 1;
  int t, k = 0;
  for (t = 0; t < 8; t += 2, k += n + 1) {
    for (int i = 0; i < n; i++) b[i] = 0;
    for (int i = 0; i < 2 * n; i++) b[i / 2] += 0.2 * a[i % N] * c[k % N] / s;
    for (int i = 0; i < n; i++) a[i] += 0.1 * b[i];
    s = 1 + a[t % N] * a[k % N];
  }
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s * c[k % N] + s * t * steps;
}
/* a number of the way back that would be infinite were it made where the loop is left */
static NOINLINE double infinite(double *a, double *b, double *c, int n, int steps) {
  double s = 0, r = 1;
  for (int t = 4; t > 0; t--) {
    for (int i = 0; i < n; i++) b[i] = a[i] * a[i] * r;
    for (int i = 0; i < n; i++) a[i] += 0.1 * b[i] * c[i];
    if (t == 1) break;
    r = a[3] / (t - 1);
  }
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s + r * steps;
}

#define EACH(do)                                                                                                    \
  do(plain) do(carried) do(counted) do(places) do(early) do(three) do(nested) do(others) do(products) do(cells)        \
  do(conjugate) do(threaded) do(branches) do(inside) do(down) do(by_two) do(infinite)

static int count, times;

#define OBJECTIVE(f)                                                             \
  static double f##_of(const double *in) {                                       \
    double x[SIZE];                                                              \
    memcpy(x, in, sizeof x);                                                     \
    double s = f(x, x + N, x + 2 * N, count, times);                             \
    for (int i = 0; i < SIZE; i++) s += (1 + 0.1 * i) * x[i] * x[i];             \
    return s;                                                                    \
  }                                                                              \
  DERIVED(f##_of)
EACH(OBJECTIVE)

int main(void) {
  static const int counts[] = {0, 1, 2, 3, 4, 6}, steps[] = {0, 1, 2, 5};
  double x[SIZE];
  for (int i = 0; i < SIZE; i++) x[i] = 0.6 + 0.4 * cos(1.3 * i + 0.4);
  for (int i = 0; i < COUNT(counts); i++)
    for (int j = 0; j < COUNT(steps); j++) {
      count = counts[i], times = steps[j];
#define ONE(f) CHECK_DERIVED(f##_of, x);
      EACH(ONE)
    }
  return check_done();
}
