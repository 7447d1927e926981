/* Lanes of nests that add to arrays which were cleared in front of them, or in part, or only now and then. */
// heavy: functions in lanes are much code
#include <string.h>

#include "../check.h"

enum { PARAMETERS = 9, MOST = 700, ROWS = 3, SHOWN = ROWS + 2 };

extern int enzyme_width, enzyme_dupv;
extern void __enzyme_fwddiff_all(void *, ...);
extern void __enzyme_fwddiff_one(void *, ...);

static double base[MOST + 8];

/* skin[row][v] += w[v] a[bone][row] for rows that lie `pitch` apart, from column `first` on */
static inline void add(double *restrict skin, const double *restrict w, const double *own, int n, long pitch, int bones,
                       int first) {
  for (int bone = 0; bone < bones; bone++) {
    for (int row = 0; row < ROWS; row++) {
      double a = own[3 * bone + row];
      double *restrict out = skin + row * pitch + first;
      for (int v = 0; v < n; v++) out[v] += w[v + bone] * a;
    }
  }
}

static NOINLINE void model(const double *restrict p, double *restrict out, int n, int bones, int how) {
  long room = ROWS * (long)n + 16;
  double *skin = (double *)malloc(room * sizeof *skin), *own = (double *)malloc(64 * sizeof *own);
  for (int k = 0; k < 64; k++) own[k] = p[k % PARAMETERS] * (k % 5 ? 0.3 : p[(k + 1) % PARAMETERS]);
  for (long i = 0; i < room; i++) skin[i] = 0.5 * p[i % PARAMETERS];
  double kept = 0;
  switch (how) {
  case 0: /* all of it */
    memset(skin, 0, ROWS * (long)n * sizeof *skin);
    add(skin, base, own, n, n, bones, 0);
    break;
  case 1: /* sometimes nothing */
    if (bones & 1) memset(skin, 0, ROWS * (long)n * sizeof *skin);
    add(skin, base, own, n, n, bones, 0);
    break;
  case 2: /* two rows of three */
    memset(skin, 0, 2 * (long)n * sizeof *skin);
    add(skin, base, own, n, n, bones, 0);
    break;
  case 3: /* and what comes behind */
    memset(skin, 0, (ROWS * (long)n + 5) * sizeof *skin);
    add(skin, base, own, n, n, bones, 0);
    break;
  case 4: /* columns from the third on */
    memset(skin, 0, ROWS * (long)n * sizeof *skin);
    add(skin, base, own, n > 3 ? n - 3 : 0, n, bones, 3);
    break;
  case 5: /* rows that are longer than what is added to */
    memset(skin, 0, ROWS * (long)n * sizeof *skin);
    add(skin, base, own, n - n / 4, n, bones, 0);
    break;
  case 6: /* again and again, and looked at in between */
    for (int step = 0; step < 3; step++) {
      memset(skin, 0, ROWS * (long)n * sizeof *skin);
      if (step == 1 && bones > 2) kept += n ? skin[n / 2] : 1;
      add(skin, base, own + step, n, n, bones, 0);
      if (n) kept += skin[n - 1] * skin[n];
    }
    break;
  case 7: /* what is looked at behind the call was not there */
    memset(skin, 0, ROWS * (long)n * sizeof *skin);
    if (n) kept = skin[n - 1] + 1;
    add(skin, base, own, n, n, bones, 0);
    break;
  case 8: /* cleared from the second row on */
    memset(skin + n, 0, 2 * (long)n * sizeof *skin);
    add(skin, base, own, n, n, bones, 0);
    break;
  case 9: /* written behind the call, in front of the nest */
    memset(skin, 0, ROWS * (long)n * sizeof *skin);
    if (n) skin[n / 2] = p[3];
    add(skin, base, own, n, n, bones, 0);
    break;
  case 10: /* two nests */
    memset(skin, 0, ROWS * (long)n * sizeof *skin);
    if (bones > 2)
      add(skin, base, own, n, n, bones, 0);
    else
      add(skin, base + 1, own + 4, n, n, bones + 1, 0);
    break;
  case 11: /* nothing may be added at all */
    memset(skin, 0, ROWS * (long)n * sizeof *skin);
    if (bones == 3) break;
    add(skin, base, own, n, n, bones, 0);
    break;
  }
  for (int row = 0; row < SHOWN; row++) {
    out[row] = kept;
    for (int v = row; v < ROWS * n + 16; v += SHOWN) out[row] += skin[v] * (1 + v % 7);
  }
  free(skin);
  free(own);
}

static NOINLINE void check_lanes(const double *p, int n, int bones, int how) {
  double seeds[PARAMETERS][PARAMETERS] = {{0}}, out[SHOWN], same[SHOWN], columns[PARAMETERS][SHOWN];
  for (int k = 0; k < PARAMETERS; k++) seeds[k][k] = 1;
  __enzyme_fwddiff_all((void *)model, enzyme_width, PARAMETERS, enzyme_dupv, sizeof seeds[0], p, seeds, enzyme_dupv,
                       sizeof columns[0], out, columns, enzyme_const, n, enzyme_const, bones, enzyme_const, how);
  for (int k = 0; k < PARAMETERS; k++) {
    double one[SHOWN];
    __enzyme_fwddiff_one((void *)model, enzyme_dup, p, seeds[k], enzyme_dup, same, one, enzyme_const, n, enzyme_const,
                         bones, enzyme_const, how);
    for (int i = 0; i < SHOWN; i++) {
      check_close("column", (how * 1000 + n) * 100 + k * SHOWN + i, columns[k][i], one[i], 1e-9 * (fabs(one[i]) + 1));
      check_close("primal", i, out[i], same[i], 0);
    }
  }
}

static NOINLINE void check_all(const double *p) {
  static const int sizes[] = {0, 1, 2, 7, 64, 161, 320, 321, 338, MOST};
  for (int how = 0; how < 12; how++)
    for (unsigned k = 0; k < sizeof sizes / sizeof *sizes; k++)
      for (int bones = 0; bones < 5; bones++) check_lanes(p, sizes[k], bones, how);
}

int main(void) {
  double p[PARAMETERS];
  for (int k = 0; k < PARAMETERS; k++) p[k] = 0.3 + 0.11 * k - (k % 3) * 0.4;
  for (int i = 0; i < MOST + 8; i++) base[i] = cos(0.7 * i);
  CHECK_ENGINE(check_all(p));
  return check_done();
}
