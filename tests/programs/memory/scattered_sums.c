/* Loops that add to numbers in memory where a table says, and may run several iterations at once: entries that differ,
 * that are all one, that come back within a few iterations; one sum or several, two of them in one place, next to one
 * another, one that goes down, products, sums of several numbers at once, counts beside; tables of tables, tables that
 * the loop writes, indices that are computed, wrapped or clamped; sums that are read in the same loop, by the same
 * iteration or the next, kept, stored over, in the array that the numbers come from, in arrays that whoever calls may
 * make the same; sums in structs beside what is read; in inner loops, loops that end early, and go down, short rows; and
 * loops that look up numbers, so that it is the adjoints that are added to. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define N 40
#define M 12

int rounds = 19; /* nobody knows that it stays so */
static int apart[2 * N], one[2 * N], near[2 * N], any[2 * N];

static double sum_of(const double *y, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += y[i] * y[i] * (1 + 0.1 * i);
  return s;
}

/* Two entries get opposite numbers, as particles do. */
static NOINLINE void pairs(const double *restrict x, double *restrict f, const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) {
    double d = x[a[i]] - x[b[i]] + 0.01 * i, r = d * d + 0.5, g = d / (r * r) - 0.1 * d / r + exp(-r) * sqrt(r);
    f[a[i]] += g, f[b[i]] -= g;
  }
}
/* The same, and nobody says that f is not x. */
static NOINLINE void pairs_anywhere(const double *x, double *f, const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) {
    double d = x[a[i]] - x[b[i]] + 0.01 * i, r = d * d + 0.5, g = d / (r * r) - 0.1 * d / r + exp(-r) * sqrt(r);
    f[a[i]] += 0.1 * g, f[b[i]] -= 0.1 * g;
  }
}
/* In the array that is read: later iterations read what earlier ones have added. */
static NOINLINE void in_place(double *x, const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) {
    double d = x[a[i]] - x[b[i]], r = d * d + 0.5, g = d / (r * r) - 0.1 * d / r + exp(-r) * sqrt(r);
    x[a[i]] += 0.01 * g, x[b[i]] -= 0.02 * g;
  }
}
/* Products, sums of three, next to one another, and a count; what is added twice to one place. */
static NOINLINE void several(const double *restrict x, double *restrict f, int *restrict many, const int *a, int n) {
  for (int i = 0; i < n; i++) {
    int at = a[i];
    double p = x[i] / (1 + x[i] * x[i]), q = sqrt(1 + p * p) / (2 + p), s = 1 / (p + q + 3);
    f[at] += p * q;
    f[at + 1] = f[at + 1] - q * s + p * s + 0.5;
    f[at] += s;
    many[at]++;
  }
}
static NOINLINE void counted(const double *restrict x, double *restrict f, int *restrict many, const int *a, int n) {
  for (int i = 0; i < n; i++) {
    double p = x[i] / (1 + x[i] * x[i]), q = sqrt(1 + p * p) / (2 + p), s = 1 / (p + q + 3);
    many[a[i]]++;
    f[a[i]] += p * s * many[0];
    many[a[i] / 2]--;
  }
}
/* Through a table of tables, and wrapped around. */
static NOINLINE void looked_up(const double *restrict x, double *restrict f, const int *a, const int *b, int n, int m) {
  for (int i = 0; i < n; i++) {
    double p = x[b[a[i]]] + 1.5, q = 1 / (p * p + 1), r = q / (p + 2) + p / (q + 2), s = r / (3 + q);
    f[b[a[i]]] += q * r;
    f[(a[i] + 1) % m] += r * s;
    f[a[i] + 1 == m ? 0 : a[i] + 1] -= s * q;
  }
}
/* The table is written as the loop goes. */
static NOINLINE void moving(const double *restrict x, double *restrict f, int *restrict a, int n, int m) {
  for (int i = 0; i < n; i++) {
    double p = x[i] + 1.5, q = 1 / (p * p + 1), r = q / (p + 2) + p / (q + 2), s = r / (3 + q);
    f[a[i]] += q * r * s;
    a[i + 1] = (a[i + 1] + a[i]) % m;
    f[a[i + 1]] += s;
  }
}
/* Where the numbers themselves say. */
static NOINLINE void binned(const double *restrict x, const double *restrict w, double *restrict f, int n, int m) {
  for (int i = 0; i < n; i++) {
    double place = (x[i] + 3) * m / 8, p = w[i] / (2 + x[i]), q = sqrt(1 + p * p) / (x[i] + 4), r = 1 / (p + q + 3);
    int at = (int)place;
    at = at < 0 ? 0 : at > m - 2 ? m - 2 : at;
    double t = place - at;
    f[at] += (1 - t) * p * q * r, f[at + 1] += t * p * (q + r);
  }
}
/* A sum is read again in its iteration, or in the next; or is stored over; or kept. */
static NOINLINE void read_again(const double *restrict x, double *restrict f, double *restrict g, const int *a, int n) {
  double before = 0;
  for (int i = 0; i < n; i++) {
    double p = x[i] + 1.5, q = 1 / (p * p + 1), r = q / (p + 2) + p / (q + 2), s = r / (3 + q + before);
    f[a[i]] += s;
    g[a[i]] += f[a[i]] * r;
    before = f[a[i] / 2] * 0.01;
  }
}
static NOINLINE void stored_over(const double *restrict x, double *restrict f, const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) {
    double p = x[i] + 1.5, q = 1 / (p * p + 1), r = q / (p + 2) + p / (q + 2), s = r / (3 + q);
    f[a[i]] += s * p;
    f[b[i]] = q + s;
    f[a[i] / 3] += r;
  }
}
static NOINLINE double kept(const double *restrict x, double *restrict f, const int *a, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) {
    double p = x[i] + 1.5, q = 1 / (p * p + 1), r = q / (p + 2) + p / (q + 2), s = r / (3 + q);
    double now = f[a[i]] + s * r;
    f[a[i]] = now;
    most += now * q;
  }
  return most;
}
/* In a struct beside what is read. */
struct particle {
  double x, v, f;
  int kind;
};
static NOINLINE void beside(struct particle *restrict p, const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) {
    struct particle *u = p + a[i], *w = p + b[i];
    double d = u->x - w->x + 0.01 * i, r = d * d + 0.5 + 0.1 * u->kind, g = d / (r * r) - 0.1 * d / r + exp(-r) * sqrt(r);
    u->f += g * w->v, w->f -= g * u->v;
  }
}
/* In inner loops, to a place that stays and one that does not; the outer loop goes down. */
static NOINLINE void nested(const double *restrict x, double *restrict f, const int *a, int n, int m) {
  for (int i = n - 1; i >= 0; i--)
    for (int j = 0; j < m; j++) {
      double d = x[i] - x[j] + 0.3, r = d * d + 0.5, g = d / (r * r) - 0.1 * d / r + exp(-r) * sqrt(r);
      f[i] += g * r, f[a[j]] -= g / r;
    }
}
/* Floats, and sums of integers that carry nothing. */
static NOINLINE void floats(const float *restrict x, float *restrict f, long *restrict many, const int *a, int n) {
  for (int i = 0; i < n; i++) {
    float p = x[i] + 1.5f, q = 1 / (p * p + 1), r = q / (p + 2) + p / (q + 2), s = r / (3 + q);
    f[a[i]] += s * r;
    many[a[i]] += i, many[a[i] / 2] -= 2;
  }
}
/* It ends where a number says. */
static NOINLINE int ends(const double *restrict x, double *restrict f, const int *a, int n) {
  int i = 0;
  do {
    double p = x[i] + 1.5, q = 1 / (p * p + 1), r = q / (p + 2) + p / (q + 2), s = r / (3 + q);
    f[a[i]] += s * r;
    i++;
    if (x[i] > 1.4) break;
  } while (i < n);
  return i;
}
/* In some cases only. */
static NOINLINE void sometimes(const double *restrict x, double *restrict f, const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) {
    double d = x[a[i]] - x[b[i]] + 0.01 * i, r = d * d + 0.5;
    if (r < 1.7) {
      double g = d / (r * r) - 0.1 * d / r + exp(-r) * sqrt(r);
      f[a[i]] += g, f[b[i]] -= g;
    }
  }
}
static NOINLINE void one_way(const double *restrict x, double *restrict f, const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) {
    double d = x[a[i]] - x[b[i]] + 0.01 * i, r = d * d + 0.5, g = d / (r * r) - 0.1 * d / r + exp(-r) * sqrt(r);
    if (a[i] != b[i]) f[a[i]] += g, f[b[i]] -= g;
    else f[0] += g * g;
    if (i % 3 == 1) f[i % 5] += 0.2 * g * r;
  }
}
/* Behind the end of the table nothing is there. */
static NOINLINE void guarded(const double *restrict x, double *restrict f, const int *a, int n, int m) {
  for (int i = 0; i < n; i++) {
    double p = x[i] + 1.5, q = 1 / (p * p + 1), r = q / (p + 2) + p / (q + 2), s = r / (3 + q);
    if (a[i] < m) f[a[i]] += s * r;
    int behind = a[i] + m / 2;
    if (behind < m) f[behind] -= q * s;
  }
}
/* Where the way is not taken, what it computes is not finite. */
static NOINLINE void not_itself(const double *restrict x, double *restrict f, const int *a, const int *b, int n) {
  for (int i = 0; i < n; i++) {
    double d = x[a[i]] - x[b[i]], r2 = d * d;
    if (r2 > 0) {
      double r = sqrt(r2), g = 1 / r + log(r2) * d;
      if (x[a[i]] > x[b[i]]) g += pow(d, 1.5) / (g * g + 1);
      f[a[i]] += 0.01 * g, f[b[i]] -= 0.01 * d * g;
    }
  }
}
/* Read on that way only, where elsewhere nothing may be read. */
static NOINLINE void read_there(const double *x, const double *w, double *restrict f, const int *a, int n, int m) {
  for (int i = 0; i < n; i++) {
    double p = x[i] + 1.5, q = 1 / (p * p + 1);
    if (a[i] < m / 2) {
      double r = q / (p + 2) + w[a[i]] / (q + 2), s = r / (3 + q);
      f[a[i]] += s * w[a[i]];
    } else
      f[a[i] - m / 2] -= q;
  }
}
/* Numbers that are looked up, and their adjoints added to: a sum, one that is less and less of what was, several, and
 * what each iteration makes of them kept; the greatest; a sum that is handed in and stored as it grows. */
