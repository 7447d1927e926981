// needs: sse4
// flags: -msse4.1
/* Intrinsics of SSE: arithmetic on packets, comparisons and masks, minimum and maximum, horizontal sums, rounding,
 * approximations, single lanes. */
#include <immintrin.h>

#include "check.h"

static double sum2(__m128d v) { return _mm_cvtsd_f64(v) + 2 * _mm_cvtsd_f64(_mm_unpackhi_pd(v, v)); }

static double masked(const double *x) {
  const __m128d minus = _mm_set1_pd(-0.0), one = _mm_set1_pd(1.0);
  __m128d a = _mm_loadu_pd(x), b = _mm_loadu_pd(x + 2);
  __m128d size = _mm_andnot_pd(minus, _mm_mul_pd(a, b));
  __m128d turned = _mm_xor_pd(a, _mm_set_pd(0.0, -0.0));
  __m128d signed_as = _mm_or_pd(_mm_andnot_pd(minus, a), _mm_and_pd(minus, b));
  __m128d below = _mm_cmplt_pd(a, b);
  __m128d chosen = _mm_or_pd(_mm_and_pd(below, _mm_mul_pd(a, a)), _mm_andnot_pd(below, _mm_sub_pd(one, b)));
  __m128d blended = _mm_blendv_pd(_mm_mul_pd(a, b), b, _mm_cmpge_pd(a, one));
  return sum2(size) + 3 * sum2(_mm_mul_pd(turned, b)) + sum2(signed_as) * sum2(chosen) + sum2(blended);
}
DERIVED(masked)

static double compared(const double *x) {
  __m128d a = _mm_loadu_pd(x), b = _mm_loadu_pd(x + 2);
  __m128d least = _mm_min_pd(a, b), most = _mm_max_pd(a, b);
  double sum = sum2(_mm_mul_pd(least, _mm_mul_pd(most, most)));
  sum += sum2(_mm_max_sd(_mm_mul_pd(a, a), b)) + sum2(_mm_and_pd(_mm_cmplt_sd(_mm_setzero_pd(), b), _mm_mul_pd(b, b)));
  if (_mm_movemask_pd(_mm_cmplt_pd(a, b)) & 1) sum *= x[1];
  if (_mm_comilt_sd(a, b)) sum *= x[2];
  return sum;
}
DERIVED(compared)

static double horizontal(const double *x) {
  __m128d a = _mm_loadu_pd(x), b = _mm_loadu_pd(x + 2);
  __m128d h = _mm_hadd_pd(a, _mm_mul_pd(b, a)), s = _mm_hsub_pd(b, a), t = _mm_addsub_pd(a, _mm_mul_pd(b, b));
  __m128d d = _mm_dp_pd(a, b, 0x31);
  __m128d r = _mm_sub_pd(a, _mm_floor_pd(a)), q = _mm_round_sd(b, _mm_mul_pd(a, b), _MM_FROUND_TO_ZERO);
  return sum2(h) * sum2(s) + sum2(t) * sum2(d) + sum2(_mm_mul_pd(r, _mm_sqrt_pd(_mm_mul_pd(a, a)))) + sum2(q);
}
DERIVED(horizontal)

#define FLOATS(x) _mm_set_ps((float)x[3], (float)x[2], (float)x[1], (float)x[0])
static double floats(const double *x) {
  __m128 a = FLOATS(x), b = _mm_shuffle_ps(a, a, _MM_SHUFFLE(0, 3, 2, 1));
  __m128 r = _mm_rsqrt_ps(_mm_add_ps(_mm_mul_ps(a, a), _mm_set1_ps(1.0f)));
  r = _mm_mul_ps(r, _mm_sub_ps(_mm_set1_ps(1.5f),
                               _mm_mul_ps(_mm_mul_ps(_mm_add_ps(_mm_mul_ps(a, a), _mm_set1_ps(1.0f)), _mm_set1_ps(0.5f)),
                                          _mm_mul_ps(r, r))));
  __m128 m = _mm_min_ps(a, b), h = _mm_hadd_ps(m, r), i = _mm_insert_ps(h, a, 0x98);
  __m128 size = _mm_and_ps(i, _mm_castsi128_ps(_mm_set1_epi32(0x7fffffff)));
  float out[4];
  _mm_storeu_ps(out, _mm_add_ps(size, _mm_dp_ps(a, b, 0xf3)));
  return out[0] + 2.0f * out[1] + 3.0f * out[2] + 4.0f * out[3];
}
DERIVED(floats)

static double in_double(const double *x) {
  double a[4], b[4], r[4], m[4];
  for (int i = 0; i < 4; i++) {
    a[i] = x[i];
    b[i] = x[(i + 1) % 4];
    r[i] = 1 / sqrt(a[i] * a[i] + 1);
    m[i] = fmin(a[i], b[i]);
  }
  double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
  double out[3] = {fabs(m[0] + m[1]) + dot, fabs(a[2]) + dot, r[0] + r[1]};
  return out[0] + 2 * out[1] + 3 * out[2];
}

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_DERIVED(masked, x);
  CHECK_DERIVED(compared, x);
  CHECK_DERIVED(horizontal, x);
  CHECK_SINGLE(in_double, floats_gradient, floats_tangent, x);
  return check_done();
}
