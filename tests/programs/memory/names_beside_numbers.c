/* Text and numbers in one structure: what is written to the text is no number, and what is read from other text is
 * constant. */
#include "check.h"

struct item {
  char name[16];
  double v;
  FILE *log;
};

static NOINLINE void make(struct item *i, const char *name, double v) {
  strncpy(i->name, name, 15);
  i->name[15] = 0;
  i->v = v;
  i->log = stderr;
}
static NOINLINE void copy(struct item *to, const struct item *from) {
  strcpy(to->name, from->name);
  to->v = from->v * 2;
}
static NOINLINE void label(struct item *i) {
  snprintf(i->name, sizeof i->name, "v=%g", i->v);
  if (i->v > 1e9) fprintf(i->log, "%s %g\n", i->name, i->v);
}
static NOINLINE double setting(const char *file, const char *text) {
  FILE *h = fopen(file, "r");
  double a = 1.5, b = 0;
  if (h) {
    if (fscanf(h, "%lf", &a) != 1) a = 1.5;
    fclose(h);
  }
  sscanf(text, "%lf", &b);
  return a + b + atof("2.25") + strtod("0.5 3", 0);
}

double named(const double *x) {
  struct item a, b, *c = malloc(sizeof *c);
  make(&a, "alpha", x[0] * x[1]);
  copy(&b, &a);
  make(c, "beta", x[2]);
  double sum = a.v * b.v + c->v * strlen(b.name) * x[2];
  label(&a);
  label(&b);
  label(c);
  if (strcmp(a.name, c->name) == 0) sum += a.v * c->v * 3;
  sum += a.v * setting("/nonexistent", "4.5") + c->v * x[3];
  free(c);
  return sum;
}
DERIVED(named)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(named, x);
  return check_done();
}
