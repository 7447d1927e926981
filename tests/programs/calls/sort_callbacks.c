/* qsort with active arrays: numbers, structures with numbers and pointers, a comparator chosen at run time, and an array of
 * integers that is sorted beside. */
#include "check.h"

typedef int (*comparator)(const void *, const void *);
struct item {
  double key, value;
  int id;
};

static NOINLINE int rising(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}
static NOINLINE int falling(const void *a, const void *b) { return rising(b, a); }
static NOINLINE int by_key(const void *a, const void *b) {
  const struct item *x = a, *y = b;
  return (x->key * x->key > y->key * y->key) - (x->key * x->key < y->key * y->key);
}
static NOINLINE int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

comparator choices[2] = {rising, falling};

static NOINLINE double ranked(const double *x, int n, int which) {
  double *y = malloc(n * sizeof *y), s = 0;
  for (int i = 0; i < n; i++) y[i] = x[i] * x[(i + 1) % n];
  qsort(y, n, sizeof *y, choices[which]);
  for (int i = 0; i < n; i++) s += (i + 1) * y[i] * y[i];
  free(y);
  return s;
}
static NOINLINE double structured(const double *x, int n) {
  struct item items[8];
  int order[8];
  double s = 0;
  for (int i = 0; i < n; i++) {
    items[i].key = x[i];
    items[i].value = sin(x[(i + 2) % n]);
    items[i].id = i;
    order[i] = (i * 5) % n;
  }
  qsort(items, n, sizeof *items, by_key);
  qsort(order, n, sizeof *order, by_number);
  for (int i = 0; i < n; i++) s += items[i].key * items[(i + 1) % n].value * (items[i].id + order[i] + 1);
  return s;
}
struct array {
  void *data;
  size_t used, size;
};
static NOINLINE void push(struct array *a, const void *item) {
  a->data = realloc(a->data, (a->used + 1) * a->size);
  memcpy((char *)a->data + a->used++ * a->size, item, a->size);
}
static NOINLINE void sorted(struct array *a, int (*compare)(const void *, const void *)) {
  qsort(a->data, a->used, a->size, compare);
}
static double generic(const double *x) {
  struct array items = {0, 0, sizeof(struct item)};
  double s = 0;
  for (int i = 0; i < 6; i++) {
    struct item it = {.key = x[i] * x[0], .value = sin(x[(i + 2) % 6]), .id = i};
    push(&items, &it);
  }
  sorted(&items, by_key);
  for (int i = 0; i < 6; i++) {
    const struct item *it = (struct item *)items.data + i;
    s += it->key * it->value * (i + 1);
  }
  free(items.data);
  return s;
}
DERIVED(generic)
static int which;
static double objective(const double *x) { return ranked(x, 6, which); }
static double objects(const double *x) { return structured(x, 6); }

static void reverse(const double *x, double *g) { __enzyme_autodiff((void *)ranked, enzyme_dup, x, g, 6, which); }
static double forward(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)ranked, enzyme_dup, x, v, 6, which);
}
static void reverse_objects(const double *x, double *g) { __enzyme_autodiff((void *)structured, enzyme_dup, x, g, 6); }
static double forward_objects(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)structured, enzyme_dup, x, v, 6);
}

int main(void) {
  double x[6] = {0.3, -0.7, 1.2, 0.45, 0.9, -1.6};
  for (which = 0; which < 2; which++) CHECK(objective, reverse, forward, x);
  CHECK(objects, reverse_objects, forward_objects, x);
  CHECK_DERIVED(generic, x);
  return check_done();
}