static NOINLINE double bonds(const double *restrict x, const int *restrict a, const int *restrict b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double p = x[a[i]], q = x[b[i]], c = (p * q + 1) / sqrt((1 + p * p) * (1 + q * q));
    s += (c - 0.1 * i) * (c - 0.1 * i) / (1 + c * c);
  }
  return s;
}
static NOINLINE double fading(const double *restrict x, const int *restrict a, double *restrict y, int n) {
  double s = 0, t = 1, u = 0;
  for (int i = 0; i < n; i++) {
    double p = x[a[i]], q = x[a[i] + 1], c = (p * q + 1) / sqrt((1 + p * p) * (1 + q * q)), d = c / (2 + p) + q;
    s = 0.9 * s + c, t *= 1 + 0.01 * d, u += c * d;
    y[i] = d * s;
  }
  return s + t * u;
}
static NOINLINE double greatest(const double *restrict x, const int *restrict a, int n) {
  double s = -10;
  for (int i = 0; i < n; i++) {
    double p = x[a[i]], q = x[a[i] + 2], c = (p * q + 1) / sqrt((1 + p * p) * (1 + q * q)), d = c / (2 + p) + q + 0.01 * i;
    s = s > d ? s : d;
  }
  return s;
}
static NOINLINE void growing(const double *x, const int *a, double *s, double *y, int n) {
  for (int i = 0; i < n; i++) {
    double p = x[a[i]], q = x[2 * a[i] + 1], c = (p * q + 1) / sqrt((1 + p * p) * (1 + q * q)), d = c / (2 + p) + q;
    *s += c * d;
    y[i] = *s * d;
  }
}
/* In rows of a sparse matrix, some short, some empty. */
static NOINLINE double rows(const double *restrict x, double *restrict f, const int *restrict a, int n) {
  double s = 0;
  int at = 0;
  for (int i = 0; i < n; i++) {
    int end = at + (i * i) % 19;
    for (int j = at; j < end; j++) {
      double p = x[i], q = x[a[j]], c = (p * q + 1) / sqrt((1 + p * p) * (1 + q * q)), d = c / (2 + p) + q;
      f[a[j]] += c * d, s -= (c - 0.1 * j) * (c - 0.1 * j) / (1 + c * c);
    }
    at = end;
  }
  return s;
}

