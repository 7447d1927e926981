/* Matrix-vector loops in every order of their indices, over arrays that may overlap: only the running program tells.
 * Each kernel runs with arrays apart, with the result on the vector, with the result inside the matrix, and with rows
 * that overlap each other. */
#include "check.h"

#define N 12
#define SIZE (N * N + 2 * N)

typedef void kernel(const double *a, const double *x, double *y, int n, int row, int column);

static NOINLINE void dense(const double *a, const double *x, double *y, int n, int row, int column) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++) s += a[i * row + j * column] * x[j];
    y[i] = s;
  }
}
static NOINLINE void by_columns(const double *a, const double *x, double *y, int n, int row, int column) {
  (void)row;
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j < n; j++) s += a[i + j * column] * x[j];
    y[i] = s;
  }
}
static NOINLINE void transposed(const double *a, const double *x, double *y, int n, int row, int column) {
  (void)column;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) y[j] += a[i * row + j] * x[i];
}
static NOINLINE void lower(const double *a, const double *x, double *y, int n, int row, int column) {
  (void)row;
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = 0; j <= i; j++) s += a[i + j * column] * x[j];
    y[i] = s;
  }
}
static NOINLINE void upper(const double *a, const double *x, double *y, int n, int row, int column) {
  (void)row;
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int j = i; j < n; j++) s += a[i + j * column] * x[j];
    y[i] = s;
  }
}
static NOINLINE void solve(const double *a, const double *x, double *y, int n, int row, int column) {
  (void)row;
  for (int i = 0; i < n; i++) {
    double s = x[i];
    for (int j = 0; j < i; j++) s -= a[i + j * column] * y[j];
    y[i] = s / (3 + a[i + i * column]);
  }
}
static NOINLINE void solve_backwards(const double *a, const double *x, double *y, int n, int row, int column) {
  (void)row;
  for (int i = n - 1; i >= 0; i--) {
    double s = x[i];
    for (int j = i + 1; j < n; j++) s -= a[i + j * column] * y[j];
    y[i] = s / (3 + a[i + i * column]);
  }
}
static NOINLINE void rank_one(const double *a, const double *x, double *y, int n, int row, int column) {
  (void)a, (void)row;
  for (int i = 0; i < n - 1; i++)
    for (int j = 0; j < n - 1; j++) y[i + j * column] += 0.125 * x[i] * x[j];
}
static NOINLINE void skewed(const double *a, const double *x, double *y, int n, int row, int column) {
  (void)row;
  for (int i = 1; i < n; i++) /* reads what iterations before and behind it write */
    for (int j = 0; j < n - 1; j++) y[(i + j * column) % (N * N)] = 0.5 * a[i - 1 + (j + 1) * column] + x[j];
}

static kernel *const kernels[] = {dense, by_columns, transposed, lower, upper, solve, solve_backwards, rank_one, skewed};

/* where a, x and y begin in the buffer, and the strides */
static const int places[][5] = {
    {0, N * N, N * N + N, N, N}, {0, N * N, N * N, N, N},         {0, N * N, N * N + 1, N, N},
    {0, N * N + 1, N * N, N, N}, {0, N * N, 2 * N + 3, N, N},     {0, 5, N * N, N, N},
    {0, 5, 4, N, N},             {0, N * N, N * N + N, N - 3, 3}, {0, 3 * N, 3 * N, 1, 1},
};

static int which;

#define EACH(do) \
  switch (which / COUNT(places)) { \
    case 0: do(dense); break; \
    case 1: do(by_columns); break; \
    case 2: do(transposed); break; \
    case 3: do(lower); break; \
    case 4: do(upper); break; \
    case 5: do(solve); break; \
    case 6: do(solve_backwards); break; \
    case 7: do(rank_one); break; \
    default: do(skewed); break; \
  }

static const int *place(void) { return places[which % COUNT(places)]; }

static double total(kernel *run, const double *in) {
  double w[2 * SIZE] = {0}, s = 0;
  const int *p = place();
  for (int i = 0; i < SIZE; i++) w[i] = in[i];
  run(w + p[0], w + p[1], w + p[2], N, p[3], p[4]);
  for (int i = 0; i < 2 * SIZE; i++) s += (1 + i % 7) * w[i] * w[i];
  return s;
}

static double objective(const double *in) { return total(kernels[which / COUNT(places)], in); }

static void gradient(const double *in, double *g) {
  double w[2 * SIZE] = {0}, d[2 * SIZE];
  const int *p = place();
  for (int i = 0; i < SIZE; i++) w[i] = in[i];
#define RUN(f) f(w + p[0], w + p[1], w + p[2], N, p[3], p[4])
  EACH(RUN)
  for (int i = 0; i < 2 * SIZE; i++) d[i] = 2 * (1 + i % 7) * w[i];
  for (int i = 0; i < 2 * SIZE; i++) w[i] = i < SIZE ? in[i] : 0;
#define REVERSE(f) \
  __enzyme_autodiff((void *)f, enzyme_dup, w + p[0], d + p[0], enzyme_dup, w + p[1], d + p[1], enzyme_dup, w + p[2], \
                    d + p[2], enzyme_const, N, enzyme_const, p[3], enzyme_const, p[4])
  EACH(REVERSE)
  for (int i = 0; i < SIZE; i++) g[i] += d[i];
}

static double tangent(const double *in, const double *v) {
  double w[2 * SIZE] = {0}, d[2 * SIZE] = {0}, s = 0;
  const int *p = place();
  for (int i = 0; i < SIZE; i++) w[i] = in[i], d[i] = v[i];
#define FORWARD(f) \
  __enzyme_fwddiff((void *)f, enzyme_dup, w + p[0], d + p[0], enzyme_dup, w + p[1], d + p[1], enzyme_dup, w + p[2], \
                   d + p[2], enzyme_const, N, enzyme_const, p[3], enzyme_const, p[4])
  EACH(FORWARD)
  for (int i = 0; i < 2 * SIZE; i++) s += 2 * (1 + i % 7) * w[i] * d[i];
  return s;
}

int main(void) {
  double x[SIZE];
  for (int i = 0; i < SIZE; i++) x[i] = 0.3 * sin(1.7 * i + 0.3);
  for (which = 0; which < COUNT(kernels) * COUNT(places); which++) CHECK(objective, gradient, tangent, x);
  return check_done();
}
