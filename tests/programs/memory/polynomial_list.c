/* Sparse polynomials as lists of terms: sums and products that allocate, merge equal powers and free their inputs. */
#include "check.h"

struct term {
  double c;
  int power;
  struct term *next;
};
static void add_term(struct term **p, double c, int power) {
  while (*p && (*p)->power > power) p = &(*p)->next;
  if (*p && (*p)->power == power) {
    (*p)->c += c;
    return;
  }
  struct term *t = malloc(sizeof *t);
  *t = (struct term){c, power, *p};
  *p = t;
}
static void drop(struct term *p) {
  while (p) {
    struct term *next = p->next;
    free(p);
    p = next;
  }
}
static struct term *product(struct term *a, struct term *b) {
  struct term *made = 0;
  for (struct term *p = a; p; p = p->next)
    for (struct term *q = b; q; q = q->next) add_term(&made, p->c * q->c, p->power + q->power);
  drop(a);
  return made;
}
static double at(const struct term *p, double x) {
  double s = 0;
  for (; p; p = p->next) {
    double v = p->c;
    for (int k = 0; k < p->power; k++) v *= x;
    s += v;
  }
  return s;
}
static double f(const double *x) {
  struct term *base = 0, *power = 0;
  for (int i = 0; i < 3; i++) add_term(&base, x[i], i * i);
  add_term(&power, 1, 0);
  for (int k = 0; k < 3; k++) power = product(power, base);
  double s = at(power, x[3]) + 0.1 * at(base, x[0]);
  drop(base);
  drop(power);
  return s;
}
DERIVED(f)

int main(void) {
  double x[4] = {0.6, 0.7, -0.55, 0.85};
  CHECK_DERIVED(f, x);
  return check_done();
}
