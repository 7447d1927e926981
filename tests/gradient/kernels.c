/* Small functions that each stress one thing in the synthesis. All read and may change x[0..15]; all work for every n.
   The double they return and what they leave in x are their results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SOLID __attribute__((noinline))

/* --- loops ------------------------------------------------------------------------------------------------------ */

double huge_count(double *x, int n) { /* unsigned bound that is huge for n < 1: left at once by the other exit */
  double s = 0;
  for (unsigned i = 0; i < (unsigned)n - 1u; i++) {
    if (i >= 9) break;
    s += x[i] * x[i + 1];
  }
  return s;
}

double hoisted_bound(double *x, int n) { /* n - 2 is negative for small n */
  double s = 1;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < n - 2; i++) s = sin(s * x[i % 16]) + x[(i + 2) % 16] * s;
  return s;
}

double out_of_two(double *x, int n) { /* goto leaves two loops at once, from two places */
  double s = 0;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 4; j++) {
      s += x[i % 16] * x[j] * s + x[j];
      if (s > 60) goto big;
      if (i * j == 12) goto done;
    }
    s *= x[(i + 3) % 16];
  }
  s += x[0];
  goto done;
big:
  s = log(s) * x[1];
done:
  return s * x[2];
}

double out_of_three(double *x, int n) {
  double s = 1, t = 0;
  for (int i = 0; i < n; i++) {
    for (int j = i; j < n; j++) {
      for (int k = j; k < n + 3; k++) {
        s = s * 0.9 + x[k % 16] * x[i % 16];
        if (k == 8) goto out;
        if (s > 2.5) break;
        if (j == 5 && k == 6) goto next;
      }
      t += s * s;
    }
  next:
    t *= x[i % 16];
  }
out:
  return s * t + t;
}

double breaks(double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    if (i % 3 == 1) continue;
    double p = 1;
    for (int j = 0;; j++) {
      p *= x[(i + j) % 16];
      if (p < 0.4 || j > 5) break;
      if (j % 2) continue;
      p = sqrt(p) + 0.01 * x[j];
    }
    s += p;
    if (s > 9) break;
  }
  return s;
}

double branch_loop_branch(double *x, int n) {
  double s = x[0];
  for (int i = 0; i < n; i++) {
    if (x[i % 16] > 0.9) {
      for (int j = 0; j < i; j++) {
        if (j & 1) s += x[j % 16] * s * 0.1;
        else s -= x[j % 16] * x[i % 16];
      }
      s = s * x[1];
    } else if (x[i % 16] > 0.7)
      s = exp(-s * s) + x[i % 16];
  }
  return s;
}

double triangular(double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double p = 1;
    for (int j = 0; j <= i; j++) p = p * x[j % 16] + 0.1;
    s += p * p;
  }
  return s;
}

double data_length(double *x, int n) { /* the inner trip count hangs on values that change */
  double s = x[0];
  for (int i = 0; i < n; i++) {
    int m = (int)(4 * s * s) % 5;
    for (int j = 0; j < m; j++) s = s * x[j] + 0.2 * x[i % 16];
    s = sin(s) + x[i % 16];
  }
  return s;
}

double newton(double *x, int n) {
  double y = x[0] + 1;
  while (fabs(y * y - x[1]) > 1e-14) y = 0.5 * (y + x[1] / y);
  return y * n + x[2];
}

double do_while(double *x, int n) {
  double s = 1;
  int i = n;
  do {
    s = s * x[(i & 15)] + x[3];
    i -= 2;
  } while (i > 0);
  return s;
}

double counted_down(double *x, int n) {
  double s = 0;
  for (long i = n; i-- > 0;) s = s * 0.5 + x[i % 16] * x[i % 16];
  return s;
}

double stepped(double *x, int n) {
  double s = 1;
  for (unsigned char i = 250; i != (unsigned char)(250 + 3 * 4); i += 3) s *= x[i & 15] + 0.1 * n; /* wraps */
  for (int i = 1; i < n * n; i *= 2) s += x[i & 15] * s;
  return s;
}

