/* Small triangles and arrays that are filled bit by bit, in loops that run their iterations again: a factorisation and
 * substitutions in a few numbers of the function, upwards and downwards; what is read of them has been written in the same
 * iteration, in rounds before the present one, or was left by an iteration before. And loops whose rounds hang on the
 * counters around them: in all ways that counters can begin and end, in functions that are called, too many for the stack. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 24
#define AGAIN static NOINLINE __attribute__((annotate("enzyme_loops=recompute")))

int rounds = 11; /* nobody knows that it stays so */

/* A triangle of numbers, each set by itself; its factor, and what that solves, copied to where it is seen. */
AGAIN void cholesky(const double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; i++) {
    double A[3][3], z[3];
    A[0][0] = 2 + x[i], A[1][1] = 3 + x[i + 1] * x[i], A[2][2] = 4 + x[i + 2];
    A[1][0] = 0.5 * x[i], A[2][0] = 0.3 * x[i + 1], A[2][1] = x[i] * x[i + 2];
    for (int j = 0; j < 3; j++) {
      double d = A[j][j];
      for (int k = 0; k < j; k++) d -= A[j][k] * A[j][k];
      A[j][j] = sqrt(d);
      for (int l = j + 1; l < 3; l++) {
        double e = A[l][j];
        for (int k = 0; k < j; k++) e -= A[l][k] * A[j][k];
        A[l][j] = e / A[j][j];
      }
    }
    for (int j = 0; j < 3; j++) {
      double d = x[i + j];
      for (int k = 0; k < j; k++) d -= A[j][k] * z[k];
      z[j] = d / A[j][j];
    }
    for (int j = 2; j >= 0; j--) {
      for (int k = 2; k > j; k--) z[j] -= A[k][j] * z[k];
      z[j] /= A[j][j];
    }
    for (int j = 0; j < 3; j++) y[3 * i + j] = z[j];
  }
}
/* The upper triangle by loops, of which nothing below is read. */
AGAIN void upper(const double *restrict x, double *restrict y, int n) {
  for (int i = 0; i < n; i++) {
    double A[4][4], z[4];
    for (int j = 0; j < 4; j++)
      for (int k = j; k < 4; k++) A[j][k] = x[i + k] * (j + 1) + (j == k ? 2 : 0);
    for (int j = 3; j >= 0; j--) {
      z[j] = x[i + j];
      for (int k = j + 1; k < 4; k++) z[j] -= A[j][k] * z[k];
      z[j] /= A[j][j];
    }
    y[2 * i] = z[0] * z[3], y[2 * i + 1] = z[1] + z[2];
  }
}
/* The same with one number that is from the iteration before. */
AGAIN void left_over(const double *restrict x, double *restrict y, int n) {
  double A[4][4];
  for (int j = 0; j < 16; j++) A[j / 4][j % 4] = 1 + 0.1 * j * x[j];
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < 4; j++)
      for (int k = j + 1; k < 4; k++) A[j][k] = x[i + k] * (j + 1) + s;
    for (int j = 0; j < 4; j++)
      for (int k = j; k < 4; k++) s += A[j][k] * A[j][k];
    A[2][2] = sin(s);
    y[i] = s;
  }
}
/* From each number the next; the first is set, or is the last iteration's. */
AGAIN void onwards(const double *restrict x, double *restrict y, int n, int m) {
  double w[N];
  for (int i = 0; i < n; i++) {
    w[0] = x[i];
    for (int j = 1; j < m; j++) w[j] = sin(w[j - 1]) + 0.1 * x[(i + j) % N];
    y[i] = w[m - 1] * w[1];
  }
}
AGAIN void onwards_from(const double *restrict x, double *restrict y, int n, int m) {
  double w[N];
  w[0] = x[3];
  for (int i = 0; i < n; i++) {
    for (int j = 1; j < m; j++) w[j] = sin(w[j - 1]) + 0.1 * x[(i + j) % N] * w[j - 1];
    y[i] = w[m - 1] * w[m / 2];
    w[0] = 0.5 * w[m - 2];
  }
}
/* Downwards, from the end or from one behind it. */
AGAIN void downwards(const double *restrict x, double *restrict y, int n, int m) {
  double w[N];
  for (int i = 0; i < n; i++) {
    for (int j = m - 1; j >= 0; j--) {
      double s = x[(i + j) % N];
      for (int k = j + 1; k < m; k++) s -= 0.1 * w[k] * x[k];
      w[j] = s * s;
    }
    y[i] = w[0] + w[m - 1];
  }
}
AGAIN void downwards_behind(const double *restrict x, double *restrict y, int n, int m) {
  double w[N];
  for (int j = 0; j < N; j++) w[j] = x[j];
  for (int i = 0; i < n; i++) {
    for (int j = m - 1; j >= 0; j--) {
      double s = x[(i + j) % N];
      for (int k = j + 1; k <= m; k++) s -= 0.1 * w[k] * x[k];
      w[j] = s * s;
    }
    y[i] = w[0] + w[m - 1];
    w[m] = y[i] * 0.1;
  }
}
/* Until something holds, and what was found then. */
AGAIN void until(const double *restrict x, double *restrict y, int n) {
  double w[N];
  for (int i = 0; i < n; i++) {
    int j = 0;
    w[0] = x[i];
    do {
      j++;
      w[j] = w[j - 1] * (0.6 + 0.1 * x[j]) + 0.01;
    } while (w[j] > 0.23 && j < N - 1);
    y[i] = w[j] + w[j / 2];
  }
}
/* Every other number, and only where something holds: the others stay from before. */
AGAIN void gaps(const double *restrict x, double *restrict y, int n, int m) {
  double w[N];
  for (int j = 0; j < N; j++) w[j] = x[j];
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      double s = 0;
      for (int k = 0; k < j; k++) s += w[k] * x[k];
      if (j % 3 != i % 3) w[j] = s * 0.1 + x[i];
    }
    y[i] = w[m - 1] + w[m - 2];
  }
}
AGAIN void pairs(const double *restrict x, double *restrict y, int n, int m) {
  double w[2 * N];
  for (int j = 0; j < 2 * N; j++) w[j] = 0.1 * j;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < m; j++) {
      double s = x[i];
      for (int k = 0; k < 2 * j; k++) s += 0.01 * w[k] * x[k % N];
      w[2 * j] = s, w[2 * j + 1] = s * x[j];
    }
    y[i] = w[m];
    for (int j = 0; j < m; j++) {
      for (int k = 0; k < 2 * j; k += 2) y[i] += w[k + 1] * 0.1;
      w[2 * j] = y[i] * 0.1;
    }
  }
}

