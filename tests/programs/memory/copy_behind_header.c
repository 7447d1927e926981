/* Blocks of a length that only the running program knows: a struct with an array at its end, and text in an arena that
 * holds numbers and pointers, too. */
#include <stddef.h>

#include "check.h"

struct model {
  int n;
  double scale;
  const double *offset;
  short kind;
  struct {
    double weight;
    int index;
    double value;
  } data[];
};

static NOINLINE size_t bytes_of(int n) { return offsetof(struct model, data) + n * sizeof(((struct model *)0)->data[0]); }
static NOINLINE struct model *clone(const struct model *m) {
  struct model *c = malloc(bytes_of(m->n));
  return memcpy(c, m, bytes_of(m->n));
}
static NOINLINE double use(const struct model *m) {
  double s = m->scale * m->offset[m->kind];
  for (int i = 0; i < m->n; i++) s += m->data[i].value * m->data[m->data[i].index].weight * m->scale;
  return s;
}

static double cloned(const double *x) {
  struct model *m = malloc(bytes_of(4));
  m->n = 4;
  m->scale = x[0] * x[0];
  m->offset = x + 1;
  m->kind = 1;
  for (int i = 0; i < 4; i++) {
    m->data[i].weight = sin(x[i % 3]);
    m->data[i].index = 3 - i;
    m->data[i].value = x[i % 3] * x[1] + i;
  }
  struct model *c = clone(m);
  c->scale *= x[2];
  c->data[1].value *= x[0];
  double s = use(c) + use(m);
  struct model *none = clone(c);
  none->n = 0;
  s *= use(none);
  free(m), free(c), free(none);
  return s;
}
DERIVED(cloned)

struct part {
  double a;
  const double *at;
  double b;
};
static NOINLINE size_t first_bytes(int n) { return n ? 8 : 0; }
static NOINLINE void clear(struct part *p, int n) { memset(p, 0, first_bytes(n)); }

static double in_part(const double *x) {
  struct part *p = malloc(sizeof *p);
  p->a = x[0] * x[1];
  p->at = x + 1;
  p->b = x[2] * x[2];
  double s = p->a;
  clear(p, 1);
  s += p->a * x[1] + *p->at * p->b;
  free(p);
  return s;
}
DERIVED(in_part)

struct arena {
  size_t used;
  _Alignas(16) char memory[1024];
};
struct node {
  struct node *next;
  const char *name;
  double value;
  const double *place;
};

static NOINLINE void *take(struct arena *a, size_t size, size_t align) {
  a->used = (a->used + align - 1) / align * align;
  a->used += size;
  return a->memory + a->used - size;
}
static NOINLINE char *keep(struct arena *a, const char *text) {
  size_t n = strlen(text) + 1;
  return memcpy(take(a, n, 1), text, n);
}
static NOINLINE void *zeros(struct arena *a, size_t size) { return memset(take(a, size, 8), 0, size); }

static double in_arena(const double *x) {
  struct arena *a = malloc(sizeof *a);
  double s = 0;
  for (int round = 0; round < 2; round++) {
    struct node *first = NULL;
    a->used = 0;
    for (int i = 0; i < 4; i++) {
      char text[32] = "a name of some letters";
      text[i * 3 + round] = 0;
      const char *name = keep(a, text);
      struct node *n = zeros(a, sizeof *n);
      n->name = name;
      n->next = first;
      if (i % 2) n->value = x[i % 3] * x[1];
      if (i + round != 2) n->place = x + i % 3;
      first = n;
      double *more = zeros(a, 2 * sizeof *more);
      more[0] = n->value * x[0];
      s += more[0] + more[1];
    }
    for (struct node *n = first; n; n = n->next)
      s += strlen(n->name) * (n->value * x[2] + (n->place ? *n->place : 0.5 * n->value));
  }
  free(a);
  return s;
}
DERIVED(in_arena)

int main(void) {
  double x[3] = {1.25, -0.75, 0.5};
  CHECK_DERIVED(cloned, x);
  CHECK_DERIVED(in_part, x);
  CHECK_DERIVED(in_arena, x);
  return check_done();
}
