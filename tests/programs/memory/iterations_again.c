/* Loops whose iterations work on scratch memory: to run one again in the reverse sweep is right only where what it reads
   is what it read before, and where it does nothing that must not be done twice. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define M 12

static int rounds;
static int trips(void) { return rounds; }

/* Scratch that each iteration fills before it reads it, triangular as in a mixture of Gaussians. */
static double points(const double *x, int n, int k, int d, double *diff, double *out, double *term) {
  double sum = 0;
  for (int p = 0; p < n; p++) {
    for (int q = 0; q < k; q++) {
      for (int i = 0; i < d; i++) diff[i] = x[(p + i) % M] - 0.5 * x[(q + 2 * i + 1) % M];
      for (int i = 0; i < d; i++) out[i] = exp(0.3 * x[i % M]) * diff[i];
      for (int i = 0; i < d; i++)
        for (int j = i + 1; j < d; j++) out[j] += x[(i + j) % M] * diff[i];
      double square = 0;
      for (int i = 0; i < d; i++) square += out[i] * out[i];
      term[q] = x[q % M] - 0.5 * square;
    }
    double most = term[0], total = 0;
    for (int q = 1; q < k; q++)
      if (most < term[q]) most = term[q];
    for (int q = 0; q < k; q++) total += exp(term[q] - most);
    sum += log(total) + most;
  }
  return sum;
}
static double on_heap(const double *x, int n, int k, int d) {
  double *diff = malloc(sizeof(double) * (d + 1)), *out = malloc(sizeof(double) * (d + 1)),
         *term = malloc(sizeof(double) * (k + 1));
  double result = points(x, n, k, d, diff, out, term);
  free(diff);
  free(out);
  free(term);
  return result;
}
static double heap_five(const double *x) { return on_heap(x, 5, 3, 4); }
static double heap_none(const double *x) { return on_heap(x, 4, 2, 0); }
static double heap_one(const double *x) { return on_heap(x, 4, 1, 1); }

/* The last iteration's scratch is looked at behind the loop, and the sum is no sum only. */
static double looked_at(const double *x) {
  double work[M], sum = 0, product = 1;
  int n = trips();
  for (int p = 0; p < n; p++) {
    for (int i = 0; i < M; i++) work[i] = sin(x[i] * (p + 1)) * x[(i + p) % M];
    double inner = 0;
    for (int i = 0; i < M; i++) inner += work[i] * work[i];
    sum += inner;
    product *= 1 + 0.01 * inner;
  }
  return sum * product + work[3] * work[4];
}

/* Scratch that an iteration reads before it writes it: what the one before left there. */
static double left_there(const double *x) {
  double work[M], sum = 0;
  int n = trips();
  for (int i = 0; i < M; i++) work[i] = x[i];
  for (int p = 0; p < n; p++) {
    for (int i = 0; i < M; i++) work[i] = sin(work[i]) + 0.1 * x[(i + p) % M];
    for (int i = 0; i < M; i++) sum += work[i] * work[i];
  }
  return sum;
}

/* Only so much of it is written as the data say. */
static double partly(const double *x) {
  double work[M], sum = 0;
  int n = trips();
  for (int i = 0; i < M; i++) work[i] = x[i];
  for (int p = 0; p < n; p++) {
    int upto = x[p % M] > 0.55 ? 5 : 3;
    for (int i = 0; i < upto; i++) work[i] = x[i] * x[(i + p) % M];
    for (int i = 0; i < 6; i++) sum += exp(0.1 * work[i]) * work[i];
  }
  return sum;
}

/* One element is left out. */
static double but_one(const double *x) {
  double work[M], sum = 0;
  int n = trips();
  work[0] = x[0];
  for (int p = 0; p < n; p++) {
    for (int i = 1; i < M; i++) work[i] = x[i] * x[(i + p) % M];
    for (int i = 0; i < M; i++) sum += work[i] * work[i];
    work[0] = cos(work[4]);
  }
  return sum;
}

