// engine: --enzyme-vector-bytes=64
/* Nests whose inner loops all run over one range of columns, forward: rows that are too short, memory that overlaps,
 * columns that depend on each other, counts of none and less than none, and numbers that are none. The expected tangents
 * are those of the same loops on pairs of numbers. */
#include "../check.h"

enum { LONGEST = 2600, POOL = 40 * LONGEST, BONES = 4, LANES = 11, FACTORS = 3 * BONES + 1 };

extern int enzyme_width, enzyme_dupv;
extern void __enzyme_fwddiff_all(void *, ...);

/* out[row][v] += w[bone][v] (c[bone][row] x[v] + w[bone][v]) */
static NOINLINE void added(double *out, const double *w, const double *x, const double *c, long n, long pitch, int rows,
                           int bones) {
  for (int b = 0; b < bones; b++)
    for (int r = 0; r < rows; r++)
      for (long v = 0; v < n; v++) out[r * pitch + v] += w[b * n + v] * (c[b * rows + r] * x[v] + 0.5 * w[b * n + v]);
}

static NOINLINE void added_pairs(double *out, double *dout, const double *w, const double *dw, const double *x,
                                 const double *dx, const double *c, const double *dc, long n, long pitch, int rows,
                                 int bones) {
  for (int b = 0; b < bones; b++)
    for (int r = 0; r < rows; r++)
      for (long v = 0; v < n; v++) {
        long at = r * pitch + v, k = b * n + v, f = b * rows + r;
        double weight = w[k], moved = dw[k], number = x[v];
        double tangent = moved * (c[f] * number + weight) + weight * (dc[f] * number + c[f] * dx[v]);
        dout[at] += tangent;
        out[at] += weight * (c[f] * number + 0.5 * weight);
      }
}

/* What a column adds is what the one before it, or behind it, has become. */
static NOINLINE void chained(double *out, const double *c, long n, int by, int bones) {
  for (int b = 0; b < bones; b++) {
    double factor = 0.1 * c[b];
    for (long v = 0; v < n; v++) out[v + 2] += factor * out[v + 2 + by];
  }
}

static NOINLINE void chained_pairs(double *out, double *dout, const double *c, const double *dc, long n, int by,
                                   int bones) {
  for (int b = 0; b < bones; b++)
    for (long v = 0; v < n; v++) {
      dout[v + 2] += 0.1 * (dc[b] * out[v + 2 + by] + c[b] * dout[v + 2 + by]);
      out[v + 2] += 0.1 * c[b] * out[v + 2 + by];
    }
}

/* What a row is multiplied by is one of the numbers that the nest changes. */
static NOINLINE void fed_back(double *out, const double *x, long n, long at, int bones) {
  for (int b = 0; b < bones; b++) {
    double factor = out[at];
    for (long v = 0; v < n; v++) out[v] += 0.125 * factor * x[v];
    for (long v = 0; v < n; v++) out[v] *= 0.75;
  }
}

static NOINLINE void fed_back_pairs(double *out, double *dout, const double *x, const double *dx, long n, long at,
                                    int bones) {
  for (int b = 0; b < bones; b++) {
    double factor = out[at], moved = dout[at];
    for (long v = 0; v < n; v++) dout[v] += 0.125 * (moved * x[v] + factor * dx[v]);
    for (long v = 0; v < n; v++) out[v] += 0.125 * factor * x[v];
    for (long v = 0; v < n; v++) dout[v] *= 0.75;
    for (long v = 0; v < n; v++) out[v] *= 0.75;
  }
}

static double pool[POOL], dpool[POOL], again[POOL], dagain[POOL];

static void fill(int special) {
  for (int i = 0; i < POOL; i++) {
    pool[i] = again[i] = cos(0.7 * i) * (1 + i % 5);
    dpool[i] = dagain[i] = sin(0.3 * i + 1);
  }
  if (!special) return;
  pool[special] = again[special] = NAN;
  pool[special + 100] = again[special + 100] = INFINITY;
  dpool[special + 200] = dagain[special + 200] = -INFINITY;
}

static void compare(const char *name) {
  for (int i = 0; i < POOL; i++) {
    int odd = (isfinite(again[i]) ? fabs(pool[i] - again[i]) > 1e-9 * (fabs(again[i]) + 1) : !isnan(pool[i]) != !isnan(again[i]));
    int wrong = (isfinite(dagain[i]) ? !(fabs(dpool[i] - dagain[i]) <= 1e-9 * (fabs(dagain[i]) + 1)) : isfinite(dpool[i]));
    if (odd || wrong) {
      check_close(name, i, odd ? pool[i] : dpool[i], odd ? again[i] : dagain[i], 0);
      return;
    }
  }
  check_close(name, 0, 0, 0, 0);
}

