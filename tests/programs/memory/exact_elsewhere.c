// A distance in bytes is divided by the size of a record in one branch, where it is a multiple of it. Where the program
// steps by it, in every case, it may be none: the step leads to any member of a record.
#include "check.h"

struct record {
  long key;
  double value, weight;
};

static volatile int counted;

static NOINLINE void picked(const double *x, const char *from, const char *to, char *out) {
  struct record *records = (struct record *)malloc(3 * sizeof *records);
  for (int i = 0; i < 3; i++) records[i] = (struct record){i, x[i] * x[i], sin(x[i])};
  long distance = to - from;
  if (distance % (long)sizeof *records == 0) counted += (int)((const struct record *)to - (const struct record *)from);
  memcpy(out, (char *)records + distance, 8);
  counted += (int)records[counted & 1].key;
  free(records);
}

static char bytes[128];
static int at = 8;
static double plain(const double *x) {
  double out;
  picked(x, bytes, bytes + at, (char *)&out);
  return out;
}
#ifndef REFERENCE
static void gradient(const double *x, double *g) {
  double out, seed = 1;
  __enzyme_autodiff((void *)picked, enzyme_dup, x, g, enzyme_const, bytes, enzyme_const, bytes + at, enzyme_dup, &out, &seed);
}
#else
#define gradient check_no_gradient
#endif
int main(void) {
  double x[] = {0.3, -0.2, 0.7};
  for (at = 8; at <= 64; at += at == 16 ? 16 : 8) {
    if (at % 24) CHECK_FULL(plain, gradient, 0, 0, x, 3, 1e-6, 1e-10);
  }
  return check_done();
}
