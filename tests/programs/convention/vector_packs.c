// engine: --enzyme-vector-bytes=64
/* Groups of lanes that fill a half of a vector: iterations of loops side by side, where none notices another. */
#include "../check.h"

enum { PARAMETERS = 18, MOST = 9 };

extern int enzyme_width, enzyme_dupv;
extern void __enzyme_fwddiff_all(void *, ...);
extern void __enzyme_fwddiff_one(void *, ...);

/* k is n, or a little less; nothing says so. */
static NOINLINE void model(const double *restrict p, const double *restrict base, double *restrict out, int n, int k) {
  double *sum = (double *)malloc((4 * n + 12) * sizeof *sum), *own = (double *)malloc(24 * sizeof *own);
  float *few = (float *)malloc((n + 1) * sizeof *few);
  for (int i = 0; i < 4 * n + 12; i++) sum[i] = 0.01 * base[i % 7];
  for (int i = 0; i < n; i++) few[i] = 0.5f;
  for (int i = 0; i < 24; i++) own[i] = p[i % PARAMETERS] * (i % 3 ? 0.2 : p[(i + 4) % PARAMETERS]);
  own[5] = 1;
  double a = own[0], b = own[1], c = own[2], d = own[7];
  for (int i = 0; i < n; i++) sum[i] += base[i] * a + base[n - i] * b;           /* what all lanes share, backwards */
  for (int i = 0; i < n; i++) sum[n + i] += (base[2 * i] * base[i] - i) * c;      /* and of every other, and of i */
  for (int i = 0; i < n; i++) sum[i] += (base[i] > 0.2 ? base[i] : fabs(base[i + 1]) * 0.5) * d; /* and chosen */
  for (int row = 0; row < 3; row++) {
    double e = own[9 + row], f = own[12 + row];
    for (int i = 0; i < n; i++) sum[row * n + i] += base[i] * (e + f * base[i + 1]);
  }
  for (int row = 0; row < 3; row++) { /* rows one number apart: each adds to what others add to */
    double e = own[row + 3];
    for (int i = 0; i < n; i++) sum[row + i] += base[i] * e;
  }
  for (int i = 0; i < n; i += 2) sum[i] += base[i] * a;                           /* every other number */
  for (int i = n; i > 0; i--) sum[i] += base[i] * b;                              /* backwards */
  for (int i = 0; i < n; i++) sum[(i * 3) % n] += base[i] * c;                    /* here and there */
  for (int i = 0; i < n; i++) sum[i / 2] += base[i] * d;                          /* twice the same */
  for (int i = 0; i < n; i++) sum[5] += base[i] * own[3];                         /* always the same */
  double *x = sum, *y = sum + n, *z = y + n;
  double *near = sum + k;
  for (int i = 0; i < n; i++) { /* in place, rows apart or one number short of it */
    double u = near[i], v = x[i];
    near[i] = a * u - b * v;
    x[i] = d * v + c * u;
  }
  for (int i = 0; i < n; i++) x[i] = x[i + 1] * a + x[i] * b + d;                 /* the next one, not written yet */
  for (int i = 0; i < n; i++) x[i + 1] = x[i] * c + 0.3 * b;                      /* what was just written */
  for (int i = 0; i < n; i++) x[i + 2] = x[i] * d + x[i + 2] * 0.5;               /* what was written two before */
  for (int i = 0; i < n; i++) { /* written twice */
    double u = x[i];
    x[i] = u * a;
    x[i + 1] = u * b + c;
  }
  for (int i = 0; i < n; i++) {
    double u = near[i], v = x[i];
    near[i] = base[i] * u - 0.7 * v;
    x[i] = 0.6 * v + base[i] * u;
  }
  for (int i = 0; i < n; i++) {
    double u = x[i], v = near[i];
    near[i] = base[i] * u + 0.7 * v;
    x[i] = 0.6 * v - base[i] * u;
  }
  for (int i = 0; i < n; i++) x[i] = x[i + 1] * base[i] + 0.5 * x[i];
  for (int i = 0; i < n; i++) x[i + 1] = x[i] * base[i] + 0.3 * x[i + 1];
  for (int i = 0; i < n; i++) x[i + 2] = x[i] * base[i] + 0.5 * x[i + 2];
  for (int i = 0; i < n; i++) x[i + 3] = x[i] * base[i] + 0.4 * x[i + 3];
  for (int i = 0; i < n; i++) {
    double u = x[i];
    x[i] = u * base[i];
    x[i + 1] = u * 0.6 + base[i];
  }
  for (int i = 0; i < n; i++) {
    x[i + 1] = y[i] * 0.6;
    x[i] = y[i + 1] * base[i];
  }
  for (int i = 0; i < n; i++) y[i] = fabs(y[i]) * a + fmin(z[i], 3.0) * b + copysign(c, z[i]);
  for (int i = 0; i < n; i++) few[i] += (float)base[i] * (float)a;
  for (int i = 0; i < n; i++) few[i] = few[i] * (float)b + (float)c;
  for (int i = 0; i < n; i++)
    out[i] = x[i] + 0.5 * y[i] - 0.25 * z[i] * z[i] + sum[3 * n + i] * (double)few[i] + sum[5] * x[i + 1];
  free(sum);
  free(own);
  free(few);
}