double swapped_phis(double *x, int n) {
  double a = x[0], b = x[1], c = x[2];
  for (int i = 0; i < n; i++) {
    double t = a;
    a = b * x[i % 16];
    b = c;
    c = t;
  }
  return a * 2 + b * b + sin(c);
}

double pointer_phi(double *x, int n) { /* two pointers that trade places */
  double u[16], v[16], *p = u, *q = v;
  for (int i = 0; i < 16; i++) u[i] = x[i], v[i] = 0;
  for (int k = 0; k < n; k++) {
    for (int i = 1; i < 15; i++) q[i] = p[i] * p[i + 1] - 0.3 * p[i - 1];
    q[0] = p[15], q[15] = p[0];
    double *t = p;
    p = q, q = t;
  }
  return p[3] * p[4] + q[5];
}

double while_pointer(double *x, int n) {
  double s = 1;
  for (double *p = x, *e = x + (n > 0 ? n : 0); p < e; p += 2) s = s * *p + 1 / (*p + s);
  return s;
}

/* --- memory ------------------------------------------------------------------------------------------------------ */

double in_place(double *x, int n) {
  for (int k = 0; k < 3; k++)
    for (int i = 1; i < n; i++) x[i % 16] = x[i % 16] * x[(i - 1) % 16] + 0.1;
  return x[3];
}

double carried_load(double *x, int n) { /* the optimiser carries x[i] over to the next iteration */
  for (int i = 0; i + 1 < n && i < 15; i++) x[i + 1] = sin(x[i]) * x[i + 1];
  return x[2] * x[4];
}

double square_in_place(double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double t = x[i % 16];
    s += t * t;
    x[i % 16] = t * t * t;
  }
  for (int i = 0; i < n; i++) s *= x[i % 16];
  return s;
}

double scratch(double *x, int n) {
  double *t = malloc(16 * sizeof *t), *u = calloc(16, sizeof *u), s = 0;
  for (int i = 0; i < 16; i++) t[i] = x[i] * x[i];
  for (int i = 0; i < n; i++) {
    u[i % 16] += t[(i * 3) % 16] * x[i % 16];
    t[i % 16] = u[i % 16] * 0.5;
  }
  for (int i = 0; i < 16; i++) s += t[i] * u[i];
  free(t);
  free(u);
  return s;
}

double malloc_in_loop(double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double *t = malloc((i + 1) * sizeof *t);
    for (int j = 0; j <= i; j++) t[j] = x[j % 16] * x[i % 16];
    for (int j = 0; j <= i; j++) s += t[j] * t[i - j];
    free(t);
  }
  return s;
}

double early_return(double *x, int n) {
  double *t = malloc(16 * sizeof *t);
  for (int i = 0; i < 16; i++) t[i] = x[i] * x[i];
  if (n < 1) {
    free(t);
    return x[0];
  }
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += t[i % 16] * t[0];
    if (s > 3) {
      double r = s * t[i % 16];
      free(t);
      return r;
    }
  }
  free(t);
  return s;
}

double variable_array(double *x, int n) {
  double s = 0;
  for (int k = 1; k < 4; k++) {
    double t[(n > 0 ? n : 1) + k];
    t[0] = x[k];
    for (int i = 1; i < n + k; i++) t[i] = t[i - 1] * x[i % 16] + 0.3;
    s += n + k > 1 ? t[n + k - 1] * t[(n + k) / 2] : 0;
  }
  return s;
}

typedef struct {
  double a, b, c;
} Triple;

double sorted_structs(double *x, int n) { /* selection sort copies an element onto itself */
  Triple t[5];
  for (int i = 0; i < 5; i++) t[i] = (Triple){x[i], x[i + 5] * x[i], x[i + 10]};
  for (int i = 0; i < 5; i++) {
    int m = i;
    for (int j = i + 1; j < 5; j++)
      if (t[j].a < t[m].a) m = j;
    Triple u = t[i];
    t[i] = t[m];
    t[m] = u;
  }
  double s = 0;
  for (int i = 0; i < 5; i++) s += t[i].a * t[i].b * (i + 1) + t[i].c * i * n;
  return s;
}

