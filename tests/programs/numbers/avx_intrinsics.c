// needs: avx2
// flags: -mavx2 -mfma
/* Intrinsics of AVX: packets of four, masked loads and stores, gathers, lanes moved by numbers that the program
 * computes, fused multiply-add of both kinds. */
#include <immintrin.h>

#include "check.h"

static double sum4(__m256d v) {
  double out[4];
  _mm256_storeu_pd(out, v);
  return out[0] + 2 * out[1] + 3 * out[2] + 4 * out[3];
}

static double masked(const double *x) {
  const __m256d minus = _mm256_set1_pd(-0.0);
  __m256d a = _mm256_loadu_pd(x), b = _mm256_loadu_pd(x + 4);
  __m256d below = _mm256_cmp_pd(a, b, _CMP_LT_OQ);
  __m256d chosen = _mm256_blendv_pd(_mm256_mul_pd(a, b), b, below);
  __m256d size = _mm256_andnot_pd(minus, a), kept = _mm256_and_pd(below, _mm256_mul_pd(b, b));
  return sum4(chosen) * sum4(size) + sum4(kept) + sum4(_mm256_max_pd(a, _mm256_xor_pd(b, minus)));
}
DERIVED(masked)

static double moved(const double *x) {
  __m256i even = _mm256_set_epi64x(0, -1, 0, -1);
  double out[4] = {x[0], x[1] * x[2], x[3], x[4]};
  __m256d a = _mm256_maskload_pd(x + 2, even), b = _mm256_loadu_pd(out);
  _mm256_maskstore_pd(out, even, _mm256_mul_pd(a, b));
  __m256d g = _mm256_i32gather_pd(x, _mm_set_epi32(6, 1, 1, 4), 8);
  __m256d h = _mm256_mask_i64gather_pd(b, x, _mm256_set_epi64x(7, 2, 3, 0), _mm256_castsi256_pd(even), 8);
  __m256d p = _mm256_permutevar_pd(g, _mm256_set_epi64x(2, 0, 0, 2));
  return sum4(_mm256_loadu_pd(out)) + sum4(_mm256_mul_pd(g, h)) + sum4(_mm256_mul_pd(p, a));
}
DERIVED(moved)

static double fused(const double *x) {
  __m256d a = _mm256_loadu_pd(x), b = _mm256_loadu_pd(x + 4), c = _mm256_hadd_pd(a, b);
  __m256d d = _mm256_fmaddsub_pd(a, b, c), e = _mm256_fnmadd_pd(c, c, a), f = _mm256_addsub_pd(d, e);
  __m128d low = _mm_add_pd(_mm256_castpd256_pd128(f), _mm256_extractf128_pd(f, 1));
  __m256d r = _mm256_round_pd(f, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
  __m256d s = _mm256_permute4x64_pd(_mm256_sub_pd(f, r), 0x1b);
  return sum4(d) + sum4(_mm256_sqrt_pd(_mm256_mul_pd(e, e))) + _mm_cvtsd_f64(low) + sum4(_mm256_div_pd(s, b));
}
DERIVED(fused)

static double floats(const double *x) {
  __m128 low = _mm256_cvtpd_ps(_mm256_loadu_pd(x)), high = _mm256_cvtpd_ps(_mm256_loadu_pd(x + 4));
  __m256 v = _mm256_set_m128(high, low);
  __m256 w = _mm256_permutevar8x32_ps(v, _mm256_set_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  __m256 m = _mm256_min_ps(v, w), d = _mm256_dp_ps(v, w, 0xf1);
  float out[8];
  _mm256_storeu_ps(out, _mm256_add_ps(_mm256_mul_ps(m, m), d));
  float sum = 0;
  for (int i = 0; i < 8; i++) sum += out[i] * (i + 1);
  return sum;
}
DERIVED(floats)
static double in_double(const double *x) {
  double sum = 0, first = 0, second = 0;
  for (int i = 0; i < 8; i++) {
    double m = fmin(x[i], x[7 - i]);
    sum += m * m * (i + 1);
    *(i < 4 ? &first : &second) += x[i] * x[7 - i];
  }
  return sum + first + 5 * second;
}

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4, 1.3, 0.85, -0.65, 2.2};
  CHECK_DERIVED(masked, x);
  CHECK_DERIVED(moved, x);
  CHECK_DERIVED(fused, x);
  CHECK_SINGLE(in_double, floats_gradient, floats_tangent, x);
  return check_done();
}