/* Rows that are turned and moved in place, whose length LLVM knows under one name. */
static NOINLINE void turned(const double *restrict p, const double *restrict base, double *restrict out, int n, int k) {
  double *x = (double *)malloc(3 * n * sizeof *x), *y = x + n, *z = y + n;
  double a = p[1] * p[2], b = p[3], c = p[4] - p[0], d = p[k - n + 5];
  for (int i = 0; i < n; i++) x[i] = base[i] * p[6];
  for (int i = 0; i < n; i++) y[i] = base[i] * p[11] + p[17];
  for (int i = 0; i < n; i++) z[i] = base[i + 1] * p[8];
  for (int i = 0; i < n; i++) { /* in place, rows apart */
    double u = x[i], v = y[i], w = z[i];
    x[i] = a * u + b * v + c;
    y[i] = b * v - a * w + d * base[i];
    z[i] = c * w + d * u;
  }
  for (int i = 0; i < n; i++) { /* the same with factors that do not move, which all lanes share */
    double u = x[i], v = y[i], w = z[i];
    x[i] = 0.9 * u + base[i] * v;
    y[i] = base[i + 1] * v - 0.5 * w;
    z[i] = base[i] * w + 0.1 * u;
  }
  for (int i = 0; i < n; i++) out[i] = x[i] + 0.5 * y[i] - 0.25 * z[i] * z[i];
  free(x);
}

static double base[3 * MOST];
#define CHECK_LANES(model)                                                                                           \
  static void check_##model(const double *p, int n, int k) {                                                         \
    double seeds[PARAMETERS][PARAMETERS] = {{0}}, out[MOST], columns[PARAMETERS][MOST], v[PARAMETERS];               \
    double ahead[PARAMETERS], behind[PARAMETERS], above[MOST], below[MOST];                                          \
    for (int i = 0; i < PARAMETERS; i++) {                                                                           \
      seeds[i][i] = 1;                                                                                               \
      v[i] = cos(1.0 + i);                                                                                           \
      ahead[i] = p[i] + 1e-3 * v[i];                                                                                 \
      behind[i] = p[i] - 1e-3 * v[i];                                                                                \
    }                                                                                                                \
    __enzyme_fwddiff_all((void *)model, enzyme_width, PARAMETERS, enzyme_dupv, sizeof seeds[0], p, seeds,            \
                         enzyme_const, base, enzyme_dupv, sizeof columns[0], out, columns, enzyme_const, n,          \
                         enzyme_const, k);                                                                           \
    for (int lane = 0; lane < PARAMETERS; lane++) {                                                                  \
      double one[MOST];                                                                                              \
      __enzyme_fwddiff_one((void *)model, enzyme_dup, p, seeds[lane], enzyme_const, base, enzyme_dup, out, one,      \
                           enzyme_const, n, enzyme_const, k);                                                        \
      for (int i = 0; i < n; i++)                                                                                    \
        check_close("column", lane * MOST + i, columns[lane][i], one[i], 1e-6 * (fabs(one[i]) + 1));                 \
    }                                                                                                                \
    model(ahead, base, above, n, k);                                                                                 \
    model(behind, base, below, n, k);                                                                                \
    for (int i = 0; i < n; i++) {                                                                                    \
      double slope = 0;                                                                                              \
      for (int lane = 0; lane < PARAMETERS; lane++) slope += columns[lane][i] * v[lane];                             \
      check_close("differences", i, (above[i] - below[i]) / 2e-3, slope, 2e-3 * (fabs(slope) + 1));                  \
    }                                                                                                                \
  }
CHECK_LANES(model)
CHECK_LANES(turned)

int main(void) {
  double p[PARAMETERS];
  for (int i = 0; i < PARAMETERS; i++) p[i] = 0.3 + 0.05 * i - (i % 3) * 0.4;
  for (int i = 0; i < 3 * MOST; i++) base[i] = 0.8 * cos(0.7 * i);
  for (int n = 1; n <= MOST; n++) {
    CHECK_ENGINE(check_model(p, n, n));
    CHECK_ENGINE(check_model(p, n, n - 1));
    CHECK_ENGINE(check_turned(p, n, n));
  }
  return check_done();
}