static const int *table;
static double objective_pairs(const double *x) {
  double f[2 * M] = {0};
  pairs(x, f, table, any, rounds);
  return sum_of(f, 2 * M);
}
static double objective_anywhere(const double *x) {
  double f[N];
  memset(f, 0, sizeof f);
  pairs_anywhere(x, f, table, any, rounds);
  pairs_anywhere(f, f, any, table, rounds);
  return sum_of(f, N);
}
static double objective_in_place(const double *x) {
  double y[N];
  memcpy(y, x, sizeof y);
  in_place(y, table, any, rounds);
  in_place(y, any, table, rounds);
  return sum_of(y, N);
}
static double objective_several(const double *x) {
  double f[2 * M] = {0};
  int many[2 * M] = {0};
  several(x, f, many, table, rounds);
  counted(x, f, many, any, rounds);
  return sum_of(f, 2 * M) + many[1] * f[1];
}
static double objective_looked_up(const double *x) {
  double f[2 * M] = {0};
  looked_up(x, f, table, any, rounds, M);
  return sum_of(f, 2 * M);
}
static double objective_moving(const double *x) {
  double f[2 * M] = {0};
  int a[2 * N];
  memcpy(a, table, sizeof a);
  moving(x, f, a, rounds, M);
  return sum_of(f, 2 * M);
}
static double objective_binned(const double *x) {
  double f[2 * M] = {0};
  binned(x, x + 3, f, rounds, M);
  return sum_of(f, 2 * M);
}
static double objective_read_again(const double *x) {
  double f[2 * M] = {0}, g[2 * M] = {0};
  read_again(x, f, g, table, rounds);
  return sum_of(f, 2 * M) + sum_of(g, 2 * M);
}
static double objective_stored_over(const double *x) {
  double f[2 * M] = {0};
  stored_over(x, f, table, any, rounds);
  return sum_of(f, 2 * M);
}
static double objective_kept(const double *x) {
  double f[2 * M] = {0};
  double most = kept(x, f, table, rounds);
  return sum_of(f, 2 * M) + most;
}
static double objective_beside(const double *x) {
  struct particle p[M];
  for (int i = 0; i < M; i++) p[i] = (struct particle){x[i], x[i + 1] + 2, 0, i % 3};
  beside(p, table, any, rounds);
  double s = 0;
  for (int i = 0; i < M; i++) s += p[i].f * p[i].f * (1 + 0.1 * i) + p[i].x;
  return s;
}
static double objective_nested(const double *x) {
  double f[N] = {0};
  nested(x, f, table, 5, rounds);
  return sum_of(f, N);
}
static double objective_floats(const double *x) {
  float y[N], f[2 * M] = {0};
  long many[2 * M] = {0};
  for (int i = 0; i < N; i++) y[i] = (float)x[i];
  floats(y, f, many, table, rounds);
  double s = 0;
  for (int i = 0; i < 2 * M; i++) s += f[i] * f[i] * (1 + 0.01 * many[i]);
  return s;
}
static double objective_doubles(const double *x) {
  double f[2 * M] = {0};
  long many[2 * M] = {0};
  for (int i = 0; i < rounds; i++) {
    double p = x[i] + 1.5, q = 1 / (p * p + 1), r = q / (p + 2) + p / (q + 2), s = r / (3 + q);
    f[table[i]] += s * r;
    many[table[i]] += i, many[table[i] / 2] -= 2;
  }
  double s = 0;
  for (int i = 0; i < 2 * M; i++) s += f[i] * f[i] * (1 + 0.01 * many[i]);
  return s;
}
static double objective_ends(const double *x) {
  double f[2 * M] = {0};
  int i = ends(x, f, table, rounds + 1);
  return sum_of(f, 2 * M) * (1 + i);
}
static double objective_sometimes(const double *x) {
  double f[2 * M] = {0};
  sometimes(x, f, table, any, rounds);
  return sum_of(f, 2 * M);
}
static double objective_one_way(const double *x) {
  double f[2 * M] = {0};
  one_way(x, f, table, any, rounds);
  return sum_of(f, 2 * M);
}
static double objective_guarded(const double *x) {
  double *f = (double *)calloc(M, sizeof(double));
  guarded(x, f, table, rounds, M);
  double s = sum_of(f, M);
  free(f);
  return s;
}
static double objective_not_itself(const double *x) {
  double f[2 * M] = {0};
  not_itself(x, f, table, any, rounds);
  not_itself(x, f, any, table, rounds);
  return sum_of(f, 2 * M);
}
static double objective_read_there(const double *x) {
  double f[2 * M] = {0}, *w = (double *)malloc(M / 2 * sizeof(double));
  memcpy(w, x + 5, M / 2 * sizeof(double));
  read_there(x, w, f, table, rounds, M);
  double s = sum_of(f, 2 * M);
  free(w);
  return s;
}
static double objective_bonds(const double *x) { return bonds(x, table, any, rounds) * bonds(x + 7, any, table, rounds); }
static double objective_fading(const double *x) {
  double y[N] = {0};
  double s = fading(x, table, y, rounds);
  return sum_of(y, N) + s;
}
static double objective_greatest(const double *x) { return greatest(x, table, rounds) * greatest(x, any, rounds / 2); }
static double objective_growing(const double *x) {
  double y[N] = {0}, s = x[3];
  growing(x, table, &s, y, rounds);
  return sum_of(y, N) + s;
}
static double objective_rows(const double *x) {
  double f[2 * M] = {0};
  double s = rows(x, f, table, rounds < 8 ? rounds : 8);
  return sum_of(f, 2 * M) + s;
}

