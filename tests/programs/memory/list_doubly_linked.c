/* A queue and a doubly linked list: nodes are moved between lists, freed by whoever takes them out. */
#include "check.h"

struct item {
  double v;
  struct item *prev, *next;
};
struct list {
  struct item *head, *tail;
  int n;
};
static NOINLINE void push(struct list *l, struct item *it) {
  it->prev = l->tail;
  it->next = 0;
  if (l->tail) l->tail->next = it;
  else l->head = it;
  l->tail = it;
  l->n++;
}
static NOINLINE struct item *take(struct list *l) {
  struct item *it = l->head;
  if (!it) return 0;
  l->head = it->next;
  if (l->head) l->head->prev = 0;
  else l->tail = 0;
  l->n--;
  return it;
}
static NOINLINE struct item *make(double v) {
  struct item *it = malloc(sizeof *it);
  it->v = v;
  return it;
}
static NOINLINE double eat(struct list *l) {
  struct item *it = take(l);
  if (!it) return 0;
  double v = it->v;
  free(it);
  return v;
}
static double juggle(const double *x) {
  struct list a = {0}, b = {0};
  double s = 0;
  for (int i = 0; i < 6; i++) push(i % 2 ? &a : &b, make(x[i % 3] * (i + 1)));
  while (a.n) {
    struct item *it = take(&a);
    it->v *= b.head ? b.head->v : 1;
    push(&b, it);
    s += eat(&b) * s + b.tail->v;
  }
  for (struct item *it = b.tail; it; it = it->prev) s += it->v * it->v;
  while (b.n) s += eat(&b) * x[0];
  return s;
}
DERIVED(juggle)

int main(void) {
  double x[3] = {0.6, -0.45, 0.8};
  for (int i = 0; i < 2; i++) CHECK_DERIVED(juggle, x);
  return check_done();
}
