/* Loops along memory around short ones: convolutions, filters and what looks like them. Reversed, they are run inside of
 * the short loops, many iterations at a time, where nothing overlaps that must not. Long signals are made of few inputs. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define LONG 640
static int one = 1; /* so that no optimiser knows how long anything is */

static NOINLINE void signal(const double *x, double *out, int n) {
  for (int i = 0; i < n; i++) out[i] = sin(x[0] * (i % 23) + x[1]) + 0.3 * x[2] * cos(0.37 * i);
}

/* taps known at run time */
static NOINLINE void filter(const double *h, const double *in, double *out, int n, int taps) {
  for (int i = 0; i + taps <= n; i++) {
    double s = 0;
    for (int t = 0; t < taps; t++) s += h[t] * in[i + t];
    out[i] = s;
  }
}
static double squares(const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += (1 + 0.01 * i) * y[i] * y[i];
  return s / n;
}
/* x: three numbers of the signal, then taps */
static double filtered(const double *x, int n, int taps) {
  double in[LONG], out[LONG];
  signal(x, in, n);
  filter(x + 3, in, out, n, taps);
  return squares(out, n - taps + 1);
}
#define FILTERED(n, taps) \
  static double filtered_##n##_##taps(const double *x) { return filtered(x, n * one, taps * one); } \
  DERIVED(filtered_##n##_##taps)
FILTERED(5, 5) FILTERED(15, 5) FILTERED(16, 5) FILTERED(17, 5) FILTERED(28, 5) FILTERED(260, 5) FILTERED(261, 5)
FILTERED(262, 5) FILTERED(520, 5) FILTERED(600, 1) FILTERED(639, 3) FILTERED(100, 33) FILTERED(100, 34) FILTERED(300, 40)

/* taps known to the compiler, and a table of where they are */
static NOINLINE void fixed(const double *h, const double *in, double *out, int n) {
  for (int i = 0; i + 7 <= n; i++) {
    double s = 0.5;
    for (int t = 0; t < 7; t++) s -= h[t] * in[i + t];
    out[i] = tanh(s);
  }
}
static double seven(const double *x) {
  double in[LONG], out[LONG];
  int n = 500 * one;
  signal(x, in, n);
  fixed(x + 3, in, out, n);
  return squares(out, n - 6);
}
DERIVED(seven)
static const int *places;
static const int table[6] = {0, 7, 2, 2, 9, 4};
static NOINLINE void looked_up(const double *h, const double *in, double *out, int n, int taps, const int *at) {
  for (int i = 0; i + 10 <= n; i++) {
    double s = 0;
    for (int t = 0; t < taps; t++) s += h[t] * in[i + at[t]];
    out[i] = s;
  }
}
static double dilated(const double *x) {
  double in[LONG], out[LONG];
  int n = 300 * one;
  signal(x, in, n);
  looked_up(x + 3, in, out, n, 6 * one, places);
  return squares(out, n - 9);
}
DERIVED(dilated)

/* in place: what is written is not read again, or is, so that each number waits for those before */
static double in_place(const double *x) {
  double y[LONG];
  int n = 290 * one;
  signal(x, y, n);
  filter(x + 3, y, y, n, 4 * one);
  return squares(y, n);
}
DERIVED(in_place)
static double recurrence(const double *x) {
  double y[LONG], h[4];
  int n = 290 * one;
  signal(x, y, n);
  for (int t = 0; t < 4; t++) h[t] = 0.2 * tanh(x[3 + t]);
  filter(h, y, y + 4, n, 4 * one); /* y[i + 4] of y[i], ..., y[i + 3] */
  return squares(y, n);
}
DERIVED(recurrence)
static double shifted_back(const double *x) {
  double y[LONG];
  int n = 290 * one;
  signal(x, y, n + 2);
  filter(x + 3, y + 2, y, n, 4 * one);
  return squares(y, n);
}
DERIVED(shifted_back)
static double own_taps(const double *x) { /* the taps are part of the signal */
  double y[LONG], out[LONG];
  int n = 200 * one;
  signal(x, y, n);
  filter(y + 3, y, out, n, 9 * one);
  return squares(out, n - 8);
}
DERIVED(own_taps)
static double out_over_taps(const double *x) { /* the results overwrite the taps */
  double y[LONG], z[LONG];
  int n = 120 * one;
  signal(x, y, n);
  signal(x + 1, z, 8);
  filter(z, y, z + 2, n, 5 * one);
  return squares(z, n - 4);
}
DERIVED(out_over_taps)

/* images */
static NOINLINE void three(const double *image, const double *kernel, double *out, int n, int channels) {
  int m = n - 2;
  for (int f = 0; f < 2; f++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) {
        double s = 0;
        for (int c = 0; c < channels; c++)
          for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
              s += image[(c * n + i + a) * n + j + b] * kernel[((f * channels + c) * 3 + a) * 3 + b];
        out[(f * m + i) * m + j] = s + 0.1 * s * s;
      }
}
static double images(const double *x) {
  double image[2 * 20 * 20], out[2 * 18 * 18];
  int n = 20 * one;
  signal(x, image, 2 * n * n);
  three(image, x + 3, out, n, 2 * one);
  return squares(out, 2 * 18 * 18);
}
DERIVED(images)
static NOINLINE void any(const double *image, const double *kernel, const double *bias, double *out, int n, int channels,
                         int filters, int size) {
  int m = n - size + 1;
  for (int f = 0; f < filters; f++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) {
        double s = bias[f];
        for (int c = 0; c < channels; c++)
          for (int a = 0; a < size; a++)
            for (int b = 0; b < size; b++)
              s += image[(c * n + i + a) * n + j + b] * kernel[((f * channels + c) * size + a) * size + b];
        out[(f * m + i) * m + j] = s;
      }
}
static double layers(const double *x) { /* one behind the other; sizes 4 and 1, and one with no channels */
  double image[2 * 20 * 20], first[3 * 17 * 17], second[2 * 17 * 17], third[17 * 17];
  signal(x, image, 2 * 20 * 20);
  any(image, x + 3, x + 3 + 96, first, 20 * one, 2 * one, 3 * one, 4 * one);
  any(first, x + 102, x + 108, second, 17 * one, 3 * one, 2 * one, one);
  any(second, x + 3, x + 110, third, 17 * one, 0 * one, one, 3 * one);
  return squares(second, 2 * 17 * 17) + third[3];
}
DERIVED(layers)
static NOINLINE void two(const double *image, const double *kernel, double *out, int n) { /* a loop of two rounds */
  for (int c = 0; c < 2; c++)
    for (int i = 0; i + 5 <= n; i++)
      for (int j = 0; j + 5 <= n; j++) {
        double s = 0;
        for (int a = 0; a < 5; a++)
          for (int b = 0; b < 5; b++) s += image[(c * n + i + a) * n + j + b] * kernel[(c * 5 + a) * 5 + b];
        out[(c * (n - 4) + i) * (n - 4) + j] = s;
      }
}
static double depthwise(const double *x) {
  double image[2 * 22 * 22], out[2 * 18 * 18];
  int n = 22 * one;
  signal(x, image, 2 * n * n);
  two(image, x + 3, out, n);
  return squares(out, 2 * 18 * 18);
}
DERIVED(depthwise)

/* single numbers; differences are those of the same in double */
#define SINGLES(name, real)                                                                 \
  static NOINLINE void name##_filter(const real *h, const real *in, real *out, int n, int taps) { \
    for (int i = 0; i + taps <= n; i++) {                                                   \
      real s = 0;                                                                           \
      for (int t = 0; t < taps; t++) s += h[t] * in[i + t];                                 \
      out[i] = s;                                                                           \
    }                                                                                       \
  }                                                                                         \
  static double name(const double *x) {                                                     \
    real in[LONG], out[LONG], h[6];                                                         \
    int n = 300 * one;                                                                      \
    double s = 0;                                                                           \
    for (int i = 0; i < n; i++) in[i] = (real)(x[i % 3] + 0.01 * i);                        \
    for (int t = 0; t < 6; t++) h[t] = (real)x[3 + t];                                      \
    name##_filter(h, in, out, n, 6 * one);                                                  \
    for (int i = 0; i + 6 <= n; i++) s += (double)out[i] * (i % 7);                         \
    return s;                                                                               \
  }
