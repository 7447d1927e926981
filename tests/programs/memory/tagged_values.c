/* A stack machine: values are a number, an integer or a list of values, and go by value between places. LLVM keeps the
   word of the union as a double where the program uses it as one anywhere. */
#include <stdlib.h>

#include "check.h"

enum { NUM, INT, LIST };
typedef struct {
  char tag;
  union {
    double num;
    long i;
    struct list *list;
  } u;
} Value;
struct list {
  int len, cap;
  Value items[];
};

static struct list *empty(int cap) {
  struct list *made = malloc(sizeof *made + cap * sizeof(Value));
  made->len = 0, made->cap = cap;
  return made;
}
static struct list *push(struct list *to, Value v) {
  if (to->len == to->cap) to = realloc(to, sizeof *to + (to->cap *= 2) * sizeof(Value));
  to->items[to->len++] = v;
  return to;
}
static Value num(double d) {
  Value v;
  v.tag = NUM, v.u.num = d;
  return v;
}

double machine(const double *x) {
  struct list *stack = empty(1);
  double sum = 0;
  for (const char *p = "01*2+l3"; *p; p++) {
    if (*p >= '0' && *p <= '9') {
      stack = push(stack, num(x[*p - '0']));
    } else if (*p == 'l') {
      struct list *in = empty(2);
      Value top = stack->items[stack->len - 1];
      for (long k = 0; k < 6; k++) {
        Value each;
        if (k & 1) each.tag = INT, each.u.i = k;
        else each = num(top.u.num * k + x[k % 4]);
        in = push(in, each);
      }
      Value all;
      all.tag = LIST, all.u.list = in;
      stack->items[stack->len - 1] = all;
    } else {
      Value b = stack->items[--stack->len], a = stack->items[--stack->len];
      stack = push(stack, num(*p == '*' ? a.u.num * b.u.num : a.u.num + b.u.num));
    }
  }
  for (int i = 0; i < stack->len; i++) {
    Value v = stack->items[i];
    if (v.tag == NUM) {
      sum += v.u.num;
    } else if (v.tag == LIST) {
      for (int j = 0; j < v.u.list->len; j++) {
        Value w = v.u.list->items[j];
        sum += w.tag == NUM ? w.u.num * w.u.num : w.u.i * sum;
      }
      free(v.u.list);
    }
  }
  free(stack);
  return sum;
}
DERIVED(machine)

int main(void) {
  double at[] = {0.3, 0.5, 0.7, 0.9};
  CHECK_DERIVED(machine, at);
  return check_done();
}
