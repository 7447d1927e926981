/* Text and arrays behind one member of a union: blocks of a length that only the running program knows hold characters
   or pointers, and none of them numbers. */
#include "check.h"

struct value {
  int kind;
  union {
    char *text;
    struct value **items;
    double number;
  } is;
};

static NOINLINE char *copied(const char *from, size_t length) {
  char *text = malloc(length + 1);
  memcpy(text, from, length);
  text[length] = 0;
  return text;
}
static struct value **grown(struct value **items, int count) {
  struct value **more = malloc((count + 1) * sizeof *more);
  if (count) memcpy(more, items, count * sizeof *more);
  free(items);
  return more;
}
static double total(const struct value *v, int count) {
  double sum = 0;
  if (v->kind == 0) return v->is.number * v->is.number;
  if (v->kind == 1) return (double)strlen(v->is.text) + (v->is.text[0] == 'p');
  for (int i = 0; i < count; i++) sum += (i + 1) * total(v->is.items[i], 0);
  return sum;
}

double tree(const double *x) {
  struct value leaves[4] = {{0}, {0}, {1}, {0}}, root = {2};
  const char *name = "pendulum";
  for (int i = 0; i < 4; i++) {
    if (leaves[i].kind == 0) leaves[i].is.number = x[i] * x[0];
    else leaves[i].is.text = copied(name, (size_t)(x[i] > 0 ? 3 : 5));
    root.is.items = grown(root.is.items, i);
    root.is.items[i] = &leaves[i];
  }
  double sum = total(&root, 4);
  free(leaves[2].is.text);
  free(root.is.items);
  return sum;
}
DERIVED(tree)

int main(void) {
  double x[] = {1.3, -0.7, 0.1, 0.4};
  CHECK_DERIVED(tree, x);
  return check_done();
}