double memory_functions(double *x, int n) {
  double t[16], u[16];
  memset(u, 0, sizeof u);
  memcpy(t, x, sizeof t);
  for (int i = 0; i < n; i++) u[i % 16] += t[i % 16] * t[(i + 1) % 16];
  memmove(t + 2, t, 10 * sizeof *t);
  if (n > 0) memcpy(t, u, (n < 8 ? n : 8) * sizeof *t);
  double s = 0;
  for (int i = 0; i < 16; i++) s += t[i] * t[i] + u[i];
  return s;
}

double ints_grow(double *x, int n) { /* an index list that realloc moves */
  int *at = malloc(sizeof *at), count = 0;
  double s = 1;
  for (int i = 0; i < n; i++) {
    if (x[i % 16] < 0.6) continue;
    at = realloc(at, (count + 1) * 64 * sizeof *at);
    at[count++] = (i * 5) % 16;
    s *= x[at[count / 2 < count ? count / 2 : 0]] + 0.2;
  }
  for (int i = 0; i < count; i++) s += x[at[i]] * s * 0.1;
  free(at);
  return s;
}

double mixed_formats(double *x, int n) {
  float f[16], s = 0;
  for (int i = 0; i < 16; i++) f[i] = (float)x[i];
  for (int i = 0; i < 16; i++) x[i] = x[i] * (double)f[i] + (double)(float)n * 0.1;
  double t = 0;
  for (int i = 0; i < n; i++) t += x[i % 16] * (double)f[0];
  (void)s;
  return t;
}

typedef union {
  double d;
  unsigned long long u;
} Bits;

double as_integers(double *x, int n) {
  Bits b[16];
  unsigned long long moved[16];
  for (int i = 0; i < 16; i++) b[i].d = x[i] * x[(i + 1) % 16];
  for (int i = 0; i < 16; i++) moved[i] = b[15 - i].u;
  double s = 0, v;
  for (int i = 0; i < n; i++) {
    memcpy(&v, &moved[i % 16], 8);
    s += v * x[i % 16];
  }
  return s;
}

double struct_with_int(double *x, int n) {
  struct Node {
    double w;
    int next;
    float small;
  } t[16];
  for (int i = 0; i < 16; i++) t[i] = (struct Node){x[i] * x[i], (i * 7 + 1) % 16, 0};
  double s = 0;
  int at = 0;
  for (int i = 0; i < n; i++) {
    s = s * 0.5 + t[at].w;
    t[at].w *= s;
    at = t[at].next;
  }
  return s;
}

/* --- decisions --------------------------------------------------------------------------------------------------- */

double shared_cases(double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double v = x[i % 16];
    switch ((i * 7) % 11) {
      case 0: case 3: case 9: s += v * v; break;
      case 1: s *= v; /* falls through */
      case 2: s += sin(v); break;
      case 4: continue;
      case 100: return s;
      default: s -= v * s;
    }
    s += 0.5 * v;
  }
  return s;
}

double switch_of_loops(double *x, int n) {
  double s = 1;
  for (int i = 0; i < n; i++) switch (i & 3) {
      case 0:
        for (int j = 0; j < i; j++) s += x[j % 16] * 0.3;
        break;
      case 1:
        while (s > 1.5) s *= 0.5 * x[0];
        break;
      case 2: goto odd;
      default:
      odd:
        s = s * x[i % 16] + 1;
    }
  return s;
}

double comma_and_or(double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    if ((x[i % 16] > 0.8 && x[(i + 1) % 16] < 1.2) || (i > 2 && s > 1)) s += x[i % 16] * x[0];
    else s += (x[i % 16] > x[3] ? x[i % 16] : x[3]) * (s < 1 ? x[4] : -s);
  return s;
}