/* What the iterations read is overwritten by later ones, and behind the loop. */
static double read_changed(const double *x) {
  double in[M], work[M], sum = 0;
  int n = trips();
  memcpy(in, x, sizeof in);
  for (int p = 0; p < n; p++) {
    for (int i = 0; i < M; i++) work[i] = exp(0.2 * in[i]) * in[(i + 1) % M];
    for (int i = 0; i < M; i++) sum += work[i] * work[i];
    in[p % M] = 0.3 * sum / (1 + sum);
  }
  return sum;
}
static double changed_behind(const double *x) {
  double in[M], work[M], sum = 0;
  int n = trips();
  memcpy(in, x, sizeof in);
  for (int p = 0; p < n; p++) {
    for (int i = 0; i < M; i++) work[i] = exp(0.2 * in[i]) * in[(i + 1) % M];
    for (int i = 0; i < M; i++) sum += work[i] * work[i];
  }
  for (int i = 0; i < M; i++) in[i] = sum * x[i];
  return sum + in[1] * in[2];
}

/* Side effects and early exits. */
static int counted;
static double counts(const double *x) {
  double work[M], sum = 0;
  int n = trips();
  for (int p = 0; p < n; p++) {
    counted++;
    for (int i = 0; i < M; i++) work[i] = exp(0.2 * x[i]) * x[(i + p) % M];
    for (int i = 0; i < M; i++) sum += work[i] * work[i];
  }
  return sum;
}
static unsigned state;
static NOINLINE double next_random(void) {
  state = state * 1664525u + 1013904223u;
  return (state >> 8) / 16777216.0;
}
static double random_weights(const double *x) {
  double work[M], sum = 0;
  int n = trips();
  state = 7;
  for (int p = 0; p < n; p++) {
    double weight = next_random();
    for (int i = 0; i < M; i++) work[i] = exp(0.2 * x[i]) * x[(i + p) % M] * weight;
    for (int i = 0; i < M; i++) sum += work[i] * work[i];
  }
  return sum;
}
static double leaves_early(const double *x) {
  double work[M], sum = 0;
  int n = trips();
  for (int p = 0; p < n; p++) {
    for (int i = 0; i < M; i++) {
      work[i] = exp(0.2 * x[i]) * x[(i + p) % M];
      if (work[i] > 1.2) break;
    }
    if (sum > 40) break;
    for (int i = 0; i < 2; i++) sum += work[0] * work[0];
  }
  return sum;
}
static double allocates(const double *x) {
  double sum = 0;
  int n = trips();
  for (int p = 0; p < n; p++) {
    double *work = malloc(sizeof(double) * M);
    for (int i = 0; i < M; i++) work[i] = exp(0.2 * x[i]) * x[(i + p) % M];
    for (int i = 0; i < M; i++) sum += work[i] * work[i];
    free(work);
  }
  return sum;
}

/* A nest in a loop, with scratch of that loop's own; two sums; what is read is the outer loop's. */
static double nested(const double *x) {
  double sum = 0, other = 1;
  int n = trips();
  for (int r = 0; r < 3; r++) {
    double *work = malloc(sizeof(double) * M), in[M];
    for (int i = 0; i < M; i++) in[i] = x[i] * (r + 1) + 0.01 * sum;
    for (int p = 0; p < n; p++) {
      for (int i = 0; i < M; i++) work[i] = sin(in[i] * (p + 1));
      for (int i = 0; i < M; i++) sum += work[i] * work[i], other += 0.1 * work[i] * in[i];
    }
    free(work);
  }
  return sum * other;
}

/* Scratch is the caller's: what is left there is seen. */
static double into(const double *x, double *work) {
  double sum = 0;
  int n = trips();
  for (int p = 0; p < n; p++) {
    for (int i = 0; i < M; i++) work[i] = exp(0.2 * x[i]) * x[(i + p) % M];
    for (int i = 0; i < M; i++) sum += work[i] * work[i];
  }
  return sum;
}
static double callers(const double *x) {
  double work[M] = {0};
  double sum = into(x, work);
  return sum + work[0] * work[M - 1];
}

