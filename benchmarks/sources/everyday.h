/* The driver of everyday.c and everyday.cpp. The programs' own EACH names them, `prepare` makes their inputs sensible.
 *
 * everyday_measure(name, size, seconds, out): out becomes the least seconds of the function and of its gradient, the
 * gradient along a direction, and the central difference along it. It returns 1 for a name that there is not. Enzyme's
 * own package does not take functions that are not to be inlined: EVERYDAY_INLINE lets them be. */
#include <time.h>

#ifdef __cplusplus
template <typename... T> double __enzyme_autodiff(void *, T...);
extern int enzyme_dup, enzyme_const;
#define API extern "C"
#else
extern double __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;
#define API
#endif
#ifdef EVERYDAY_INLINE
#define FUNCTION static double
#else
#define FUNCTION __attribute__((noinline)) static double
#endif

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}
static unsigned drawn;
static double next_number(void) { return drawn = drawn * 1664525u + 1013904223u, (drawn >> 8) / 16777216.0 - 0.5; }
static double *numbers(long count) { return (double *)calloc(count + 8, sizeof(double)); }

#define EVERYDAY_SIZES(f, of_x, of_w, of_ind) \
  if (!strcmp(name, #f)) nx = of_x, nw = of_w, ni = of_ind;
#define EVERYDAY_VALUE(f, of_x, of_w, of_ind) \
  if (!strcmp(name, #f)) at[s] = f(x, w, ind, n);
#define EVERYDAY_PRIMAL(f, of_x, of_w, of_ind) \
  if (!strcmp(name, #f)) value += f(x, w, ind, n);
#define EVERYDAY_GRADIENT(f, of_x, of_w, of_ind)                                                                  \
  if (!strcmp(name, #f))                                                                                          \
    __enzyme_autodiff((void *)f, enzyme_dup, x, dx, enzyme_dup, w, dw, enzyme_const, ind, enzyme_const, n);

#define MEASURE                                                                                                    \
  API int everyday_measure(const char *name, int n, double seconds, double *out) {                                 \
    long nx = 0, nw = 0, ni = 0;                                                                                   \
    EACH(EVERYDAY_SIZES)                                                                                           \
    if (!nx) return 1;                                                                                             \
    double *x = numbers(nx), *w = numbers(nw), *dx = numbers(nx), *dw = numbers(nw), *x0 = numbers(nx);            \
    double *w0 = numbers(nw), *v = numbers(nx), least[2] = {1e30, 1e30}, value = 0, h = 1e-6, at[2], along = 0;    \
    int *ind = (int *)calloc(ni + 8, sizeof(int));                                                                 \
    drawn = 1;                                                                                                     \
    for (long i = 0; i < nx; i++) x0[i] = next_number(), v[i] = next_number();                                     \
    for (long i = 0; i < nw; i++) w0[i] = next_number();                                                           \
    for (long i = 0; i < ni; i++) ind[i] = (int)((next_number() + 0.5) * n);                                       \
    prepare(name, n, x0, w0, ind);                                                                                 \
    for (int s = 0; s < 2; s++) {                                                                                  \
      for (long i = 0; i < nx; i++) x[i] = x0[i] + (s ? h : -h) * v[i];                                            \
      memcpy(w, w0, nw * sizeof(double));                                                                          \
      EACH(EVERYDAY_VALUE)                                                                                         \
    }                                                                                                              \
    for (int what = 0; what < 2; what++) {                                                                         \
      double began = now();                                                                                        \
      for (int round = 0; round < 3 || now() - began < seconds / 2; round++) {                                     \
        memcpy(x, x0, nx * sizeof(double)), memcpy(w, w0, nw * sizeof(double));                                    \
        memset(dx, 0, nx * sizeof(double)), memset(dw, 0, nw * sizeof(double));                                    \
        double start = now();                                                                                      \
        if (what) {                                                                                                \
          EACH(EVERYDAY_GRADIENT)                                                                                  \
        } else {                                                                                                   \
          EACH(EVERYDAY_PRIMAL)                                                                                    \
        }                                                                                                          \
        double took = now() - start;                                                                               \
        if (took < least[what]) least[what] = took;                                                                \
      }                                                                                                            \
    }                                                                                                              \
    for (long i = 0; i < nx; i++) along += v[i] * dx[i];                                                           \
    out[0] = least[0], out[1] = least[1], out[2] = along, out[3] = (at[1] - at[0]) / (2 * h), out[4] = value;      \
    free(x), free(w), free(dx), free(dw), free(x0), free(w0), free(v), free(ind);                                  \
    return 0;                                                                                                      \
  }