static void check_added(long out, long w, long x, long n, long pitch, int rows, int bones, int special) {
  long c = POOL - 64;
  fill(special);
#ifndef REFERENCE
  __enzyme_fwddiff((void *)added, enzyme_dup, pool + out, dpool + out, enzyme_dup, pool + w, dpool + w, enzyme_dup,
                   pool + x, dpool + x, enzyme_dup, pool + c, dpool + c, enzyme_const, n, enzyme_const, pitch,
                   enzyme_const, rows, enzyme_const, bones);
#else
  added_pairs(pool + out, dpool + out, pool + w, dpool + w, pool + x, dpool + x, pool + c, dpool + c, n, pitch, rows,
              bones);
#endif
  added_pairs(again + out, dagain + out, again + w, dagain + w, again + x, dagain + x, again + c, dagain + c, n, pitch,
              rows, bones);
  compare("added");
}

static void check_chained(long n, int by, int bones) {
  fill(0);
#ifndef REFERENCE
  __enzyme_fwddiff((void *)chained, enzyme_dup, pool, dpool, enzyme_dup, pool + POOL - 64, dpool + POOL - 64,
                   enzyme_const, n, enzyme_const, by, enzyme_const, bones);
#else
  chained_pairs(pool, dpool, pool + POOL - 64, dpool + POOL - 64, n, by, bones);
#endif
  chained_pairs(again, dagain, again + POOL - 64, dagain + POOL - 64, n, by, bones);
  compare("chained");
}

static void check_fed_back(long n, long at, int bones) {
  fill(0);
#ifndef REFERENCE
  __enzyme_fwddiff((void *)fed_back, enzyme_dup, pool, dpool, enzyme_dup, pool + 3 * LONGEST, dpool + 3 * LONGEST,
                   enzyme_const, n, enzyme_const, at, enzyme_const, bones);
#else
  fed_back_pairs(pool, dpool, pool + 3 * LONGEST, dpool + 3 * LONGEST, n, at, bones);
#endif
  fed_back_pairs(again, dagain, again + 3 * LONGEST, dagain + 3 * LONGEST, n, at, bones);
  compare("fed back");
}

/* Several lanes in memory of the function's own, in groups, some of which a bone does not move. */
static inline __attribute__((always_inline)) void pose(const double *restrict c, const double *restrict w,
                                                       const double *restrict x, double *restrict out, int n, int pitch,
                                                       int cleared, int more) {
  double *skin = (double *)malloc((3 * (size_t)pitch + more) * sizeof *skin);
  double *moves = (double *)malloc(FACTORS * sizeof *moves);
  for (int i = 0; i < FACTORS; i++) moves[i] = c[i % LANES] * (i % 4 ? 1 : c[(i + 1) % LANES]) * (i < 5 ? 0 : 1);
  for (long i = 0; i < 3L * pitch + more; i++) skin[i] = 0;
  if (cleared > 1) skin[n / 2] = c[0];
  for (int b = 0; b < BONES && cleared; b++)
    for (int r = 0; r < 3; r++) {
      double factor = moves[3 * b + r], other = moves[3 * b + r + 1];
      for (int v = 0; v < n; v++) skin[r * (long)pitch + v] += w[b * (long)n + v] * (factor * x[v] + other);
    }
  for (int v = 0; v < n; v++) {
    double a = skin[v], b = skin[pitch + v], e = skin[2 * pitch + v];
    out[v] = a * a + 0.5 * b + moves[7] * e;
  }
  free(skin);
  free(moves);
}

#define POSED(name, more)                                                                                            \
  static NOINLINE void name(const double *restrict c, const double *restrict w, const double *restrict x,            \
                            double *restrict out, int n, int pitch, int cleared) {                                   \
    pose(c, w, x, out, n, pitch, cleared, more);                                                                     \
  }
POSED(posed, 0)
POSED(crowded, n)

static void posed_pairs(const double *c, const double *dc, const double *w, const double *x, double *out, double *dout,
                        int n, int pitch, int cleared) {
  size_t size = 3 * (size_t)pitch + n;
  double *skin = (double *)calloc(size, sizeof *skin), *dskin = (double *)calloc(size, sizeof *dskin);
  double moves[FACTORS], dmoves[FACTORS];
  for (int i = 0; i < FACTORS; i++) {
    double a = c[i % LANES], b = i % 4 ? 1 : c[(i + 1) % LANES], e = i < 5 ? 0 : 1;
    moves[i] = a * b * e;
    dmoves[i] = (dc[i % LANES] * b + a * (i % 4 ? 0 : dc[(i + 1) % LANES])) * e;
  }
  if (cleared > 1) {
    skin[n / 2] = c[0];
    dskin[n / 2] = dc[0];
  }
  for (int b = 0; b < BONES && cleared; b++)
    for (int r = 0; r < 3; r++)
      for (int v = 0; v < n; v++) {
        skin[r * pitch + v] += w[b * n + v] * (moves[3 * b + r] * x[v] + moves[3 * b + r + 1]);
        dskin[r * pitch + v] += w[b * n + v] * (dmoves[3 * b + r] * x[v] + dmoves[3 * b + r + 1]);
      }
  for (int v = 0; v < n; v++) {
    double e = skin[2 * pitch + v];
    out[v] = skin[v] * skin[v] + 0.5 * skin[pitch + v] + moves[7] * e;
    dout[v] = 2 * skin[v] * dskin[v] + 0.5 * dskin[pitch + v] + moves[7] * dskin[2 * pitch + v] + dmoves[7] * e;
  }
  free(skin);
  free(dskin);
}