SINGLES(doubles, double) SINGLES(singles, float)
DERIVED(singles)
static void singles_closed(const double *x, double *g) {
  for (int i = 0; i + 6 <= 300; i++)
    for (int t = 0; t < 6; t++) {
      g[(i + t) % 3] += (i % 7) * x[3 + t];
      g[3 + t] += (i % 7) * (x[(i + t) % 3] + 0.01 * (i + t));
    }
}

/* what stands around the short loop: a bias, a number handed on, a running sum; two short loops, one of them sometimes */
static NOINLINE double handed(const double *h, const double *in, double *out, int n, int taps, int twice) {
  double level = 0.3;
  for (int i = 0; i + taps <= n; i++) {
    double s = h[0] * h[1];
    for (int t = 0; t < taps; t++) s += h[t] * in[i + t];
    if (twice)
      for (int t = 0; t < taps; t++) s += h[t] * h[t] * in[i + t] * in[i + t];
    level = 0.9 * level + 0.1 * s;
    out[i] = level * in[i];
  }
  return level;
}
static double around(const double *x, int twice) {
  double in[LONG], out[LONG];
  int n = 300 * one;
  signal(x, in, n);
  double level = handed(x + 3, in, out, n, 5 * one, twice * one);
  return squares(out, n - 4) + level;
}
static double around_once(const double *x) { return around(x, 0); }
static double around_twice(const double *x) { return around(x, 1); }
DERIVED(around_once) DERIVED(around_twice)

