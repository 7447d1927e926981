/* A list of links inside objects of different structs (container_of), numbers where others have pointers. */
#include <stddef.h>

#include "check.h"

#define container_of(p, type, member) ((type *)((char *)(p) - offsetof(type, member)))

struct link { struct link *next, *prev; };
struct ops {
  double (*eval)(const struct link *, double);
  void (*drop)(struct link *);
};
struct body {
  const struct ops *ops;
  struct link link;
  int kind;
};
struct poly {
  struct body body;
  int n;
  double c[4];
};
struct bell {
  double middle, width;
  struct body body;
  double *more;
};

static double eval_poly(const struct link *l, double t) {
  const struct poly *p = container_of(l, struct poly, body.link);
  double s = 0;
  for (int i = p->n - 1; i >= 0; i--) s = s * t + p->c[i];
  return s;
}
static void drop_poly(struct link *l) { free(container_of(l, struct poly, body.link)); }
static double eval_bell(const struct link *l, double t) {
  const struct bell *g = container_of(l, struct bell, body.link);
  double z = (t - g->middle) / g->width;
  return exp(-z * z) * g->more[0] + g->more[1];
}
static void drop_bell(struct link *l) {
  struct bell *g = container_of(l, struct bell, body.link);
  free(g->more);
  free(g);
}
static const struct ops of_poly = {eval_poly, drop_poly}, of_bell = {eval_bell, drop_bell};

static void append(struct link *head, struct link *l) {
  l->prev = head->prev;
  l->next = head;
  head->prev->next = l;
  head->prev = l;
}
static double objective(const double *x) {
  struct link head = {&head, &head};
  for (int i = 0; i + 4 <= 16; i += 4) {
    if (i % 8 == 0) {
      struct poly *p = calloc(1, sizeof *p);
      p->body.ops = &of_poly;
      p->n = 4;
      memcpy(p->c, x + i, sizeof p->c);
      append(&head, &p->body.link);
    } else {
      struct bell *g = malloc(sizeof *g);
      g->body.ops = &of_bell;
      g->body.kind = 2;
      g->middle = x[i];
      g->width = 1 + x[i + 1] * x[i + 1];
      g->more = malloc(2 * sizeof(double));
      g->more[0] = x[i + 2];
      g->more[1] = x[i + 3] * x[0];
      append(&head, &g->body.link);
    }
  }
  double sum = 0;
  for (double t = -1; t < 1; t += 0.3) {
    double product = 1;
    for (struct link *l = head.next; l != &head; l = l->next)
      product *= 1 + 0.3 * container_of(l, struct body, link)->ops->eval(l, t);
    sum += product;
  }
  while (head.next != &head) {
    struct link *l = head.next;
    head.next = l->next;
    l->next->prev = &head;
    container_of(l, struct body, link)->ops->drop(l);
  }
  return sum;
}
DERIVED(objective)

int main(void) {
  double x[16];
  for (int i = 0; i < 16; i++) x[i] = 0.5 * sin(1.3 * i + 0.2);
  CHECK_DERIVED(objective, x);
  return check_done();
}
