/* Masks that are kept in memory: only the running program knows that they are masks. */
#include "check.h"

typedef double four __attribute__((vector_size(32)));
typedef int64_t mask4 __attribute__((vector_size(32)));

static mask4 chosen_lanes = {-1, 0, -1, 0};
static const mask4 sign_lanes = {INT64_MIN, 0, 0, INT64_MIN};
static uint64_t keep[4] = {~0ull, 0, ~0ull >> 1, ~0ull};

static double vectors(const double *x) {
  four a = {x[0], x[1], x[2], x[3]}, b = {x[3] * x[3], x[0] * x[1], x[2], x[1]};
  mask4 c = ((mask4)a & chosen_lanes) | ((mask4)b & ~chosen_lanes);
  mask4 d = (mask4)b ^ sign_lanes;
  mask4 above = a > b, e = (((mask4)a & above) | ((mask4)b & ~above)) & (a < 1.0);
  four sum = (four)c * (four)d + (four)e;
  return sum[0] + 2 * sum[1] + 3 * sum[2] + 4 * sum[3];
}
DERIVED(vectors)

static double scalars(const double *x) {
  double sum = 0;
  for (int i = 0; i < 4; i++) {
    uint64_t u;
    double y = x[i] * x[(i + 1) % 4];
    memcpy(&u, &y, 8);
    u &= keep[i];
    memcpy(&y, &u, 8);
    sum += y * (i + 1.5);
  }
  return sum;
}
DERIVED(scalars)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_DERIVED(vectors, x);
  CHECK_DERIVED(scalars, x);
  return check_done();
}
