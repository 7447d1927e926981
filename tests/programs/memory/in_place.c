/* Matrices that are worked on in place: what is read is often never written again, since rows and columns that are done
 * with stay as they are, and sometimes it is, although it looks much the same: rows that overlap, a pivot from above, a
 * bound that is one too large, loops that run the other way. */
// heavy: many loops, which become several for vectors
#include "check.h"

#define SIZE 14
#define ROOM 1400

static int rows, width;

/* --- nothing that is read is written later */

static NOINLINE double elimination(double *a, int n) {
  double *b = a + n * n, s = 0;
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double f = a[i * n + k] / a[k * n + k];
      for (int j = k + 1; j < n; j++) a[i * n + j] -= f * a[k * n + j];
      b[i] -= f * b[k];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= a[i * n + j] * b[j];
    b[i] /= a[i * n + i], s += b[i] * b[i];
  }
  return s;
}
static NOINLINE double pivoted(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[p * n + k])) p = i;
    if (p != k)
      for (int j = k; j < n; j++) {
        double t = a[k * n + j];
        a[k * n + j] = a[p * n + j], a[p * n + j] = t;
      }
    for (int i = k + 1; i < n; i++) {
      double f = a[i * n + k] / a[k * n + k];
      for (int j = k + 1; j < n; j++) a[i * n + j] -= f * a[k * n + j];
    }
    s += log(fabs(a[k * n + k]));
  }
  return s;
}
static NOINLINE double cholesky(double *a, int n) {
  double s = 0;
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++) a[j * n + j] -= a[j * n + k] * a[j * n + k];
    a[j * n + j] = sqrt(a[j * n + j]), s += log(a[j * n + j]);
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++) a[i * n + j] -= a[i * n + k] * a[j * n + k];
      a[i * n + j] /= a[j * n + j];
    }
  }
  return s + a[n * n - 1];
}
/* by columns, with words of 64 bits */
static NOINLINE double by_columns(double *a, long n) {
  double s = 0;
  for (long k = 0; k < n; k++) {
    a[k + k * n] = sqrt(a[k + k * n]), s += a[k + k * n];
    for (long i = k + 1; i < n; i++) a[i + k * n] /= a[k + k * n];
    for (long j = k + 1; j < n; j++)
      for (long i = j; i < n; i++) a[i + j * n] -= a[i + k * n] * a[j + k * n];
  }
  return s;
}
/* with words that have no sign */
static NOINLINE double without_sign(double *a, size_t n) {
  double s = 0;
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < k; ++i) {
      double r = 0;
      for (size_t j = 0; j < n; ++j) r += a[i * n + j] * a[k * n + j];
      for (size_t j = 0; j < n; ++j) a[k * n + j] -= r * a[i * n + j];
    }
    double l = 0.1;
    for (size_t j = 0; j < n; ++j) l += a[k * n + j] * a[k * n + j];
    for (size_t j = 0; j < n; ++j) a[k * n + j] /= sqrt(l), s += a[k * n + j] * (j + 1);
  }
  return s;
}
static NOINLINE double narrow_unsigned(double *a, unsigned n) {
  double s = 0;
  for (unsigned k = 0; k < n; k++)
    for (unsigned i = k + 1; i < n; i++) {
      double f = a[i * n + k] / a[k * n + k];
      for (unsigned j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j], s += a[i * n + j] * a[i * n + j];
    }
  return s;
}
/* from the end */
static NOINLINE double upwards(double *a, int n) {
  double s = 0;
  for (int k = n - 1; k >= 0; k--)
    for (int i = k - 1; i >= 0; i--) {
      double f = a[i * n + k] / a[k * n + k];
      for (int j = 0; j < k; j++) a[i * n + j] -= f * a[k * n + j];
      s += f * f;
    }
  return s;
}
/* a table of which each row is made of the one before, with a row of its own in front */
static NOINLINE double table(double *a, int n) {
  int m = width;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= m; j++) {
      double x = a[(i - 1) * (m + 1) + j], y = a[i * (m + 1) + j - 1], z = a[(i - 1) * (m + 1) + j - 1];
      a[i * (m + 1) + j] = 0.3 * sin(x) + 0.2 * y * z + 0.1 * a[i * (m + 1) + j];
    }
  return a[n * (m + 1) + m] * a[n * (m + 1) + m];
}
static NOINLINE double three_deep(double *a, int n) {
  int m = width, l = 3;
  double s = 0;
  for (int t = 1; t < 4; t++)
    for (int i = 0; i < n % 7 + 1; i++)
      for (int j = 0; j < m % 5 + 1; j++)
        for (int k = 0; k < l; k++) {
          double *at = a + ((t * (n % 7 + 1) + i) * (m % 5 + 1) + j) * l + k;
          double before = a[(((t - 1) * (n % 7 + 1) + i) * (m % 5 + 1) + j) * l + k];
          *at = sin(before) + 0.5 * *at * before, s += *at * *at;
        }
  return s;
}
/* triangles packed one row behind the other */
static NOINLINE double packed(double *a, int n) {
  double s = 0;
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++) a[j * (j + 1) / 2 + j] -= 0.1 * a[j * (j + 1) / 2 + k] * a[j * (j + 1) / 2 + k];
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++) a[i * (i + 1) / 2 + j] -= 0.1 * a[i * (i + 1) / 2 + k] * a[j * (j + 1) / 2 + k];
      a[i * (i + 1) / 2 + j] /= 1 + a[j * (j + 1) / 2 + j] * a[j * (j + 1) / 2 + j];
    }
    s += sin(a[j * (j + 1) / 2 + j]);
  }
  return s;
}
/* bands */
static NOINLINE double band(double *a, int n) {
  int w = 3;
  double s = 0;
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n && i <= k + 1; i++) {
      double f = a[i * w + k - i + 1] / (2 + a[k * w + 1] * a[k * w + 1]);
      for (int j = k; j < n && j <= k + 1; j++) a[i * w + j - i + 1] -= f * a[k * w + j - k + 1];
      s += f * a[i * w + 1];
    }
  return s;
}
/* work arrays cut out of one */
static NOINLINE double slices(double *w, int n) {
  double *a = w, *b = w + n * n, *c = b + n * n, s = 0;
  for (int r = 0; r < 2; r++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double t = 0;
        for (int k = 0; k < n; k++) t += a[i * n + k] * b[k * n + j];
        c[i * n + j] = t * 0.1 + sin(c[i * n + j]);
      }
    for (int i = 0; i < n * n; i++) s += c[i] * c[i];
    a = c;
    if (r == 0) c = b + 2 * n * n;
  }
  return s;
}
/* a product of two slices that are overwritten then: what is read is the same for each row, or for each column */
static NOINLINE double squares(double *w, int n) {
  double *a = w, *b = w + n * n, *c = w + 2 * n * n, s = 0;
  for (int r = 0; r < 3; r++) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double t = 0.1 * r;
        for (int k = 0; k < n; k++) t += a[i * n + k] * b[k * n + j] * 0.2 + sin(a[i * n + k]);
        c[i * n + j] = t;
      }
    memcpy(a, c, sizeof(double) * n * n);
    for (int i = 0; i < n * n; i++) b[i] = 0.3 * c[i] * b[i], s += c[i] * c[i];
  }
  return s;
}
/* the same, and the last row of what is read is the first of what is written */
static NOINLINE double squares_meet(double *w, int n) {
  double *a = w, *c = w + n * n - n, s = 0;
  for (int r = 0; r < 2; r++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double t = 0;
        for (int k = 0; k < n; k++) t += a[i * n + k] * a[k * n + j] * 0.2 + sin(a[i * n + k]);
        c[i * n + j] = t * 0.3 + 0.1 * c[i * n + j], s += c[i * n + j] * c[i * n + j];
      }
  return s;
}
/* a reflection is read in every column, and one number of it is put back in the end */
static NOINLINE double reflections(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++) {
    double norm = 0.1;
    for (int i = k; i < n; i++) norm += a[i * n + k] * a[i * n + k];
    double alpha = -sqrt(norm), r = alpha * (alpha - a[k * n + k]);
    a[k * n + k] -= alpha;
    for (int j = k + 1; j < n; j++) {
      double f = 0;
      for (int i = k; i < n; i++) f += a[i * n + k] * a[i * n + j];
      for (int i = k; i < n; i++) a[i * n + j] -= f / r * a[i * n + k];
    }
    a[k * n + k] = alpha, s += alpha * (k + 1);
  }
  return s;
}