/* back from the end, by two, both ways at once, and triangles */
static NOINLINE void ways(const double *h, const double *in, double *out, int n, int taps, int way) {
  if (way == 0)
    for (int i = n - taps; i >= 0; i--) {
      double s = 0;
      for (int t = 0; t < taps; t++) s += h[t] * in[i + t];
      out[i] = s;
    }
  if (way == 1)
    for (int i = 0; i + taps <= n; i++) {
      double s = 0;
      for (int t = 0; t < taps; t++) s += h[t] * in[n - 1 - i - t];
      out[i] = s;
    }
  if (way == 2)
    for (int i = 0; 2 * i + taps <= n; i++) {
      double s = 0;
      for (int t = 0; t < taps; t++) s += h[t] * in[2 * i + t];
      out[i] = s;
    }
  if (way == 3)
    for (int i = 0; i + taps <= n; i++) {
      double s = 0;
      for (int t = 0; t < taps; t++) s += h[t] * in[i + t] * in[n - 1 - i - t];
      out[i] = s;
    }
  if (way == 4)
    for (int i = 0; i + taps <= n; i++) {
      double s = 0;
      for (int t = 0; t < taps && t <= i; t++) s += h[t] * in[i - t];
      out[i] = s;
    }
  if (way == 5)
    for (int i = 0; i + taps <= n; i++)
      for (int t = 0; t < taps; t++) out[i + t] += h[t] * in[i];
  if (way == 6)
    for (int i = 0; i + taps <= n; i++) {
      double s = 0;
      for (int t = 0; t < taps; t++)
        if (in[i + t] > 0.2) s += h[t] * in[i + t];
      out[i] = s;
    }
  if (way == 7)
    for (int i = 0; i + taps <= n; i++) {
      double s = 0;
      for (int t = 0; t < taps; t++) s += (in[i + t] - h[t]) * (in[i + t] - h[t]);
      out[i] = sqrt(s + 1);
    }
  if (way == 8)
    for (int i = 0; i + taps <= n; i++) {
      double s = in[i];
      for (int t = 0; t < taps; t++) s += sin(h[t] * in[i + t]) * s;
      out[i] = 0.01 * s;
    }
}
#define WAY(k)                                      \
  static double way_##k(const double *x) {          \
    double in[LONG], out[LONG];                     \
    int n = 280 * one;                              \
    memset(out, 0, sizeof out);                     \
    signal(x, in, n);                               \
    ways(x + 3, in, out, n, 5 * one, k * one);      \
    return squares(out, k == 2 ? n / 2 - 4 : n - 4); \
  }                                                 \
  DERIVED(way_##k)
WAY(0) WAY(1) WAY(2) WAY(3) WAY(4) WAY(5) WAY(6) WAY(7) WAY(8)

int main(void) {
  double x[112];
  places = table;
  for (int i = 0; i < 112; i++) x[i] = 0.4 + 0.3 * sin(1.7 * i + 0.4);
#define OF(f, n) CHECK_N(f, f##_gradient, f##_tangent, x, n)
  OF(filtered_5_5, 8); OF(filtered_15_5, 8); OF(filtered_16_5, 8); OF(filtered_17_5, 8); OF(filtered_28_5, 8);
  OF(filtered_260_5, 8); OF(filtered_261_5, 8); OF(filtered_262_5, 8); OF(filtered_520_5, 8); OF(filtered_600_1, 4);
  OF(filtered_639_3, 6); OF(filtered_100_33, 36); OF(filtered_100_34, 37); OF(filtered_300_40, 43);
  OF(seven, 10); OF(dilated, 9);
  OF(in_place, 7); OF(recurrence, 7); OF(shifted_back, 7); OF(own_taps, 3); OF(out_over_taps, 4);
  OF(images, 39); OF(layers, 112); OF(depthwise, 53);
  CHECK_FULL(doubles, singles_gradient, singles_closed, singles_tangent, x, 9, 1e-3, 1e-4);
  OF(around_once, 8); OF(around_twice, 8);
  OF(way_0, 8); OF(way_1, 8); OF(way_2, 8); OF(way_3, 8); OF(way_4, 8); OF(way_5, 8); OF(way_6, 8); OF(way_7, 8);
  OF(way_8, 8);
  return check_done();
}