/* Loops in loops whose rounds hang on counters. What each of them computes is kept. */
#define STEP(a, b) s = sin(s + (a) * x[b])
#define COUNTED(name, loops)                        \
  static NOINLINE double name(const double *x) {    \
    double s = 0.3;                                 \
    loops;                                          \
    return s;                                       \
  }
COUNTED(lower, for (int i = 0; i < 5; i++) for (int j = 0; j < i; j++) STEP(0.1, i + j))
COUNTED(up, for (int i = 0; i < 5; i++) for (int j = i; j < 5; j++) STEP(0.1, i + j))
COUNTED(down, for (int i = 4; i > 0; i--) for (int j = i; j > 0; j--) STEP(0.1, i + j))
COUNTED(three, for (int i = 0; i < 4; i++) for (int j = i + 1; j < 5; j++) for (int k = j; k < 6; k++) STEP(0.1, i + j + k))
COUNTED(twice, for (int i = 0; i < 4; i++) for (int j = 0; j < 2 * i; j++) STEP(0.1, i + j))
COUNTED(squares, for (int i = 0; i < 4; i++) for (int j = 0; j < i * i; j++) STEP(0.1, i + j))
COUNTED(wrapped, for (unsigned i = 0; i < 5; i++) for (unsigned j = 0; j != i; j++) STEP(0.1, i + j))
COUNTED(fallen, for (unsigned i = 0; i < 5; i++) for (unsigned j = i; j-- > 0;) STEP(0.1, i + j))
COUNTED(behind, for (int i = 0; i < 6; i++) for (int j = 3; j < i; j++) STEP(0.1, i + j))
COUNTED(strides, for (int i = 0; i < 9; i += 3) for (int j = i; j < 12; j += 2) STEP(0.1, i + j))
COUNTED(halves, for (int i = 0; i < 9; i++) for (int j = 0; j < i / 2; j++) STEP(0.1, i + j))
COUNTED(least, for (int i = 0; i < 6; i++) for (int j = 0; j < (i < 3 ? i : 3); j++) STEP(0.1, i + j))
COUNTED(left_early, for (int i = 0; i < 6; i++) for (int j = 0; j < i; j++) { STEP(0.1, i + j); if (s > 0.9) break; })
COUNTED(left_both, for (int i = 0; i < 6; i++) { if (s > 1.2) break; for (int j = 0; j < i; j++) STEP(0.1, i + j); })
COUNTED(many, for (int i = 0; i < 64; i++) for (int j = 0; j < i; j++) STEP(0.01, (i + j) % N))
COUNTED(asked, for (int i = 0; i < 6; i++) if (x[i] > 0.6) for (int j = 0; j <= i; j++) STEP(0.1, i + j))
COUNTED(in_while, int n = rounds; while (n > 0) { for (int i = 0; i < 3; i++) for (int j = 0; j < i; j++) STEP(0.1, i + j); n -= 4; })
static double called(const double *x) { return lower(x) * three(x + 3) + squares(x + 1) * fallen(x + 2); }

