/* Generic containers: elements of a size known when the program runs, moved by memcpy through void pointers. */
#include "check.h"

struct vec {
  void *data;
  size_t size, count, room;
};
static NOINLINE void vec_push(struct vec *v, const void *element) {
  if (v->count == v->room) {
    v->room = v->room ? 2 * v->room : 2;
    v->data = realloc(v->data, v->room * v->size);
  }
  memcpy((char *)v->data + v->count * v->size, element, v->size);
  v->count++;
}
static NOINLINE void *vec_at(const struct vec *v, size_t i) { return (char *)v->data + i * v->size; }

static double numbers(const double *x) {
  struct vec v = {0, sizeof(double), 0, 0};
  double s = 0;
  for (int i = 0; i < 5; i++) {
    double t = x[i % 3] * (i + 1) + s;
    vec_push(&v, &t);
    s += *(double *)vec_at(&v, i / 2) * t;
  }
  for (int i = 0; i < 5; i++) s += *(double *)vec_at(&v, i) * x[i % 3];
  free(v.data);
  return s;
}
DERIVED(numbers)

int main(void) {
  double x[3] = {0.6, -0.45, 0.8};
  CHECK_DERIVED(numbers, x);
  return check_done();
}