static double outs[LONGEST], columns[LANES][LONGEST], one[LONGEST], tangent[LONGEST];

static void check_posed(int n, int pitch, int cleared) {
  double c[LANES], seeds[LANES][LANES] = {{0}};
  for (int i = 0; i < LANES; i++) {
    c[i] = 0.4 + 0.1 * i;
    seeds[i][i] = 1;
  }
  fill(0);
  for (int v = 0; v < LONGEST; v++) outs[v] = one[v] = tangent[v] = 0;
#ifndef REFERENCE
#define ALL_LANES(model)                                                                                             \
  __enzyme_fwddiff_all((void *)model, enzyme_width, LANES, enzyme_dupv, sizeof seeds[0], c, seeds, enzyme_const, pool, \
                       enzyme_const, pool + 5 * LONGEST, enzyme_dupv, sizeof columns[0], outs, columns, enzyme_const, \
                       n, enzyme_const, pitch, enzyme_const, cleared)
  if (pitch < n) ALL_LANES(crowded);
  else ALL_LANES(posed);
#endif
  for (int lane = 0; lane < LANES; lane++) {
    posed_pairs(c, seeds[lane], pool, pool + 5 * LONGEST, one, tangent, n, pitch, cleared);
#ifdef REFERENCE
    (pitch < n ? crowded : posed)(c, pool, pool + 5 * LONGEST, outs, n, pitch, cleared);
    memcpy(columns[lane], tangent, sizeof tangent);
#endif
    for (int v = 0; v < n; v++) {
      double bound = 1e-9 * (fabs(tangent[v]) + 1);
      if (!(fabs(columns[lane][v] - tangent[v]) <= bound)) check_close("posed", lane, columns[lane][v], tangent[v], bound);
      if (!(fabs(outs[v] - one[v]) <= 1e-9 * (fabs(one[v]) + 1))) check_close("posed itself", v, outs[v], one[v], 0);
    }
  }
  check_close("posed", n, 0, 0, 0);
}

int main(void) {
  static const long lengths[] = {-3, 0, 1, 2, 15, 16, 17, 431, 864, 865, 1000, 2047, 2048, 2599};
  long w = 10 * LONGEST, x = 30 * LONGEST;
  for (int i = 0; i < COUNT(lengths); i++) {
    long n = lengths[i];
    check_added(0, w, x, n, n, 3, BONES, 0);
    check_added(8, w, x, n, n + 5, 3, BONES, (int)w + 40);
    check_added(0, w, x, n, n, 1, 1, 0);
    check_added(0, w, x, n, n, 0, BONES, 0);
    check_added(0, w, x, n, n, 3, 0, 0);
    for (int by = -2; by <= 2; by++) check_chained(n, by, 3);
    check_fed_back(n, 0, 3);
    check_fed_back(n, n > 0 ? n - 1 : 0, 3);
    check_fed_back(n, n > 0 ? n / 2 : 0, 3);
    check_fed_back(n, 3 * LONGEST - 1, 3);
    if (n < 1) continue;
    check_posed((int)n, (int)n, 1);
    check_posed((int)n, (int)n, 0);
    check_posed((int)n, (int)n, 2);
    check_posed((int)n, (int)n + 3, 1);
  }
  /* rows that overlap */
  check_added(0, w, x, 2000, 1999, 3, BONES, 0);
  check_added(0, w, x, 2000, 1000, 3, BONES, 0);
  check_added(0, w, x, 2000, 1, 3, BONES, 0);
  check_added(0, w, x, 2000, 0, 3, BONES, 0);
  check_added(3 * LONGEST, w, x, 2000, -1000, 3, BONES, 0);
  check_added(3 * LONGEST, w, x, 2000, -2000, 3, BONES, 0);
  check_posed(2000, 1400, 1);
  check_posed(2001, 1999, 1);
  /* what is read is written, in the same column, before and behind */
  for (int by = -1200; by <= 1200; by += 400) {
    check_added(w + 2000, w + by, x, 2000, 2000, 1, 2, 0);
    check_added(x, w, x + by, 2000, 2000, 1, 2, 0);
    check_added(x, w, x + by, 2000, 2100, 2, 3, 0);
    check_added(w, w + by, w + 2 * by, 1999, 1999, 3, 3, 0);
  }
  for (int by = -1; by <= 1; by++) check_added(x, w, x + by, 2000, 2000, 2, 3, 0);
  check_added(POOL - 64 - 2000, w, x, 2050, 2050, 1, 2, 0); /* the factors are written */
  return check_done();
}
