/* Tapes that grow as they are filled, in calls of most different lengths one behind the other: long, short, empty, long
 * again, in nests of which loops run out of room in turn, in functions that call themselves, and with many blocks that
 * are freed in between. */
#include "check.h"

#define SIZE 12

static int rows, columns;

/* how often an inner loop runs hangs on numbers that are found on the way */
static NOINLINE double ragged(const double *x) {
  double s = 1, a = x[0];
  for (int i = 0; i < rows; i++) {
    double t = x[i % SIZE];
    for (int j = 0; j < (i * 7 + 3) % (columns + 1); j++) t = t * 0.9 + a * t * x[j % SIZE] * 0.1;
    for (int j = (i * 5) % (columns + 1); j > 0; j /= 2) a = a * 0.98 + t * 0.01 * a;
    s += sin(t) * a;
  }
  return s;
}
/* while something holds */
static NOINLINE double until(const double *x) {
  double s = 0;
  for (int i = 0; i < rows; i++) {
    double t = 0.01 * rows + x[i % SIZE];
    while (t > 0.05) t *= 0.5 + 0.3 * x[(i + 1) % SIZE] * t / (1 + t), s += t * t;
    s = s / (1 + 0.001 * s);
  }
  return s;
}
/* arrays of bytes, of pointers, of integers beside numbers */
static NOINLINE double kinds(const double *x) {
  double pool[SIZE], s = 0, *at = pool;
  for (int i = 0; i < SIZE; i++) pool[i] = x[i];
  for (int i = 0; i < rows; i++)
    for (int j = 0; j <= i % (columns + 1); j++) {
      if ((i * 3 + j) % 5 > 2) *at *= 0.95 + 0.01 * s / (1 + s * s), at = pool + (at - pool + 5) % SIZE;
      else *at = 0.8 * *at + 0.1 * x[j % SIZE] * *at, at = pool + (at - pool + 7) % SIZE;
      s = 0.9 * s + *at * *at;
    }
  return s;
}
/* functions that call themselves have tapes of other lengths in each call */
static NOINLINE double halves(const double *x, int n, double c) {
  double s = c;
  for (int i = n; i > 0; i -= 1 + (s > 1)) s = s * 0.9 + 0.1 * x[i % SIZE] * sin(s);
  return n > 1 ? s + sin(halves(x, n / 2, s) * halves(x, n / 3, 0.5 * c)) : s;
}
static NOINLINE double recursive(const double *x) { return halves(x, rows, x[1]); }
/* many blocks, which are freed in between */
struct link {
  double value;
  struct link *next;
};
static NOINLINE double links(const double *x) {
  struct link *first = 0;
  double s = 0;
  for (int i = 0; i < rows; i++) {
    struct link *made = malloc(sizeof *made);
    made->value = x[i % SIZE] * (1 + 0.1 * i / (1 + rows)), made->next = first, first = made;
    if (i % (columns + 1) == columns) {
      struct link *gone = first->next;
      if (gone) s += gone->value * gone->value, first->next = gone->next, free(gone);
    }
  }
  while (first) {
    struct link *next = first->next;
    s = s * 0.9 + sin(first->value) * first->value;
    free(first), first = next;
  }
  return s;
}

#define EACH(do) do(ragged) do(until) do(kinds) do(recursive) do(links)
EACH(DERIVED)

int main(void) {
  static const int lengths[][2] = {{0, 0}, {3, 2}, {900, 3}, {2, 40}, {40, 300}, {1, 0}, {70, 9}, {900, 3}, {65, 64}, {0, 5}, {300, 20}};
  double x[SIZE];
  for (int i = 0; i < SIZE; i++) x[i] = 0.6 + 0.3 * cos(1.3 * i + 0.4);
  for (int i = 0; i < COUNT(lengths); i++) {
    rows = lengths[i][0], columns = lengths[i][1];
#define ONE(f) CHECK_DERIVED(f, x);
    EACH(ONE)
  }
  return check_done();
}
