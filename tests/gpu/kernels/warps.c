/* Threads of a warp that hand numbers to one another. Compilers hand a double on in two halves. */
#include "gpu.h"

#define HANDED(mode)                                                                   \
  INLINE double mode(double number, int by, int last) {                                \
    long long bits = __builtin_bit_cast(long long, number);                            \
    int low = (int)bits, high = (int)(bits >> 32);                                     \
    low = __nvvm_shfl_sync_##mode##_i32(-1, low, by, last);                            \
    high = __nvvm_shfl_sync_##mode##_i32(-1, high, by, last);                          \
    bits = (long long)((unsigned long long)(unsigned)high << 32 | (unsigned)low);      \
    return __builtin_bit_cast(double, bits);                                           \
  }
HANDED(down)
HANDED(up)
HANDED(bfly)
HANDED(idx)

/* a sum of a warp, as everybody writes it */
static void warp_sum(double *x, double *y, int n) {
  double v = x[HERE] * x[HERE];
  for (int d = 16; d > 0; d >>= 1) v += down(v, d, 31);
  if (THREAD % 32 == 0) y[HERE / 32] = v * v;
}
DERIVED(warp_sum)

/* all have the sum; products, whose factors are needed again */
static void warp_all(double *x, double *y, int n) {
  double v = x[HERE], p = x[HERE] * 0.9;
  for (int d = 1; d < 32; d *= 2) {
    v += bfly(v, d, 31) * 0.5;
    p *= bfly(p, d, 31);
  }
  y[HERE] = v * p * x[HERE];
}
DERIVED(warp_all)

/* sums of all before, and one from in front and one from behind */
static void scan(double *x, double *y, int n) {
  int lane = THREAD % 32;
  double v = x[HERE];
  for (int d = 1; d < 32; d *= 2) {
    double before = up(v, d, 0);
    if (lane >= d) v += before * before * 0.1;
  }
  y[HERE] = v * down(x[HERE], 3, 31) + up(v, 5, 0) * v;
}
DERIVED(scan)

/* one for all, and each from where it says */
static void spread(double *x, double *y, int n) {
  int lane = THREAD % 32;
  double v = x[HERE];
  y[HERE] = v * idx(v * v, 7, 31) + idx(v, (lane * 5) % 7, 31) * v;
}
DERIVED(spread)

/* in groups of 8, by distances that only the program knows */
static void groups(double *x, double *y, int n) {
  double v = x[HERE], w = v * v;
  int by = n % 5 + 1, last = (32 - 8) << 8;
  w += down(v * w, by, last | 31) + up(v, by, last);
  w *= bfly(w, by, last | 31) * idx(v, by + 8, last | 31);
  y[HERE] = w;
}
DERIVED(groups)

/* floats, of which a processor hands on one at a time */
static void floats(double *x, double *y, int n) {
  float v = (float)x[HERE];
  for (int d = 16; d > 0; d >>= 1) v += __nvvm_shfl_sync_bfly_f32(-1, v, d, 31) * 0.25f;
  y[HERE] = v * __nvvm_shfl_sync_down_f32(-1, v * v, n % 3 + 1, 31);
}
DERIVED(floats)

/* a sum of a block: of warps first, then of their sums, by way of shared memory; a vote beside it */
static void block_sum(double *x, double *y, int n) {
  SHARED double part[32];
  int lane = THREAD % 32, warp = THREAD / 32, warps = THREADS / 32;
  double v = x[HERE] * x[HERE];
  for (int d = 16; d > 0; d >>= 1) v += down(v, d, 31);
  if (lane == 0) part[warp] = v;
  WAIT();
  if (warp == 0) {
    double all = lane < warps ? part[lane] : 0;
    for (int d = 16; d > 0; d >>= 1) all += down(all, d, 31);
    if (lane == 0) y[BLOCK] = all * all;
  }
}
DERIVED(block_sum)
