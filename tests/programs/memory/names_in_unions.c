/* Cells that hold a text, a number or a pointer, each at its time: a text is no number, and nothing of it is cleared. */
#include "check.h"

enum kind { TEXT, NUMBER, OTHER };
struct cell {
  enum kind kind;
  union {
    char text[16];
    double number;
    struct cell *to;
  } u;
};

static NOINLINE void name(struct cell *c, const char *text) {
  c->kind = TEXT;
  strncpy(c->u.text, text, sizeof c->u.text - 1);
}
static NOINLINE double value(const struct cell *c) {
  switch (c->kind) {
  case NUMBER: return c->u.number;
  case OTHER: return 2 * value(c->u.to);
  default: return (double)strlen(c->u.text);
  }
}
static double f(const double *x) {
  struct cell *cells = calloc(4, sizeof *cells);
  double r = 0;
  for (int round = 0; round < 3; round++) {
    for (int i = 0; i < 4; i++) {
      struct cell *c = &cells[(i + round) % 4];
      if (i == 0) name(c, round ? "gamma" : "pi");
      else if (i == 1) c->kind = OTHER, c->u.to = &cells[(round + 2) % 4];
      else c->kind = NUMBER, c->u.number = x[i - 1] * x[round];
    }
    for (int i = 0; i < 4; i++) r += value(&cells[i]) * value(&cells[(i + 1) % 4]);
  }
  free(cells);
  return r;
}
DERIVED(f)

int main(void) {
  double x[] = {1.3, -0.7, 2.1};
  CHECK_DERIVED(f, x);
  return check_done();
}