double state_machine(double *x, int n) {
  double s = 1;
  int state = 0;
  for (int i = 0; i < n; i++) {
    if (state == 0) { s += x[i % 16]; state = x[i % 16] > 0.9 ? 1 : 2; }
    else if (state == 1) { s *= x[i % 16]; state = s > 1.5 ? 2 : 0; }
    else { s = sqrt(fabs(s)) + x[i % 16] * s; state = i & 1; }
  }
  return s;
}

/* --- calls ------------------------------------------------------------------------------------------------------- */

SOLID static double power(double v, int k) { return k <= 0 ? 1 : k % 2 ? v * power(v, k - 1) : power(v * v, k / 2); }
double recursion(double *x, int n) { return power(x[0], n < 12 ? n : 12) + power(x[1] * x[2], 3); }

SOLID static double tree(double *v, int lo, int hi) { /* recursion that overwrites its input */
  if (hi - lo == 1) return v[lo] * v[lo];
  int m = (lo + hi) / 2;
  double a = tree(v, lo, m);
  v[m] *= a;
  double b = tree(v, m, hi);
  v[lo] = 0.1 * (a + b);
  return sin(a * b) + v[m];
}
double recursion_in_place(double *x, int n) { return n > 0 ? tree(x, 0, n < 16 ? n : 16) : x[0]; }

SOLID static double *table(const double *v, int n, double *sum) { /* memory that the caller changes afterwards */
  double *t = malloc(16 * sizeof *t), s = 0;
  for (int i = 0; i < 16; i++) t[i] = v[i] * v[i];
  for (int i = 0; i < n; i++) s += t[i % 16] * t[(i + 1) % 16];
  *sum = s;
  return t;
}
double returned_table(double *x, int n) {
  double s = 0, *t = table(x, n, &s);
  for (int i = 0; i < 16; i++) t[i] = t[i] * 2 + s;
  s += t[2] * t[3];
  free(t);
  return s;
}

SOLID static void scale(double *v, double by, int n) {
  for (int i = 0; i < n; i++) v[i % 16] *= by * v[(i + 1) % 16];
}
double callee_overwrites(double *x, int n) {
  double s = x[0] * x[1];
  scale(x, s, n);
  s += x[0];
  scale(x, x[2], n);
  return s * x[1];
}

typedef struct {
  double v[6];
  int k;
} Big;
SOLID static double by_value(Big b, double w) { /* changes its own copy */
  double s = 0;
  for (int i = 0; i < 6; i++) {
    b.v[i] *= b.v[(i + b.k) % 6] * w;
    s += b.v[i];
  }
  return s;
}
double struct_by_value(double *x, int n) {
  Big b;
  b.k = 1 + (n & 1);
  for (int i = 0; i < 6; i++) b.v[i] = x[i] * x[i + 6];
  double s = by_value(b, x[12]);
  s += by_value(b, x[13]) * b.v[0];
  return s * b.v[1];
}

SOLID static Big make_big(const double *v, double w) {
  Big b = {{v[0] * w, v[1], w, v[0] * v[1], 1, v[2]}, 2};
  return b;
}
double struct_returned(double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    Big b = make_big(x + i % 8, x[15]);
    s = s * b.v[i % 6] + b.v[5] * b.v[3];
  }
  return s;
}

SOLID static Triple twist(Triple t, double w) { return (Triple){t.b * w, t.c, t.a * t.b}; }
SOLID static void pair_out(double a, double b, double *p, double *q) { *p = a * b, *q = a / b; }
double small_struct(double *x, int n) {
  Triple t = {x[0], x[1], x[2]};
  for (int i = 0; i < n; i++) {
    t = twist(t, x[i % 16]);
    pair_out(t.a, t.b, &t.c, &t.b);
  }
  return t.a + t.b * t.c;
}

