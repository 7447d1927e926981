/* Linked nodes made, walked and freed by other functions. */
#include "second.h"

struct node {
  double value;
  struct node *next;
};
NOINLINE static struct node *make(const double *x, int n) {
  struct node *head = 0;
  for (int i = 0; i < n; i++) {
    struct node *made = malloc(sizeof *made);
    made->value = x[i] * x[(i + 1) % n];
    made->next = head;
    head = made;
  }
  return head;
}
NOINLINE static double walk(const struct node *at) {
  double s = 0, w = 1;
  for (; at; at = at->next) {
    s += at->value * at->value * w;
    w *= 1 + 0.1 * at->value;
  }
  return s;
}
NOINLINE static void drop(struct node *at) {
  while (at) {
    struct node *next = at->next;
    free(at);
    at = next;
  }
}
static double f(const double *x) {
  struct node *list = make(x, 4);
  double s = walk(list);
  drop(list);
  return s;
}
SECOND(f, 4)

int main(void) {
  double x[4] = {0.3, 1.2, -0.5, 0.9};
  CHECK_ENGINE(SECOND_CHECK(f, x, 4));
  return check_done();
}
