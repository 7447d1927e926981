/* Pointers to members of several structs and to arrays in one table: what the analysis of types cannot tell apart then,
 * the declared types do, where structs of numbers beside integers are copied. */
#include "check.h"

struct mixed {
  double a;
  int tag;
  float f;
  double t[2];
  char name[5];
  short s;
};

static NOINLINE void through(double **at, int n, double v) {
  for (int i = 0; i < n; i++) *at[i] = 0.5 * *at[i] + v * *at[(i + 1) % n];
}

static double copied(const double *x) {
  struct mixed m[4], kept;
  double own[3] = {x[0], x[1] * x[2], x[3]};
  memset(m, 0, sizeof m);
  double *at[4] = {&m[0].a, &m[1].t[1], &own[1], &m[2].t[0]};
  for (int i = 0; i < 4; i++) {
    *at[i] += x[i] * x[(i + 1) % 4];
    m[i].tag = 3 - i;
    m[i].s = (short)i;
  }
  m[0].f = 0.5f;
  through(at, 4, x[2]);
  kept = m[0];
  m[0] = m[1];
  m[1] = kept;
  through(at, 4, 0.25);
  memcpy(&m[3], &m[2], sizeof *m);
  memmove(m, m + 1, 2 * sizeof *m);
  double r = m[0].a * m[0].tag * m[0].f;
  for (int i = 0; i < 4; i++) r += m[i].a + m[i].t[1] * (m[i].tag + 1) + m[i].t[0] * m[i].s;
  return r + own[1];
}
DERIVED(copied)

struct node {
  double v;
  long id;
  struct node *next;
};
static double linked(const double *x) {
  struct node n[3] = {{x[0], 1, n + 1}, {x[1], 2, n + 2}, {x[2], 3, 0}}, kept;
  double *at[3] = {&n[2].v, &n[0].v, &n[1].v}, r = x[3];
  through(at, 3, x[3]);
  kept = n[0];
  n[0] = *kept.next;
  n[1] = kept;
  n[1].next = n + 2;
  n[0].next = n + 1;
  for (struct node *p = n; p; p = p->next) r = r * 0.5 + p->v * p->v * p->id;
  return r;
}
DERIVED(linked)

int main(void) {
  double x[] = {0.7, -0.4, 1.1, 0.3};
  CHECK_DERIVED(copied, x);
  CHECK_DERIVED(linked, x);
  return check_done();
}