#define FUNCTION(name, call)                                \
  static double of_##name(const double *x) {                \
    double y[2 * N], s = 0;                                 \
    int n = rounds;                                         \
    for (int i = 0; i < 2 * N; i++) y[i] = 0.01 * i;        \
    call;                                                   \
    for (int i = 0; i < 2 * N; i++) s += y[i] * y[i] * (1 + 0.1 * i); \
    return s;                                               \
  }                                                         \
  DERIVED(of_##name)
FUNCTION(cholesky, cholesky(x, y, n))
FUNCTION(upper, upper(x, y, n))
FUNCTION(left_over, left_over(x, y, n))
FUNCTION(onwards, onwards(x, y, n, n))
FUNCTION(onwards_from, onwards_from(x, y, n, n - 3))
FUNCTION(downwards, downwards(x, y, n, n - 4))
FUNCTION(downwards_one, downwards(x, y, n, n - 10))
FUNCTION(downwards_behind, downwards_behind(x, y, n, n - 4))
FUNCTION(until, until(x, y, n))
FUNCTION(gaps, gaps(x, y, n, n - 2))
FUNCTION(pairs, pairs(x, y, n, n - 2))
DERIVED(lower)
DERIVED(up)
DERIVED(down)
DERIVED(three)
DERIVED(twice)
DERIVED(squares)
DERIVED(wrapped)
DERIVED(fallen)
DERIVED(behind)
DERIVED(strides)
DERIVED(halves)
DERIVED(least)
DERIVED(left_early)
DERIVED(left_both)
DERIVED(many)
DERIVED(asked)
DERIVED(in_while)
DERIVED(called)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.6 + 0.3 * sin(1.7 * i + 0.4);
#define EACH(f) CHECK_DERIVED(f, x)
  EACH(of_cholesky); EACH(of_upper); EACH(of_left_over); EACH(of_onwards); EACH(of_onwards_from); EACH(of_downwards);
  EACH(of_downwards_one); EACH(of_downwards_behind); EACH(of_until); EACH(of_gaps); EACH(of_pairs);
  EACH(lower); EACH(up); EACH(down); EACH(three); EACH(twice); EACH(squares); EACH(wrapped); EACH(fallen); EACH(behind);
  EACH(strides); EACH(halves); EACH(least); EACH(left_early); EACH(left_both); EACH(many); EACH(asked); EACH(in_while);
  EACH(called);
  return check_done();
}