SOLID static double unknown_trips(double v, double *w) { /* grows a tape in split mode */
  double s = v;
  int k = 0;
  while (s < 5 && k < 100) {
    s += s * fabs(w[k % 16]) * 0.5;
    k++;
  }
  w[k % 16] *= 0.2 * s;
  return sin(s);
}
double split_tapes(double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    s += unknown_trips(x[i % 16], x);
    if (s > 40) s = sqrt(s) + unknown_trips(0.1 * s, x);
  }
  return s;
}

SOLID static double mutual_a(double v, double *w, int k);
SOLID static double mutual_b(double v, double *w, int k) { return k < 1 ? v * w[0] : (w[k] *= v, mutual_a(v * w[k], w, k - 1)); }
SOLID static double mutual_a(double v, double *w, int k) { return k < 1 ? v + w[1] : mutual_b(sin(v) * w[k], w, k - 1) * v; }
double mutual(double *x, int n) { return mutual_a(x[3], x, n < 9 ? n : 9); }

SOLID static double *chosen(double *a, double *b, int k) { return k ? a : b; }
double pointer_result(double *x, int n) {
  double t[8], s = 0;
  for (int i = 0; i < 8; i++) t[i] = x[i] * x[i + 8];
  for (int i = 0; i < n; i++) {
    double *p = chosen(x, t, i & 1);
    s += p[i % 8] * s + p[0];
    p[i % 8] *= 0.5 * s;
  }
  return s;
}

SOLID static double *stored(double *p, double w) {
  *p *= w;
  return p + 1;
}
double walking_pointer(double *x, int n) { /* a call gives the pointer that the next iteration passes to it */
  double *p = x;
  for (int i = 0; i < n && i < 15; i++) p = stored(p, x[i + 1]);
  return *p * x[0];
}

SOLID static int first_above(const double *v, double w) {
  for (int i = 0; i < 16; i++)
    if (v[i] > w) return i;
  return 0;
}
double found_by_callee(double *x, int n) {
  double s = 0.5;
  for (int i = 0; i < n; i++) {
    int k = first_above(x, s);
    s = 0.6 * s + 0.4 * x[k] * x[i % 16];
    x[k] *= 0.9;
  }
  return s;
}

SOLID static void quicksort(double *v, int lo, int hi) {
  if (lo >= hi) return;
  double p = v[(lo + hi) / 2];
  int i = lo, j = hi;
  while (i <= j) {
    while (v[i] < p) i++;
    while (v[j] > p) j--;
    if (i <= j) {
      double t = v[i];
      v[i++] = v[j];
      v[j--] = t;
    }
  }
  quicksort(v, lo, j);
  quicksort(v, i, hi);
}
double sorted(double *x, int n) {
  quicksort(x, 0, n < 1 ? 0 : n > 16 ? 15 : n - 1);
  double s = 0;
  for (int i = 0; i < n; i++) s += x[i % 16] * x[i % 16] * (i + 1);
  return s;
}

SOLID static void local_scratch(const double *v, double *r, int n) {
  double t[16];
  for (int i = 0; i < 16; i++) t[i] = v[i] * v[15 - i];
  for (int i = 1; i < n; i++) t[i % 16] = t[(i - 1) % 16] * t[i % 16];
  for (int i = 0; i < 16; i++) r[i] += t[i];
}
double split_stack(double *x, int n) {
  double r[16] = {0};
  for (int k = 0; k < 2; k++) local_scratch(x, r, n);
  double s = 0;
  for (int i = 0; i < 16; i++) s += r[i] * r[i];
  return s;
}

typedef struct {
  double *data;
  int n;
  double scale;
} View;
SOLID static double through(View *v) {
  double s = 0;
  for (int i = 0; i < v->n; i++) {
    s += v->data[i % 16] * v->scale;
    v->data[i % 16] = s;
  }
  v->scale *= s;
  return s;
}
double pointer_in_struct(double *x, int n) {
  View v = {x, n, x[15]};
  double s = through(&v);
  v.n = n / 2;
  return s * through(&v) + v.scale;
}
