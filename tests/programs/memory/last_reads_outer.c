/* Scratch arrays that loops with loops inside write or read, element by element: products of a matrix and a vector, in
   steps, and what only looks like them: inner loops that touch the array as well, ends that are left out, early exits. */
#include "check.h"

#define MOST 5
#define N (MOST * MOST + MOST)

/* y += h A y, so often; none of the loops may have a round. */
static double steps(const double *x, int n, int count, double h) {
  const double *A = x + MOST;
  double *y = malloc(sizeof(double) * (n + 1)), *slope = malloc(sizeof(double) * (n + 1)), sum = 0;
  for (int i = 0; i < n; i++) y[i] = x[i];
  for (int step = 0; step < count; step++) {
    for (int i = 0; i < n; i++) {
      double product = 0;
      for (int j = 0; j < n; j++) product += A[i * MOST + j] * y[j];
      slope[i] = product;
    }
    for (int i = 0; i < n; i++) y[i] += h * slope[i];
  }
  for (int i = 0; i < n; i++) sum += y[i] * y[i];
  free(y), free(slope);
  return sum;
}
static double many(const double *x) {
  double all = 0;
  for (int n = 0; n <= MOST; n++)
    for (int count = 0; count < 4; count++) all += (1 + n) * steps(x, n, count, 0.1 * (1 + count));
  return all;
}

/* A loop with a loop inside reads what another one wrote, once, twice, or with its neighbour. */
static double reads(const double *x, int n, int neighbour, int again) {
  const double *A = x + MOST;
  double scratch[MOST + 1], sum = 0;
  for (int step = 0; step < 3; step++) {
    for (int i = 0; i <= n; i++) scratch[i] = sin(x[i % n] * (1 + step)) + sum * 0.01;
    for (int i = 0; i < n; i++) {
      double here = scratch[i], part = 0;
      for (int j = 0; j < n; j++) part += A[j * MOST + i] * here;
      sum += part * (neighbour ? scratch[i + 1] : here);
    }
    if (again)
      for (int i = 0; i < n; i++) sum += scratch[i] * scratch[i];
  }
  return sum;
}
static double all_reads(const double *x) {
  double all = 0;
  for (int n = 1; n <= MOST; n++) all += reads(x, n, 0, 0) + 2 * reads(x, n, 1, 0) + 3 * reads(x, n, 0, 1) * reads(x, n, 1, 1);
  return all;
}

/* The inner loop reads what the outer one writes: a triangular solve. */
static double solves(const double *x) {
  const double *A = x + MOST;
  double y[MOST], sum = 0;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < MOST; i++) {
      double left = x[i] + 0.1 * round * sum;
      for (int j = 0; j < i; j++) left -= 0.3 * A[i * MOST + j] * y[j];
      y[i] = left / (2 + A[i * MOST + i]);
    }
    for (int i = 0; i < MOST; i++) sum += y[i] * y[i];
  }
  return sum;
}

/* Not all of it is written anew in each step, or not in every step, or the step may end early. */
static double parts(const double *x, int first, int most, int skip) {
  const double *A = x + MOST;
  double y[MOST], slope[MOST], sum = 0;
  for (int i = 0; i < MOST; i++) y[i] = x[i], slope[i] = 0.2 * x[i];
  for (int step = 0; step < 4; step++) {
    if (step != skip)
      for (int i = first; i < most; i++) {
        double product = 0;
        for (int j = 0; j < MOST; j++) product += A[i * MOST + j] * y[j];
        slope[i] = product + 0.1 * sum;
        if (product > 3) break;
      }
    for (int i = 0; i < MOST; i++) y[i] += 0.2 * slope[i];
    sum += slope[0] * slope[MOST - 1];
  }
  for (int i = 0; i < MOST; i++) sum += y[i];
  return sum;
}
static double all_parts(const double *x) {
  return parts(x, 0, MOST, 9) + parts(x, 1, MOST, 9) * parts(x, 0, MOST - 1, 1) + parts(x, 0, MOST, 2) + parts(x, 3, 2, 0);
}

/* Backwards, by every second element, and where the inner loop writes another part of the array. */
static double ways(const double *x) {
  const double *A = x + MOST;
  double both[2 * MOST], sum = 0;
  for (int i = 0; i < 2 * MOST; i++) both[i] = 0.1 * i;
  for (int step = 0; step < 3; step++) {
    for (int i = MOST - 1; i >= 0; i--) {
      double product = 0;
      for (int j = 0; j < MOST; j++) product += A[i * MOST + j] * cos(x[j] + sum);
      both[i] = product;
    }
    for (int i = 0; i < MOST; i++) sum += 0.1 * both[i] * both[MOST - 1 - i];
    for (int i = 0; i < MOST; i += 2) {
      double product = 0;
      for (int j = 0; j < MOST; j++) {
        product += A[j * MOST + i] * both[j];
        both[MOST + j] = product * x[j];
      }
      both[i] = product;
    }
    for (int i = 0; i < 2 * MOST; i++) sum += 0.01 * both[i] * both[i];
  }
  return sum;
}

DERIVED(many)
DERIVED(all_reads)
DERIVED(solves)
DERIVED(all_parts)
DERIVED(ways)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.4 + 0.3 * sin(1.9 * i);
  CHECK_DERIVED(many, x);
  CHECK_DERIVED(all_reads, x);
  CHECK_DERIVED(solves, x);
  CHECK_DERIVED(all_parts, x);
  CHECK_DERIVED(ways, x);
  return check_done();
}
