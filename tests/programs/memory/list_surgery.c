/* Lists that are sorted on insertion, reversed in place, spliced, and cut: pointers to pointers all the way. */
#include "check.h"

struct link {
  double v;
  struct link *next;
};

static void insert(struct link **head, double v) {
  struct link **at = head, *made = malloc(sizeof *made);
  while (*at && (*at)->v < v) at = &(*at)->next;
  made->v = v;
  made->next = *at;
  *at = made;
}
static struct link *reversed(struct link *p) {
  struct link *done = 0;
  while (p) {
    struct link *next = p->next;
    p->next = done;
    done = p;
    p = next;
  }
  return done;
}
static void remove_small(struct link **at, double limit) {
  while (*at)
    if (fabs((*at)->v) < limit) {
      struct link *gone = *at;
      *at = gone->next;
      free(gone);
    } else {
      at = &(*at)->next;
    }
}
static struct link *merged(struct link *a, struct link *b) {
  struct link *head = 0, **tail = &head;
  while (a && b) {
    struct link **least = a->v < b->v ? &a : &b;
    *tail = *least;
    *least = (*least)->next;
    tail = &(*tail)->next;
  }
  *tail = a ? a : b;
  return head;
}
static double f(const double *x) {
  struct link *a = 0, *b = 0;
  for (int i = 0; i < 9; i++) insert(i % 2 ? &a : &b, x[i] * x[(i + 1) % 9] + 0.5 * x[i]);
  remove_small(&a, 0.12);
  struct link *all = merged(a, b);
  for (struct link *p = all; p && p->next; p = p->next) p->next->v += 0.3 * p->v * p->next->v;
  all = reversed(all);
  double s = 1;
  int i = 1;
  while (all) {
    struct link *next = all->next;
    s = s * (1 + 0.1 * all->v) + i++ * all->v;
    free(all);
    all = next;
  }
  return s;
}
DERIVED(f)

int main(void) {
  double x[9] = {0.6, 0.7, -0.55, 0.75, -1.1, 0.4, 1.1, -0.2, 0.9};
  CHECK_DERIVED(f, x);
  return check_done();
}
