/* A ring of doubly linked nodes with a sentinel: moved to the front, removed, walked both ways. */
#include "check.h"

struct ring {
  struct ring *before, *after;
  double v;
  int id;
};

static void unlink_(struct ring *p) {
  p->before->after = p->after;
  p->after->before = p->before;
}
static void push(struct ring *head, struct ring *p) {
  p->before = head;
  p->after = head->after;
  head->after->before = p;
  head->after = p;
}
static double f(const double *x) {
  struct ring head = {&head, &head, 0.5, -1}, *node[7];
  double s = 0;
  for (int i = 0; i < 7; i++) {
    node[i] = malloc(sizeof(struct ring));
    node[i]->v = sin(x[i]) + x[i];
    node[i]->id = i;
    push(&head, node[i]);
  }
  for (int k = 0; k < 12; k++) { /* least recently used */
    struct ring *p = node[k * 5 % 7];
    unlink_(p);
    p->v = p->v * p->before->v + 0.3;
    push(&head, p);
    if (k % 4 == 3) s += head.before->v * head.after->after->v;
  }
  unlink_(node[2]);
  free(node[2]);
  for (struct ring *p = head.after; p != &head; p = p->after) s = s * 0.9 + p->v * (p->id + 1);
  for (struct ring *p = head.before; p != &head;) {
    struct ring *next = p->before;
    s += 0.1 * p->v * next->v;
    free(p);
    p = next;
  }
  return s;
}
DERIVED(f)

int main(void) {
  double x[7] = {0.6, 0.7, -0.55, 0.75, -1.1, 0.4, 1.1};
  CHECK_DERIVED(f, x);
  return check_done();
}
