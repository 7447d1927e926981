/* Arrays of numbers in a struct in front of arrays of row numbers, gone over in blocks: constant steps behind a
 * variable one stay in the array, whose end is declared, though they would lead out of it. */
#include <utility>

#include "cpp_check.h"

struct Decomposition {
  double values[9];
  int rows[3], columns[3];
  struct { double part[3]; int order[3]; } each[2];
};

/* Rows in blocks of eight; with three rows only what is left over is done. */
__attribute__((noinline)) static double sum_of_blocks(const double *values, long count) {
  double sum = 0;
  long i = 0;
  for (; i + 8 <= count; i += 8) {
    const double *p = values + i;
    for (int k = 0; k < 8; k++) sum += p[k] * p[k];
  }
  for (; i < count; i++) sum += values[i] * values[i];
  return sum;
}

/* Blocks of the second part's numbers, the last of which ends where they do. */
__attribute__((noinline)) static double of_part(const Decomposition *d, int which, long from) {
  double sum = 0;
  for (long k = from; k + 2 <= 3; k += 2) sum += d->each[which].part[k] * d->each[which].part[k + 1];
  return sum;
}

__attribute__((noinline)) static void decompose(Decomposition *d, long largest) {
  for (int k = 0; k < 3; k++) {
    std::swap(d->rows[k], d->rows[(k + largest) % 3]);
    std::swap(d->columns[k], d->columns[d->rows[k]]);
    std::swap(d->each[1].order[k], d->each[1].order[d->columns[k]]);
  }
  for (int k = 0; k < 3; k++) d->each[1].part[k] = d->values[3 * d->rows[k] + d->columns[k]];
}

static double objective(const double *x) {
  Decomposition d;
  long largest = 0;
  for (int k = 0; k < 9; k++) {
    d.values[k] = x[k] * x[(k + 1) % 9];
    if (x[k] > x[largest]) largest = k;
  }
  for (int k = 0; k < 3; k++) d.rows[k] = d.columns[k] = d.each[1].order[k] = k;
  decompose(&d, largest);
  double sum = sum_of_blocks(d.values + 3, 6 - largest % 2) + of_part(&d, 1, largest & 1);
  for (int k = 0; k < 3; k++) sum += (1 + d.each[1].order[k]) * d.values[3 * k + d.rows[k]] * d.each[1].part[k];
  return sum;
}
ADAPTERS(objective)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 2.4, 0.3, 0.8, -0.6, 1.3, 0.9};
  CHECK_BOTH(objective, x);
  return check_done();
}
