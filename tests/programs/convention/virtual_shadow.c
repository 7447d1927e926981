/* __enzyme_virtualreverse: a table of functions has a shadow made of the shadows of its entries. */
#include "check.h"
extern void *__enzyme_virtualreverse(void *);
struct shape {
  double (*area)(const struct shape *);
  double a, b;
};
static NOINLINE double rectangle(const struct shape *s) { return s->a * s->b; }
static NOINLINE double ellipse(const struct shape *s) { return 3 * s->a * s->b * s->b; }
static double area(const struct shape *s) { return s->area(s) * s->a; }

static void check_all(void) {
  struct shape s = {rectangle, 2, 5}, t = {ellipse, 2, 5};
  struct shape ds = {__enzyme_virtualreverse((void *)rectangle), 0, 0};
  struct shape dt = {__enzyme_virtualreverse((void *)ellipse), 0, 0};
  __enzyme_autodiff((void *)area, enzyme_dup, &s, &ds);
  __enzyme_autodiff((void *)area, enzyme_dup, &t, &dt);
  check_value("rectangle a", ds.a, 20, 1e-14);
  check_value("rectangle b", ds.b, 4, 1e-14);
  check_value("ellipse a", dt.a, 300, 1e-14);
  check_value("ellipse b", dt.b, 120, 1e-14);
}

int main(void) {
  CHECK_ENGINE(check_all());
  return check_done();
}