/* --- something is */

/* rows overlap by one */
static NOINLINE double overlapping(double *a, int n) {
  double s = 0;
  for (int i = 1; i < n; i++)
    for (int j = 0; j < n; j++) {
      a[i * (n - 1) + j] = sin(a[(i - 1) * (n - 1) + j]) * a[i * (n - 1) + j];
      s += a[i * (n - 1) + j] * a[i * (n - 1) + j];
    }
  return s;
}
/* the last column is the first of the row behind */
static NOINLINE double one_too_far(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double f = a[i * n + k] / (1 + a[k * n + k] * a[k * n + k]);
      for (int j = k + 1; j <= n; j++) a[i * n + j] -= f * a[k * n + j], s += f * a[k * n + j];
    }
  return s;
}
static NOINLINE double one_before(double *a, int n) {
  double s = 0;
  a++;
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++)
      for (int j = -1; j < n - k; j++) a[i * n + j] -= 0.1 * a[k * n + j] * a[i * n + j], s += sin(a[i * n + j]);
  return s;
}
/* the pivot may be any row */
static NOINLINE double any_pivot(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = 0; i < n; i++)
      if (fabs(a[i * n + k]) > 1.2 * fabs(a[p * n + k])) p = i;
    for (int j = 0; j < n; j++) {
      double t = a[k * n + j];
      a[k * n + j] = a[p * n + j] * 0.9, a[p * n + j] = t;
    }
    for (int i = k + 1; i < n; i++)
      for (int j = k; j < n; j++) a[i * n + j] -= 0.2 * a[k * n + j] * a[i * n + k], s += a[i * n + j] * a[k * n + j];
  }
  return s;
}
/* a pivot that goes on from the last one */
static NOINLINE double wandering(double *a, int n) {
  double s = 0;
  int p = 0;
  for (int k = 0; k < n; k++) {
    for (int i = k; i < n; i++)
      if (a[i * n + k] > a[p * n + k]) p = i;
    for (int j = 0; j < n; j++) a[p * n + j] = sin(a[k * n + j]) * a[p * n + j], s += a[p * n + j] * a[k * n + j];
  }
  return s;
}
/* all rows but one */
static NOINLINE double jordan(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++) {
    double d = a[k * n + k];
    for (int j = 0; j < n; j++) a[k * n + j] /= d;
    for (int i = 0; i < n; i++) {
      if (i == k) continue;
      double f = a[i * n + k];
      for (int j = 0; j < n; j++) a[i * n + j] -= f * a[k * n + j];
    }
  }
  for (int i = 0; i < n * n; i++) s += a[i] * a[i] * (i % 3 + 1);
  return s;
}
/* another row is left out than the one that is read */
static NOINLINE double another(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      if (i != k + 1)
        for (int j = 0; j < n; j++) a[i * n + j] -= 0.1 * sin(a[i * n + j]) * a[k * n + j];
  for (int i = 0; i < n * n; i++) s += a[i] * a[i] * (i % 3 + 1);
  return s;
}
/* two rows are left out, and both are read */
static NOINLINE double all_but_two(double *a, int n) {
  double s = 0;
  for (int k = 0; k + 1 < n; k++)
    for (int i = 0; i < n; i++)
      if (i != k && k + 1 != i)
        for (int j = 0; j < n; j++) a[i * n + j] -= 0.1 * a[(k + 1) * n + j] * sin(a[k * n + j]);
  for (int i = 0; i < n * n; i++) s += a[i] * a[i] * (i % 3 + 1);
  return s;
}
/* the row is left out in some columns only */
static NOINLINE double some_columns(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (i != k || j > 1) a[i * n + j] -= 0.1 * sin(a[i * n + j]) * a[k * n + j];
  for (int i = 0; i < n * n; i++) s += a[i] * a[i] * (i % 3 + 1);
  return s;
}
/* what is left out is read by all, and written behind that */
static NOINLINE double in_between(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++) {
      if (i == k)
        for (int j = 0; j < n; j++) a[k * n + j] = 0.3 * cos(a[k * n + j]) * a[k * n + j];
      else
        for (int j = 0; j < n; j++) a[i * n + j] -= 0.1 * a[k * n + j] * a[i * n + j];
    }
  for (int i = 0; i < n * n; i++) s += a[i] * a[i] * (i % 3 + 1);
  return s;
}
/* each number is moved by all others, at once or one behind the other */
static NOINLINE double by_all_others(double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++)
      if (k != i) a[i] -= 0.05 * sin(a[i] - a[k]), a[n * n - 1 - i] += 0.01 * a[i] * a[k];
  for (int i = 0; i < n * n; i++) s += a[i] * a[i] * (i % 3 + 1);
  return s;
}
/* the diagonal stays, the rest is scaled by it */
static NOINLINE double beside_the_diagonal(double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if (i != j) a[i * n + j] = sin(a[i * n + j]) * a[i * n + i] + 0.1 * a[j * n + j];
  for (int i = 0; i < n * n; i++) s += a[i] * a[i] * (i % 3 + 1);
  return s;
}
static NOINLINE double shortest(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++) {
        double through = a[i * n + k] + a[k * n + j];
        a[i * n + j] = 0.9 * a[i * n + j] + 0.1 * sin(through);
      }
  for (int i = 0; i < n * n; i++) s += a[i] * a[i] * (i % 3 + 1);
  return s;
}
/* two rows in turn, three rows in turn */
static NOINLINE double in_turn(double *a, int n) {
  double s = 0;
  for (int t = 1; t < n; t++)
    for (int j = 0; j < n; j++) {
      double x = a[(t - 1) % 2 * n + j], y = a[(t + 1) % 3 * n + (j + 1) % n];
      a[t % 2 * n + j] = sin(x) * y + 0.3 * a[t % 3 * n + j], s += a[t % 2 * n + j] * x;
    }
  return s;
}
/* the transpose of what is written */
static NOINLINE double transposed(double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) a[i * n + j] = 0.4 * a[j * n + i] * a[j * n + i] + 0.3 * a[i * n + j], s += a[j * n + i];
  return s;
}
/* row k again at the very end, or by a pointer */
static NOINLINE double at_the_end(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++) {
    for (int i = k + 1; i < n; i++)
      for (int j = 0; j < n; j++) a[i * n + j] -= 0.1 * a[k * n + j] * a[i * n + k];
    if (k == n - 1)
      for (double *at = a; at < a + n; at++) *at = sin(*at), s += *at;
  }
  for (int i = 0; i < n * n; i++) s += a[i] * a[i] * (i % 3 + 1);
  return s;
}
/* the bounds are in what is written */
static NOINLINE double bounds_change(double *a, int n) {
  double s = 0;
  int last[2] = {n, 0};
  for (int k = 0; k < n; k++) {
    for (int i = last[1]; i < last[0]; i++)
      for (int j = 0; j < n; j++) a[i * n + j] += 0.1 * sin(a[k * n + j]) * a[i * n + k], s += a[i * n + j] * a[k * n + j];
    last[1] = a[k * n + k] > 1.5 ? k : k + 1;
    if (last[1] > n) last[1] = n;
  }
  return s;
}
/* every round starts one row further back */
static NOINLINE double backwards(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++)
    for (int i = n - 1 - k; i < n; i++)
      for (int j = 0; j < n; j++) a[i * n + j] = 0.5 * a[i * n + j] + 0.2 * a[k * n + j] * a[i * n + k], s += a[i * n + j];
  return s;
}
/* steps of two elements that meet in every other row, if n is odd */
static NOINLINE double by_twos(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++)
    for (int j = 0; j + 1 < n; j += 2) {
      double x = a[k * n + j], y = a[k * n + j + 1];
      a[(k + 1) * n + j] = sin(x) * a[(k + 1) * n + j], a[(k + 1) * n + j + 2] -= 0.2 * y * x;
      s += a[(k + 1) * n + j] * a[k * n + j + 2];
    }
  return s;
}
/* the row behind the next one */
static NOINLINE double two_ahead(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++) a[(k + 1) * n + j] = 0.3 * sin(a[(k + 2) * n + j]) * a[k * n + j], s += a[(k + 1) * n + j];
  return s;
}
/* words of 64 bits that turn around, and are asked for their sign: what seems to be a contradiction proves nothing */
static NOINLINE double turned_around(double *a, int n) {
  double s = 0;
  uint64_t state = 12345;
  for (int k = 0; k + 1 < n; k++) {
    uint64_t twice = state * 6364136223846793005u;
    if ((int64_t)state >= 0 && (int64_t)twice < 0)
      for (int j = 0; j < n; j++) a[j] = sin(a[j]) * a[j] + 0.1 * a[k * n + j], s += a[j] * (k + 1);
    if ((int64_t)state < 0 && (int64_t)(state + (1ull << 63)) > 0)
      for (int j = 0; j < n; j++) a[k * n + j] *= 0.5 + a[(n - 1 - k) * n + j] * a[k * n + j];
    state = state * 6364136223846793005u + 1442695040888963407u;
  }
  return s;
}
/* pairs that overlap by half */
typedef double two __attribute__((vector_size(16), aligned(8)));
static NOINLINE double halves(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++)
    for (int j = 1; j + 1 < n; j += 2) {
      two p = *(two *)(a + k * n + j), q = {p[0] * p[0], p[1] * p[0]};
      *(two *)(a + k * n + j - 1) = q * p, s += q[0] * q[1];
    }
  return s;
}
/* rows by pointers that are looked up, and move against the index */
static NOINLINE double looked_up(double *a, int n) {
  double *at[4] = {a + 12, a + 8, a + 4, a}, s = 0;
  for (int k = 0; k < n; k++) {
    double *row = at[k & 3];
    for (int j = 0; j < 4; j++) row[4 * k + j] = sin(row[4 * k + j]) * row[4 * k + (j + 1) % 4], s += row[4 * k + j];
  }
  return s;
}
/* what was chosen in an earlier round of a loop that runs down */
static NOINLINE double from_before(double *a, int n) {
  double s = 0;
  int p = 0;
  for (int i = n - 2; i >= 0; i--) {
    if (i < n - 2)
      for (int j = 0; j < n; j++) s += sin(a[p * n + j]) * a[p * n + j];
    for (int j = 0; j < n; j++) a[(n - 1) * n + j] = 0.3 * sin(a[(n - 1) * n + j]) + a[i * n + j];
    if (a[i * n + i] > 1 - 0.3 * i) p = i + 1;
  }
  return s;
}
/* the first row, or that of the round */
static NOINLINE double either_row(double *a, int n) {
  double s = 0;
  for (int k = 0; k < n; k++) {
    double *row = a;
    if (a[k * n + k] * (k + 2) > 3 + 0.1 * n) {
      s += sin(a[k * n + k]);
      row = a + k * n;
    } else
      s -= cos(a[k * n + k]);
    for (int j = 0; j < n; j++) s += a[k * n + j] * a[k * n + j];
    for (int j = 0; j < n; j++) row[j] = 0.2 * row[j] * row[j] + 0.1 * a[k * n + j];
  }
  return s;
}
/* eight bits turn around */
static NOINLINE double eight_bits(double *a, int n) {
  double s = 0;
  a += 128;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++) {
      int at = (signed char)(64 * k);
      a[at + j] = sin(a[at + j]) * a[at + j], s += a[at + j] * (k + 1);
    }
  return s;
}
struct pair {
  double one, two;
};
static NOINLINE double pairs(double *a, int n) {
  double s = 0;
  for (int k = 0; k + 1 < n; k++)
    for (int j = 0; 2 * j + 2 < n; j++) {
      struct pair p = *(struct pair *)(a + k * n + 2 * j + k % 2), q;
      q.one = sin(p.two) * p.one, q.two = p.one * 0.3 + a[(k + 1) * n + 2 * j];
      *(struct pair *)(a + (k + 1) * n + 2 * j) = q, s += q.one * p.two + q.two;
    }
  return s;
}

