/* Nests whose 32-bit counters and lengths are computed without saying that nothing wraps, and may: starts near the end of
 * what 32 bits can tell, triangles, and rows that are left out. */
#include "check.h"

#define N 9
#define SIZE (N * N + N)

typedef void kernel(const double *a, double *y, unsigned n, unsigned base);

static NOINLINE void below(const double *a, double *y, unsigned n, unsigned base) { /* solve L^T y = y, by columns */
  for (unsigned i = n; i-- > 0;) {
    double s = y[i];
    for (unsigned j = base + i + 1; j != base + n; j++) s -= a[i + (j - base) * n] * y[j - base];
    y[i] = s / (3 + a[i + i * n]);
  }
}
static NOINLINE void by_rows(const double *a, double *y, unsigned n, unsigned base) {
  for (unsigned i = base; i != base + n; i++)
    for (unsigned j = base; j < base + n; j++) y[i - base] += 0.3 * a[(i - base) * n + (j - base)] * y[j - base];
}
static NOINLINE void by_columns(const double *a, double *y, unsigned n, unsigned base) {
  for (unsigned j = base; j != base + n; j++)
    for (unsigned i = base + n; i != base; i--) y[i - 1 - base] += 0.3 * a[(i - 1 - base) + (j - base) * n];
}
static NOINLINE void back(const double *a, double *y, unsigned n, unsigned base) {
  int last = (int)n, shift = (int)base;
  for (int i = last - 1; i >= 0; i--) {
    double s = y[i];
    for (int j = i + 1; j < last; j++) s -= a[i + j * last] * y[j];
    y[i] = s / (3 + a[i + i * last]) + 1e-12 * shift;
  }
}
static NOINLINE void upper(const double *a, double *y, unsigned n, unsigned base) {
  unsigned char first = (unsigned char)base; /* wraps in eight bits */
  for (unsigned char i = first; i != (unsigned char)(first + n); i++) {
    unsigned char row = (unsigned char)(i - first);
    for (unsigned char j = row; j < n; j++) y[row] += 0.3 * a[row * n + j] * a[j + row * n];
  }
}

static kernel *const kernels[] = {below, by_rows, by_columns, back, upper};
static const unsigned bases[] = {0, 1, 250, 0x7ffffffau, 0x80000000u, 0xfffffff9u, 0xffffffffu};
static const unsigned counts[] = {N, 4, 1, 0};

static int which;

static unsigned base(void) { return bases[which / COUNT(kernels) % COUNT(bases)]; }
static unsigned count(void) { return counts[which / COUNT(kernels) / COUNT(bases)]; }

static double objective(const double *in) {
  double y[N], s = 0;
  for (int i = 0; i < N; i++) y[i] = in[N * N + i];
  kernels[which % COUNT(kernels)](in, y, count(), base());
  for (int i = 0; i < N; i++) s += (1 + i) * y[i] * y[i];
  return s;
}

#define EACH(do) \
  switch (which % COUNT(kernels)) { \
    case 0: do(below); break; \
    case 1: do(by_rows); break; \
    case 2: do(by_columns); break; \
    case 3: do(back); break; \
    default: do(upper); break; \
  }

static void gradient(const double *in, double *g) {
  double y[N], dy[N];
  for (int i = 0; i < N; i++) y[i] = in[N * N + i];
  kernels[which % COUNT(kernels)](in, y, count(), base());
  for (int i = 0; i < N; i++) dy[i] = 2 * (1 + i) * y[i], y[i] = in[N * N + i];
#define REVERSE(f) \
  __enzyme_autodiff((void *)f, enzyme_dup, in, g, enzyme_dup, y, dy, enzyme_const, count(), enzyme_const, base())
  EACH(REVERSE)
  for (int i = 0; i < N; i++) g[N * N + i] += dy[i];
}

static double tangent(const double *in, const double *v) {
  double y[N], dy[N], s = 0;
  for (int i = 0; i < N; i++) y[i] = in[N * N + i], dy[i] = v[N * N + i];
#define FORWARD(f) \
  __enzyme_fwddiff((void *)f, enzyme_dup, in, v, enzyme_dup, y, dy, enzyme_const, count(), enzyme_const, base())
  EACH(FORWARD)
  for (int i = 0; i < N; i++) s += 2 * (1 + i) * y[i] * dy[i];
  return s;
}

int main(void) {
  double x[SIZE];
  for (int i = 0; i < SIZE; i++) x[i] = 0.3 * sin(1.7 * i + 0.3);
  for (which = 0; which < COUNT(kernels) * COUNT(bases) * COUNT(counts); which++) CHECK(objective, gradient, tangent, x);
  return check_done();
}
