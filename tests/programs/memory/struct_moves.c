/* Arrays of structs with holes, moved over themselves, inserted into and deleted from by memmove. */
#include "check.h"

struct record {
  char kind;
  double v;
  float w;
  int id;
};
static double f(const double *x) {
  struct record a[10];
  int n = 0;
  for (int i = 0; i < 7; i++) { /* insertion keeps them ordered */
    struct record r = {(char)i, x[i] * x[i], 0.5f * i, i};
    int at = 0;
    while (at < n && a[at].v < r.v) at++;
    memmove(a + at + 1, a + at, (n - at) * sizeof *a);
    a[at] = r;
    n++;
  }
  for (int i = 1; i < n; i += 2) {
    a[i - 1].v += a[i].v * a[i].w;
    memmove(a + i, a + i + 1, (--n - i) * sizeof *a);
  }
  double s = 0;
  for (int i = 0; i < n; i++) s = s * 0.9 + sin(a[i].v) * (a[i].id + a[i].kind);
  return s;
}
DERIVED(f)

int main(void) {
  double x[7] = {0.6, 0.75, -0.55, 0.85, -1.1, 0.4, 1.15};
  CHECK_DERIVED(f, x);
  return check_done();
}