#define EACH(do)                                                                                                       \
  do(elimination) do(pivoted) do(cholesky) do(by_columns) do(without_sign) do(narrow_unsigned) do(upwards) do(table)   \
  do(three_deep) do(packed) do(band) do(slices) do(overlapping) do(one_too_far) do(one_before) do(any_pivot)           \
  do(wandering) do(jordan) do(shortest) do(in_turn) do(transposed) do(at_the_end) do(bounds_change) do(backwards)      \
  do(by_twos) do(pairs) do(two_ahead) do(halves) do(looked_up) do(from_before) do(either_row) do(eight_bits) \
  do(turned_around) do(squares) do(squares_meet) do(reflections) do(another)                                           \
  do(all_but_two) do(some_columns) do(in_between) do(by_all_others) do(beside_the_diagonal)

#define ON_ROOM(name)                                                                                                  \
  static NOINLINE double on_##name(const double *x) {                                                                  \
    double room[ROOM];                                                                                                 \
    for (int i = 0; i < ROOM; i++) room[i] = 0.2 * x[i % SIZE] * (1 + i % 11 * 0.05) + 0.01 * x[i * 7 % SIZE];         \
    for (int i = 0; i < rows; i++) room[i * rows + i] += 1 + 0.1 * rows + x[i % SIZE];                                 \
    return name(room, rows);                                                                                           \
  }
EACH(ON_ROOM)
#define ONE_DERIVED(name) DERIVED(on_##name)
EACH(ONE_DERIVED)

int main(void) {
  static const int sizes[][2] = {{1, 1}, {2, 3}, {3, 2}, {5, 4}, {8, 6}, {13, 9}, {4, 1}};
  double x[SIZE];
  for (int i = 0; i < SIZE; i++) x[i] = 0.6 + 0.3 * cos(1.3 * i + 0.4);
  for (int i = 0; i < COUNT(sizes); i++) {
    rows = sizes[i][0], width = sizes[i][1];
#define ONE(name) CHECK_DERIVED(on_##name, x);
    EACH(ONE)
  }
  return check_done();
}