/* Numbers of single precision, and two arrays that may be one. */
static double narrow(const double *x) {
  float work[M];
  double sum = 0;
  int n = trips();
  for (int p = 0; p < n; p++) {
    for (int i = 0; i < M; i++) work[i] = (float)(x[i] * x[(i + p) % M]);
    for (int i = 0; i < M; i++) sum += (double)work[i] * 0.5;
  }
  return sum;
}
static double either(const double *x) {
  double first[M], second[M], sum = 0;
  int n = trips();
  for (int i = 0; i < M; i++) first[i] = second[i] = x[i];
  for (int p = 0; p < n; p++) {
    double *to = p % 2 ? first : second, *from = p % 3 ? first : second;
    for (int i = 0; i < M; i++) to[i] = sin(from[i]) * x[i];
    for (int i = 0; i < M; i++) sum += to[i] * from[i];
  }
  return sum;
}

#define PAIR(name) \
  static void name##_gradient(const double *x, double *g) { __enzyme_autodiff((void *)name, enzyme_dup, x, g); } \
  static double name##_tangent(const double *x, const double *v) { \
    return __enzyme_fwddiff((void *)name, enzyme_dup, x, v); \
  }
PAIR(heap_five) PAIR(heap_none) PAIR(heap_one) PAIR(looked_at) PAIR(left_there) PAIR(partly) PAIR(but_one)
PAIR(read_changed) PAIR(changed_behind) PAIR(counts) PAIR(random_weights) PAIR(leaves_early) PAIR(allocates)
PAIR(nested) PAIR(callers) PAIR(either)

int main(void) {
  double x[M] = {0.6, -0.45, 0.8, 0.5, 0.3, -0.7, 0.2, 0.9, -0.1, 0.4, 0.75, -0.35}, g[M] = {0}, v[M];
  for (rounds = 1; rounds <= 7; rounds += 3) {
    CHECK(heap_five, heap_five_gradient, heap_five_tangent, x);
    CHECK(heap_none, heap_none_gradient, heap_none_tangent, x);
    CHECK(heap_one, heap_one_gradient, heap_one_tangent, x);
    CHECK(looked_at, looked_at_gradient, looked_at_tangent, x);
    CHECK(left_there, left_there_gradient, left_there_tangent, x);
    CHECK(partly, partly_gradient, partly_tangent, x);
    CHECK(but_one, but_one_gradient, but_one_tangent, x);
    CHECK(read_changed, read_changed_gradient, read_changed_tangent, x);
    CHECK(changed_behind, changed_behind_gradient, changed_behind_tangent, x);
    CHECK(counts, counts_gradient, counts_tangent, x);
    CHECK(random_weights, random_weights_gradient, random_weights_tangent, x);
    CHECK(leaves_early, leaves_early_gradient, leaves_early_tangent, x);
    CHECK(allocates, allocates_gradient, allocates_tangent, x);
    CHECK(nested, nested_gradient, nested_tangent, x);
    CHECK(callers, callers_gradient, callers_tangent, x);
    CHECK(either, either_gradient, either_tangent, x);
  }
  rounds = 6;
  counted = 0;
#if ENGINE
  counts_gradient(x, g);
#else
  counts(x);
#endif
  check_value("counted once", counted, 6, 0);
  double work[M], shadow[M] = {0}, plain[M];
  into(x, plain);
  memset(g, 0, sizeof g);
  for (int i = 0; i < M; i++) v[i] = 0;
#if ENGINE
  __enzyme_autodiff((void *)into, enzyme_dup, x, g, enzyme_dup, work, shadow);
#else
  memcpy(work, plain, sizeof work);
#endif
  for (int i = 0; i < M; i++) check_value("left behind", work[i], plain[i], 1e-14), check_value("clear", shadow[i], v[i], 0);
  check_value("narrow", narrow(x), narrow(x), 0);
  return check_done();
}