DERIVED(objective_pairs)
DERIVED(objective_anywhere)
DERIVED(objective_in_place)
DERIVED(objective_several)
DERIVED(objective_looked_up)
DERIVED(objective_moving)
DERIVED(objective_binned)
DERIVED(objective_read_again)
DERIVED(objective_stored_over)
DERIVED(objective_kept)
DERIVED(objective_beside)
DERIVED(objective_nested)
DERIVED(objective_floats)
DERIVED(objective_doubles)
DERIVED(objective_ends)
DERIVED(objective_sometimes)
DERIVED(objective_one_way)
DERIVED(objective_guarded)
DERIVED(objective_not_itself)
DERIVED(objective_bonds)
DERIVED(objective_rows)
DERIVED(objective_fading)
DERIVED(objective_greatest)
DERIVED(objective_growing)
DERIVED(objective_read_there)

int main(void) {
  double x[N];
  for (int i = 0; i < N; i++) x[i] = 0.9 * sin(1.7 * i + 0.3);
  for (int i = 0; i < 2 * N; i++) apart[i] = i % M, one[i] = 3, near[i] = (i / 3) % M, any[i] = (i * i + 5 * i / 2) % M;
  const int *tables[] = {apart, one, near, any};
  int counts[] = {19, 8, 3, 33};
  for (int t = 0; t < 4; t++) {
    table = tables[t], rounds = counts[t];
    CHECK_DERIVED(objective_pairs, x);
    CHECK_DERIVED(objective_anywhere, x);
    CHECK_DERIVED(objective_in_place, x);
    CHECK_DERIVED(objective_several, x);
    CHECK_DERIVED(objective_looked_up, x);
    CHECK_DERIVED(objective_moving, x);
    CHECK_DERIVED(objective_binned, x);
    CHECK_DERIVED(objective_read_again, x);
    CHECK_DERIVED(objective_stored_over, x);
    CHECK_DERIVED(objective_kept, x);
    CHECK_DERIVED(objective_beside, x);
    CHECK_DERIVED(objective_nested, x);
    CHECK_DERIVED(objective_doubles, x);
    CHECK_DERIVED(objective_ends, x);
    CHECK_DERIVED(objective_sometimes, x);
    CHECK_DERIVED(objective_one_way, x);
    CHECK_DERIVED(objective_guarded, x);
    CHECK_DERIVED(objective_not_itself, x);
    CHECK_DERIVED(objective_bonds, x);
    CHECK_DERIVED(objective_rows, x);
    CHECK_DERIVED(objective_fading, x);
    CHECK_DERIVED(objective_greatest, x);
    CHECK_DERIVED(objective_growing, x);
    CHECK_DERIVED(objective_read_there, x);
    if (ENGINE) { /* differences of floats say little */
      double single[N] = {0}, twice[N] = {0}, v[N] = {0};
      objective_floats_gradient(x, single), objective_doubles_gradient(x, twice);
      for (int i = 0; i < N; i++) {
        check_close("floats", i, single[i], twice[i], 1e-4 * (1 + fabs(twice[i])));
        v[i] = 1;
        check_close("tangents of floats", i, objective_floats_tangent(x, v), twice[i], 1e-4 * (1 + fabs(twice[i])));
        v[i] = 0;
      }
    }
  }
  return check_done();
}
