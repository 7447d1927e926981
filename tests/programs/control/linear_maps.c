/* Loops over points that multiply what comes from a parameter by a matrix which is the same for all of them: in the
 * reverse sweep the products with its transpose are left to the last point. Each function breaks the proof in one
 * place, for sizes from nothing on: other matrices, places, ways and numbers from point to point, products that are not
 * linear, scratch that is read in between, before or behind the loop, or stored twice, and minima of what was made. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define AGAIN __attribute__((annotate("enzyme_loops=recompute")))
#define D 3
#define K 2
#define POINTS 4

const double points[POINTS][D] = {{0.3, -0.2, 0.9}, {1.1, 0.4, -0.7}, {-0.6, 0.8, 0.2}, {0.1, -1.2, 0.5}};
const double weights[D] = {0.5, -1.5, 0.75};
const int sizes[][3] = {{0, 1, 2}, {1, 1, 1}, {1, 2, 3}, {2, 0, 2}, {2, 1, 4}, {3, 2, 0}, {3, 2, 1}, {3, 2, POINTS}};

int size[3]; /* read when the program runs */

#define AROUND(name, before, behind, ...)                                                              \
  static AGAIN double name(const double *m) {                                                          \
    const double *q = m + K * D;                                                                       \
    const int d = size[0], k = size[1], n = size[2];                                                   \
    double *c = calloc(D + 2, sizeof(double)), *y = calloc(K * D + 2, sizeof(double));                 \
    double *e = calloc(D + 2, sizeof(double)), *t = calloc(K + 2, sizeof(double));                     \
    double s = 0, first = m[0];                                                                        \
    (void)first;                                                                                       \
    before for (int i = 0; i < n; i++) {                                                               \
      const double *p = points[i];                                                                     \
      double f = 0;                                                                                    \
      __VA_ARGS__ s += f * (1 + 0.1 * f);                                                              \
    }                                                                                                  \
    behind free(c), free(y), free(e), free(t);                                                         \
    return s;                                                                                          \
  }                                                                                                    \
  static void name##_gradient(const double *x, double *g) { GRADIENT_OF(name, x, g, K * D + K * D * D); }

#define EACH(name, ...) AROUND(name, , , __VA_ARGS__)
#define FOR(j, n) for (int j = 0; j < (n); j++)
#define COMPONENTS(...) FOR(a, k) { const double *u = m + a * d, *v = q + a * D * D; (void)u, (void)v; __VA_ARGS__ }
#define CENTER(value) FOR(j, d) c[j] = value;
#define FILL FOR(j, d) y[j] = v[j * D + j] * c[j];
#define BELOW(to, from) FOR(j, d) for (int l = j + 1; l < d; l++) y[to] += v[j * D + l] * c[from];
#define USE { double r = 0; FOR(j, d) r += y[j] * y[j]; f += log(1 + r); }
#define ALL(center, nest, ...) COMPONENTS(CENTER(center) FILL nest __VA_ARGS__)

EACH(plain, ALL(p[j] - u[j], BELOW(l, j), USE))
EACH(taken_off, ALL(3 * u[j] - p[j], FOR(j, d) FOR(l, d) y[l] -= v[j * D + l] * c[j];, USE))
EACH(two_nests, ALL(p[j] - u[j], BELOW(l, j) FOR(j, d) FOR(l, d) y[l] += v[l * D + j] * c[j];, USE))
EACH(two_scratches, COMPONENTS(FOR(j, d) e[j] = p[j] - u[j]; FOR(j, d) c[j] = 0.5 * e[j] + weights[j] * e[j]; FILL BELOW(l, j) USE))
EACH(of_both, ALL(u[j] - p[j] * 0.5 + v[j], BELOW(l, j), USE))
EACH(by_rows, COMPONENTS(CENTER(p[j] - u[j]) FOR(l, d) { double r = p[l]; FOR(j, d) r += v[l * D + j] * c[j]; y[l] = r; } USE))
EACH(by_rows_off, COMPONENTS(CENTER(p[j] - u[j]) FOR(l, d) { double r = u[l]; for (int j = 0; j <= l; j++) r -= c[j] * v[l * D + j]; y[l] = r; } USE))
EACH(by_rows_used, COMPONENTS(CENTER(p[j] - u[j]) FOR(l, d) { double r = 0; FOR(j, d) r += v[l * D + j] * c[j]; y[l] = r; f += r * r * r; } USE))
EACH(shifted, COMPONENTS(CENTER(p[j] - u[j]) FOR(j, d) y[j + 1] = v[j] * c[j]; FOR(j, d) FOR(l, d) y[l + 1] += v[j * D + l] * c[j]; { double r = 0; FOR(j, d) r += y[j + 1] * y[j + 1]; f += log(1 + r); }))

/* Not the same from point to point. */
EACH(curved, ALL(sin(p[j] - u[j]), BELOW(l, j), USE))
EACH(by_point, ALL(p[j] * u[j], BELOW(l, j), USE))
EACH(other_matrix, COMPONENTS(v = q + (i & 1) * D; CENTER(p[j] - u[j]) FILL BELOW(l, j) USE))
EACH(other_place, ALL(p[j] - m[(j + i) % D], BELOW(l, j), USE))
EACH(other_way, ALL(p[j] - u[j], if (p[0] > 0) BELOW(l, j), USE))
EACH(carried_on, COMPONENTS(FOR(j, d) c[j] += 0.1 * (p[j] - u[j]); FILL BELOW(l, j) USE))

/* Read or stored in between. */
EACH(read_ahead, ALL(p[j] - u[j], FOR(j, d) f += sin(y[j]); BELOW(l, j), USE))
EACH(stored_twice, ALL(p[j] - u[j], BELOW(l, j) if (d > 1) y[1] = c[0];, USE))
EACH(center_later, COMPONENTS(CENTER(p[j] - u[j]) FILL BELOW(l, j) USE CENTER(p[j] * u[j] * u[j]) FOR(j, d) f += c[j];))
AROUND(read_behind, , FOR(j, D) s += sin(y[j] + 2 * c[j]);, ALL(p[j] - u[j], BELOW(l, j), USE))
AROUND(several_times, FOR(again, 3), , ALL(p[j] - u[j] * (1 + again), BELOW(l, j), USE))

/* The least of all is taken, and of that alone there is a derivative. */
#define DISTANCES COMPONENTS(CENTER(p[j] - u[j]) FILL BELOW(l, j) { double r = 1; FOR(j, d) r += y[j] * y[j]; t[a] = r; })
EACH(least, DISTANCES double least = 100; FOR(a, k) if (t[a] < least) least = t[a]; f += least;)

#define TRY(f) CHECK(f, CHECK_REVERSE(f##_gradient), 0, x)

int main(void) {
  double x[K * D + K * D * D];
  FOR(i, COUNT(x)) x[i] = 0.4 * cos(1 + 1.7 * i) + (i < K * D ? 0.05 * i : 0.3);
  FOR(z, COUNT(sizes)) {
    memcpy(size, sizes[z], sizeof(size));
    TRY(plain);
    TRY(taken_off);
    TRY(two_nests);
    TRY(two_scratches);
    TRY(of_both);
    TRY(by_rows);
    TRY(by_rows_off);
    TRY(by_rows_used);
    TRY(shifted);
    TRY(curved);
    TRY(by_point);
    TRY(other_matrix);
    TRY(other_place);
    TRY(other_way);
    TRY(carried_on);
    TRY(read_ahead);
    TRY(stored_twice);
    TRY(center_later);
    TRY(read_behind);
    TRY(several_times);
    TRY(least);
  }
  return check_done();
}
