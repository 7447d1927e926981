/* Programs as people write them in C: nothing is promised of arrays; helpers, structs, work arrays, indices that are
 * looked up, loops that end early, blocks that come and go. Each is `double f(double *x, double *w, int *ind, int n)`:
 * of x the gradient is asked, w is room to work in, ind holds indices from 0 to n - 1. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "everyday.h"

/* ---- conjugate gradients, matrix in compressed rows; ind holds pointers to rows, then columns ---- */
static void spmv(int n, const int *row, const int *col, const double *val, const double *x, double *y) {
  for (int i = 0; i < n; i++) {
    double s = 0;
    for (int k = row[i]; k < row[i + 1]; k++) s += val[k] * x[col[k]];
    y[i] = s;
  }
}
static double dot(int n, const double *a, const double *b) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}
FUNCTION cg(double *x, double *w, int *ind, int n) {
  const int *row = ind, *col = ind + n + 1;
  double *val = x, *b = x + 3 * n, *u = w, *r = w + n, *p = w + 2 * n, *q = w + 3 * n;
  for (int i = 0; i < n; i++) u[i] = 0, r[i] = p[i] = b[i];
  double rr = dot(n, r, r);
  for (int it = 0; it < 10; it++) {
    spmv(n, row, col, val, p, q);
    double alpha = rr / dot(n, p, q);
    for (int i = 0; i < n; i++) u[i] += alpha * p[i], r[i] -= alpha * q[i];
    double next = dot(n, r, r), beta = next / rr;
    rr = next;
    for (int i = 0; i < n; i++) p[i] = r[i] + beta * p[i];
  }
  return dot(n, u, b);
}

/* ---- a network of layers in structs ---- */
struct dense { int in, out; double *w, *b, *y; };
struct net { int count; struct dense layers[3]; };
static void forward(struct net *net, double *x) {
  for (int l = 0; l < net->count; l++) {
    struct dense *d = &net->layers[l];
    for (int i = 0; i < d->out; i++) {
      double s = d->b[i];
      for (int j = 0; j < d->in; j++) s += d->w[i * d->in + j] * x[j];
      d->y[i] = l + 1 < net->count ? tanh(s) : s;
    }
    x = d->y;
  }
}
FUNCTION mlp(double *x, double *w, int *ind, int n) {
  struct net net;
  net.count = 3;
  double *at = x, *out = w;
  for (int l = 0; l < 3; l++) {
    struct dense *d = &net.layers[l];
    d->in = n, d->out = l == 2 ? 10 : n, d->w = at, d->b = at + d->in * d->out, d->y = out;
    at = d->b + d->out, out += n;
  }
  double loss = 0;
  for (int s = 0; s < 10; s++) {
    forward(&net, at + s * n);
    double *y = net.layers[2].y, most = y[0], sum = 0;
    for (int i = 1; i < 10; i++) if (y[i] > most) most = y[i];
    for (int i = 0; i < 10; i++) sum += exp(y[i] - most);
    loss += log(sum) + most - y[ind[s] % 10];
  }
  return loss;
}

/* ---- a block of a transformer, T tokens of C channels, 4 heads ---- */
static void matmul(double *out, double *in, double *weight, double *bias, int T, int C, int O) {
  for (int t = 0; t < T; t++)
    for (int o = 0; o < O; o++) {
      double s = bias[o];
      for (int c = 0; c < C; c++) s += in[t * C + c] * weight[o * C + c];
      out[t * O + o] = s;
    }
}
static void layernorm(double *out, double *in, double *weight, double *bias, int T, int C) {
  for (int t = 0; t < T; t++) {
    double m = 0, v = 0;
    for (int c = 0; c < C; c++) m += in[t * C + c];
    m /= C;
    for (int c = 0; c < C; c++) v += (in[t * C + c] - m) * (in[t * C + c] - m);
    double s = 1 / sqrt(v / C + 1e-5);
    for (int c = 0; c < C; c++) out[t * C + c] = s * (in[t * C + c] - m) * weight[c] + bias[c];
  }
}
static void attention(double *out, double *att, double *qkv, int T, int C, int heads) {
  int hs = C / heads;
  double scale = 1 / sqrt((double)hs);
  for (int t = 0; t < T; t++)
    for (int h = 0; h < heads; h++) {
      double *q = qkv + t * 3 * C + h * hs, *a = att + (h * T + t) * T, most = -1e30, sum = 0;
      for (int u = 0; u <= t; u++) {
        double *k = qkv + u * 3 * C + h * hs + C, s = 0;
        for (int i = 0; i < hs; i++) s += q[i] * k[i];
        s *= scale;
        if (s > most) most = s;
        a[u] = s;
      }
      for (int u = 0; u <= t; u++) sum += a[u] = exp(a[u] - most);
      for (int u = 0; u <= t; u++) a[u] /= sum;
      double *o = out + t * C + h * hs;
      for (int i = 0; i < hs; i++) o[i] = 0;
      for (int u = 0; u <= t; u++) {
        double *v = qkv + u * 3 * C + h * hs + 2 * C;
        for (int i = 0; i < hs; i++) o[i] += a[u] * v[i];
      }
    }
}
FUNCTION gpt(double *x, double *w, int *ind, int n) {
  int T = n, C = 32, heads = 4;
  double *in = x, *l1w = in + T * C, *l1b = l1w + C, *wq = l1b + C, *bq = wq + 3 * C * C, *wp = bq + 3 * C, *bp = wp + C * C,
         *wf = bp + C, *bf = wf + 4 * C * C, *wo = bf + 4 * C, *bo = wo + 4 * C * C;
  double *ln = w, *qkv = ln + T * C, *att = qkv + 3 * T * C, *o = att + heads * T * T, *res = o + T * C, *ff = res + T * C, *ge = ff + 4 * T * C, *out = ge + 4 * T * C;
  layernorm(ln, in, l1w, l1b, T, C);
  matmul(qkv, ln, wq, bq, T, C, 3 * C);
  attention(o, att, qkv, T, C, heads);
  matmul(res, o, wp, bp, T, C, C);
  for (int i = 0; i < T * C; i++) res[i] += in[i];
  layernorm(ln, res, l1w, l1b, T, C);
  matmul(ff, ln, wf, bf, T, C, 4 * C);
  for (int i = 0; i < 4 * T * C; i++) ge[i] = 0.5 * ff[i] * (1 + tanh(0.7978845608 * (ff[i] + 0.044715 * ff[i] * ff[i] * ff[i])));
  matmul(out, ge, wo, bo, T, 4 * C, C);
  double loss = 0;
  for (int i = 0; i < T * C; i++) loss += (out[i] + res[i]) * (out[i] + res[i]);
  return loss / T;
}

/* ---- a convolution of 4 to 8 channels, rectified, pooled ---- */
FUNCTION conv(double *x, double *w, int *ind, int n) {
  double *image = x, *kernel = x + 4 * n * n, *out = w, loss = 0;
  int m = n - 2;
  for (int f = 0; f < 8; f++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) {
        double s = 0;
        for (int c = 0; c < 4; c++)
          for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) s += image[(c * n + i + a) * n + j + b] * kernel[((f * 4 + c) * 3 + a) * 3 + b];
        out[(f * m + i) * m + j] = s > 0 ? s : 0.01 * s;
      }
  for (int f = 0; f < 8; f++)
    for (int i = 0; i + 1 < m; i += 2)
      for (int j = 0; j + 1 < m; j += 2) {
        double *o = out + (f * m + i) * m + j;
        double most = fmax(fmax(o[0], o[1]), fmax(o[m], o[m + 1]));
        loss += most * most;
      }
  return loss;
}

/* ---- Lennard-Jones with a list of neighbours and a cutoff, structs of three numbers, velocity Verlet ---- */
struct vec { double x, y, z; };
static double forces(const struct vec *at, struct vec *f, const int *ind, int n) {
  double energy = 0;
  for (int i = 0; i < n; i++) f[i].x = f[i].y = f[i].z = 0;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 12; k++) {
      int j = ind[12 * i + k];
      if (j == i) continue;
      struct vec d = {at[i].x - at[j].x, at[i].y - at[j].y, at[i].z - at[j].z};
      double r2 = d.x * d.x + d.y * d.y + d.z * d.z;
      if (r2 > 40) continue;
      double i2 = 1 / r2, i6 = i2 * i2 * i2, g = 24 * i2 * i6 * (2 * i6 - 1);
      energy += 4 * i6 * (i6 - 1);
      f[i].x += g * d.x, f[i].y += g * d.y, f[i].z += g * d.z;
      f[j].x -= g * d.x, f[j].y -= g * d.y, f[j].z -= g * d.z;
    }
  return energy;
}
FUNCTION lj(double *x, double *w, int *ind, int n) {
  struct vec *start = (struct vec *)x, *at = (struct vec *)w, *v = at + n, *f = v + n;
  double energy = 0;
  for (int i = 0; i < n; i++) at[i] = start[i], v[i].x = v[i].y = v[i].z = 0;
  forces(at, f, ind, n);
  for (int s = 0; s < 10; s++) {
    for (int i = 0; i < n; i++) {
      v[i].x += 5e-5 * f[i].x, v[i].y += 5e-5 * f[i].y, v[i].z += 5e-5 * f[i].z;
      at[i].x += 1e-4 * v[i].x, at[i].y += 1e-4 * v[i].y, at[i].z += 1e-4 * v[i].z;
    }
    energy += forces(at, f, ind, n);
    for (int i = 0; i < n; i++) v[i].x += 5e-5 * f[i].x, v[i].y += 5e-5 * f[i].y, v[i].z += 5e-5 * f[i].z;
  }
  return energy;
}

/* ---- a wave in two dimensions, buffers that change places ---- */
FUNCTION wave(double *x, double *w, int *ind, int n) {
  double *speed = x, *was = w, *now = w + n * n, *next = w + 2 * n * n, misfit = 0;
  for (int i = 0; i < n * n; i++) was[i] = now[i] = next[i] = 0;
  for (int t = 0; t < 20; t++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        int k = i * n + j;
        next[k] = 2 * now[k] - was[k] + 0.1 * speed[k] * speed[k] * (now[k - 1] + now[k + 1] + now[k - n] + now[k + n] - 4 * now[k]);
      }
    next[n * (n / 2) + n / 2] += sin(0.3 * t);
    misfit += next[n * (n / 3) + n / 3] * next[n * (n / 3) + n / 3] + next[n * (n / 2) + n / 2 + 1];
    double *old = was;
    was = now, now = next, next = old;
  }
  return misfit;
}

/* ---- a Kalman filter: small matrices by helpers ---- */
static void mul(int n, int m, int k, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k; j++) {
      double s = 0;
      for (int l = 0; l < m; l++) s += a[i * m + l] * b[l * k + j];
      c[i * k + j] = s;
    }
}
static void mul_t(int n, int m, int k, const double *a, const double *b, double *c) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < k; j++) {
      double s = 0;
      for (int l = 0; l < m; l++) s += a[i * m + l] * b[j * m + l];
      c[i * k + j] = s;
    }
}
FUNCTION kalman(double *x, double *w, int *ind, int n) {
  double *F = x, *Q = x + 16, *H = x + 32, R = x[40] * x[40] + 0.1, *z = x + 41;
  double state[4] = {0, 0, 0, 0}, P[16], A[16], B[16], like = 0;
  for (int i = 0; i < 16; i++) P[i] = i % 5 == 0;
  for (int t = 0; t < n; t++) {
    double next[4], Ph[4], gain[4];
    mul(4, 4, 1, F, state, next);
    mul(4, 4, 4, F, P, A);
    mul_t(4, 4, 4, A, F, B);
    for (int i = 0; i < 16; i++) P[i] = B[i] + 0.01 * Q[i] * Q[i];
    mul(4, 4, 1, P, H, Ph);
    double S = R, e = z[t];
    for (int i = 0; i < 4; i++) S += H[i] * Ph[i], e -= H[i] * next[i];
    for (int i = 0; i < 4; i++) gain[i] = Ph[i] / S;
    for (int i = 0; i < 4; i++) state[i] = next[i] + gain[i] * e;
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) P[i * 4 + j] -= gain[i] * Ph[j];
    like += log(S) + e * e / S;
  }
  return like;
}

/* ---- likelihood of a Gaussian process: kernel, Cholesky in place, solve ---- */
FUNCTION gp(double *x, double *w, int *ind, int n) {
  double *at = x, *y = x + 2 * n, length = exp(x[3 * n]), *K = w, *a = w + n * n, like = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double d0 = at[2 * i] - at[2 * j], d1 = at[2 * i + 1] - at[2 * j + 1];
      K[i * n + j] = exp(-(d0 * d0 + d1 * d1) / length) + (i == j ? 0.1 : 0);
    }
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++) K[j * n + j] -= K[j * n + k] * K[j * n + k];
    K[j * n + j] = sqrt(K[j * n + j]);
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++) K[i * n + j] -= K[i * n + k] * K[j * n + k];
      K[i * n + j] /= K[j * n + j];
    }
  }
  for (int i = 0; i < n; i++) {
    double s = y[i];
    for (int k = 0; k < i; k++) s -= K[i * n + k] * a[k];
    a[i] = s / K[i * n + i];
    like += a[i] * a[i] + log(K[i * n + i]);
  }
  return like;
}

/* ---- Gaussian elimination with pivots ---- */
FUNCTION lu(double *x, double *w, int *ind, int n) {
  double *A = w, *b = w + n * n;
  memcpy(A, x, sizeof(double) * (n * n + n));
  for (int k = 0; k < n; k++) {
    int p = k;
    for (int i = k + 1; i < n; i++) if (fabs(A[i * n + k]) > fabs(A[p * n + k])) p = i;
    if (p != k) {
      for (int j = k; j < n; j++) { double t = A[k * n + j]; A[k * n + j] = A[p * n + j], A[p * n + j] = t; }
      double t = b[k]; b[k] = b[p], b[p] = t;
    }
    for (int i = k + 1; i < n; i++) {
      double f = A[i * n + k] / A[k * n + k];
      for (int j = k + 1; j < n; j++) A[i * n + j] -= f * A[k * n + j];
      b[i] -= f * b[k];
    }
  }
  double sum = 0;
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) b[i] -= A[i * n + j] * b[j];
    b[i] /= A[i * n + i];
    sum += b[i] * b[i];
  }
  return sum;
}

/* ---- a hidden Markov model in logarithms ---- */
static double logsumexp(const double *v, int n) {
  double most = v[0], s = 0;
  for (int i = 1; i < n; i++) if (v[i] > most) most = v[i];
  for (int i = 0; i < n; i++) s += exp(v[i] - most);
  return most + log(s);
}
FUNCTION hmm(double *x, double *w, int *ind, int n) {
  int S = 16;
  double *trans = x, *emit = x + S * S, *alpha = w, *next = w + S, *tmp = w + 2 * S;
  for (int i = 0; i < S; i++) alpha[i] = emit[i * 8 + ind[0] % 8];
  for (int t = 1; t < n; t++) {
    for (int j = 0; j < S; j++) {
      for (int i = 0; i < S; i++) tmp[i] = alpha[i] + trans[i * S + j];
      next[j] = logsumexp(tmp, S) + emit[j * 8 + ind[t] % 8];
    }
    for (int j = 0; j < S; j++) alpha[j] = next[j];
  }
  return logsumexp(alpha, S);
}

/* ---- soft dynamic time warping ---- */
static double softmin(double a, double b, double c) {
  double m = fmin(a, fmin(b, c));
  return m - log(exp(m - a) + exp(m - b) + exp(m - c));
}
FUNCTION dtw(double *x, double *w, int *ind, int n) {
  double *a = x, *b = x + n, *D = w;
  int m = n + 1;
  for (int i = 0; i <= n; i++) D[i] = D[i * m] = i ? 1e10 : 0;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++) {
      double d = a[i - 1] - b[j - 1];
      D[i * m + j] = d * d + softmin(D[(i - 1) * m + j], D[i * m + j - 1], D[(i - 1) * m + j - 1]);
    }
  return D[n * m + n];
}

/* ---- Runge-Kutta with a right-hand side by pointer ---- */
typedef void rhs(double t, const double *y, double *dy, const double *p);
static void pendulum(double t, const double *y, double *dy, const double *p) {
  dy[0] = y[1];
  dy[1] = -p[0] * sin(y[0]) - p[1] * y[1] + p[2] * cos(t);
}
static void step(rhs *f, double t, double h, double *y, const double *p) {
  double k1[2], k2[2], k3[2], k4[2], z[2];
  f(t, y, k1, p);
  for (int i = 0; i < 2; i++) z[i] = y[i] + 0.5 * h * k1[i];
  f(t + h / 2, z, k2, p);
  for (int i = 0; i < 2; i++) z[i] = y[i] + 0.5 * h * k2[i];
  f(t + h / 2, z, k3, p);
  for (int i = 0; i < 2; i++) z[i] = y[i] + h * k3[i];
  f(t + h, z, k4, p);
  for (int i = 0; i < 2; i++) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}
FUNCTION pend(double *x, double *w, int *ind, int n) {
  double loss = 0;
  for (int s = 0; s < n; s++) {
    double y[2] = {x[3 + 2 * s], x[4 + 2 * s]};
    for (int t = 0; t < 50; t++) step(pendulum, t * 0.02, 0.02, y, x);
    loss += y[0] * y[0] + y[1];
  }
  return loss;
}

/* ---- prices of options ---- */
FUNCTION options(double *x, double *w, int *ind, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double S = 20 + x[i], K = 20 + x[n + i], v = 0.1 + x[2 * n + i] * x[2 * n + i], T = 1.5;
    double d1 = (log(S / K) + (0.02 + 0.5 * v * v) * T) / (v * sqrt(T)), d2 = d1 - v * sqrt(T);
    w[i] = S * 0.5 * erfc(-d1 * 0.7071067811865476) - K * exp(-0.02 * T) * 0.5 * erfc(-d2 * 0.7071067811865476);
    sum += w[i] * w[i];
  }
  return sum;
}

/* ---- a table, looked up by bisection, between whose points a line is drawn ---- */
FUNCTION table(double *x, double *w, int *ind, int n) {
  double *at = x, *value = x + 64, *query = x + 128, sum = 0;
  w[0] = -4;
  for (int i = 1; i < 64; i++) w[i] = w[i - 1] + 0.1 + at[i] * at[i] * 0.1;
  for (int q = 0; q < n; q++) {
    int lo = 0, hi = 63;
    while (hi - lo > 1) {
      int mid = (lo + hi) / 2;
      if (w[mid] <= query[q]) lo = mid;
      else hi = mid;
    }
    double f = (query[q] - w[lo]) / (w[lo + 1] - w[lo]);
    double y = value[lo] * (1 - f) + value[lo + 1] * f;
    sum += y * y;
  }
  return sum;
}

/* ---- energy of a mesh of triangles, neo-Hookean ---- */
FUNCTION mesh(double *x, double *w, int *ind, int n) {
  double *rest = w, energy = 0;
  for (int e = 0; e < n; e++) {
    const int *c = ind + 3 * e;
    double D[4], G[4], F[4];
    for (int k = 0; k < 2; k++)
      for (int d = 0; d < 2; d++) {
        D[2 * d + k] = x[2 * c[k + 1] + d] - x[2 * c[0] + d];
        G[2 * d + k] = rest[4 * (e % 16) + 2 * d + k];
      }
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 2; j++) {
        F[2 * i + j] = 0;
        for (int k = 0; k < 2; k++) F[2 * i + j] += D[2 * i + k] * G[2 * k + j];
      }
    double J = F[0] * F[3] - F[1] * F[2], I = 0;
    for (int i = 0; i < 4; i++) I += F[i] * F[i];
    double l = 0.5 * log(J * J + 0.1);
    energy += 0.5 * (I - 2) - l + 0.5 * l * l;
  }
  return energy;
}

/* ---- rays through spheres, marched until they hit ---- */
static double distance(const double *s, int count, double x, double y, double z) {
  double d = 1e9;
  for (int k = 0; k < count; k++) {
    double a = x - s[4 * k], b = y - s[4 * k + 1], c = z - s[4 * k + 2] - 6;
    double e = sqrt(a * a + b * b + c * c) - 0.5 - 0.1 * s[4 * k + 3] * s[4 * k + 3];
    if (e < d) d = e;
  }
  return d;
}
FUNCTION rays(double *x, double *w, int *ind, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double u = (i - n / 2) / (double)n, v = (j - n / 2) / (double)n, l = 1 / sqrt(u * u + v * v + 1), t = 0;
      for (int k = 0; k < 40; k++) {
        double d = distance(x, 4, t * l * u, t * l * v, t * l);
        t += d;
        if (d < 1e-3 || t > 20) break;
      }
      sum += exp(-0.1 * t);
    }
  return sum;
}

/* ---- Fourier transform by recursion, memory of its own ---- */
struct complex { double re, im; };
static void fft(struct complex *a, int n) {
  if (n == 1) return;
  struct complex *even = (struct complex *)malloc(sizeof(*a) * (n / 2)), *odd = (struct complex *)malloc(sizeof(*a) * (n / 2));
  for (int i = 0; i < n / 2; i++) even[i] = a[2 * i], odd[i] = a[2 * i + 1];
  fft(even, n / 2), fft(odd, n / 2);
  for (int k = 0; k < n / 2; k++) {
    double c = cos(-6.283185307179586 * k / n), s = sin(-6.283185307179586 * k / n);
    struct complex t = {c * odd[k].re - s * odd[k].im, c * odd[k].im + s * odd[k].re};
    a[k].re = even[k].re + t.re, a[k].im = even[k].im + t.im;
    a[k + n / 2].re = even[k].re - t.re, a[k + n / 2].im = even[k].im - t.im;
  }
  free(even), free(odd);
}
FUNCTION spectrum(double *x, double *w, int *ind, int n) {
  struct complex *a = (struct complex *)w;
  for (int i = 0; i < n; i++) a[i].re = x[i], a[i].im = 0;
  fft(a, n);
  double s = 0;
  for (int i = 0; i < n; i++) { double p = a[i].re * a[i].re + a[i].im * a[i].im; s += p * p; }
  return s;
}

/* ---- Newton's method until it converges ---- */
FUNCTION kepler(double *x, double *w, int *ind, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double e = 0.5 + 0.4 * sin(x[i]), M = x[n + i], E = M;
    while (1) {
      double d = (E - e * sin(E) - M) / (1 - e * cos(E));
      E -= d;
      if (fabs(d) < 1e-12) break;
    }
    w[i] = E;
    sum += cos(E) * E;
  }
  return sum;
}

/* ---- Gauss-Seidel in place until the residual is small ---- */
FUNCTION seidel(double *x, double *w, int *ind, int n) {
  double *f = x, *u = w, sum = 0;
  memset(u, 0, sizeof(double) * n * n);
  for (int sweep = 0; sweep < 30; sweep++) {
    double most = 0;
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        double v = 0.25 * (u[i * n + j - 1] + u[i * n + j + 1] + u[(i - 1) * n + j] + u[(i + 1) * n + j] - f[i * n + j]);
        if (fabs(v - u[i * n + j]) > most) most = fabs(v - u[i * n + j]);
        u[i * n + j] = v;
      }
    if (most < 1e-6) break;
  }
  for (int i = 0; i < n * n; i++) sum += u[i] * u[i];
  return sum;
}

/* ---- a list of nodes ---- */
struct node { double value; struct node *next; };
FUNCTION list(double *x, double *w, int *ind, int n) {
  struct node *head = 0;
  for (int i = 0; i < n; i++) {
    struct node *one = (struct node *)malloc(sizeof(struct node));
    one->value = x[i] * x[i], one->next = head, head = one;
  }
  double s = 0;
  for (struct node *p = head; p; p = p->next) s = s * 0.5 + sin(p->value) * p->value;
  while (head) { struct node *next = head->next; free(head); head = next; }
  return s;
}

/* ---- implicit diffusion, a tridiagonal solve each step ---- */
static void tridiagonal(const double *a, const double *b, const double *c, double *d, double *tmp, int n) {
  tmp[0] = c[0] / b[0], d[0] /= b[0];
  for (int i = 1; i < n; i++) {
    double m = 1 / (b[i] - a[i] * tmp[i - 1]);
    tmp[i] = c[i] * m;
    d[i] = (d[i] - a[i] * d[i - 1]) * m;
  }
  for (int i = n - 2; i >= 0; i--) d[i] -= tmp[i] * d[i + 1];
}
FUNCTION diffusion(double *x, double *w, int *ind, int n) {
  double *k = x, *u = w, *a = w + n, *b = w + 2 * n, *c = w + 3 * n, *tmp = w + 4 * n, s = 0;
  for (int i = 0; i < n; i++) u[i] = x[n + i];
  for (int t = 0; t < 30; t++) {
    for (int i = 0; i < n; i++) {
      double r = 0.1 * (1 + k[i] * k[i]) * (1 + 0.01 * u[i] * u[i]);
      a[i] = c[i] = -r, b[i] = 1 + 2 * r;
    }
    tridiagonal(a, b, c, u, tmp, n);
  }
  for (int i = 0; i < n; i++) s += u[i] * u[i];
  return s;
}

/* ---- a recurrent network, memory for each step ---- */
FUNCTION gru(double *x, double *w, int *ind, int n) {
  int H = 32;
  double *Wz = x, *Wr = x + 2 * H * H, *Wh = x + 4 * H * H, *in = x + 6 * H * H;
  double *h = (double *)calloc(H, sizeof(double));
  for (int t = 0; t < n; t++) {
    double *z = (double *)malloc(H * sizeof(double)), *r = (double *)malloc(H * sizeof(double)), *next = (double *)malloc(H * sizeof(double));
    for (int i = 0; i < H; i++) {
      double a = 0, b = 0;
      for (int j = 0; j < H; j++) {
        a += Wz[i * 2 * H + j] * h[j] + Wz[i * 2 * H + H + j] * in[t * H + j];
        b += Wr[i * 2 * H + j] * h[j] + Wr[i * 2 * H + H + j] * in[t * H + j];
      }
      z[i] = 1 / (1 + exp(-a)), r[i] = 1 / (1 + exp(-b));
    }
    for (int i = 0; i < H; i++) {
      double a = 0;
      for (int j = 0; j < H; j++) a += Wh[i * 2 * H + j] * r[j] * h[j] + Wh[i * 2 * H + H + j] * in[t * H + j];
      next[i] = (1 - z[i]) * h[i] + z[i] * tanh(a);
    }
    free(h), free(z), free(r);
    h = next;
  }
  double s = 0;
  for (int i = 0; i < H; i++) s += h[i] * h[i];
  free(h);
  return s;
}

/* ---- exponential of a matrix by its series, scaled and squared ---- */
FUNCTION expm(double *x, double *w, int *ind, int n) {
  double *A = w, *E = w + n * n, *term = w + 2 * n * n, *tmp = w + 3 * n * n, s = 0;
  for (int i = 0; i < n * n; i++) A[i] = x[i] / 16 / n, E[i] = term[i] = i % (n + 1) == 0;
  for (int k = 1; k < 8; k++) {
    mul(n, n, n, term, A, tmp);
    for (int i = 0; i < n * n; i++) term[i] = tmp[i] / k, E[i] += term[i];
  }
  for (int k = 0; k < 4; k++) {
    mul(n, n, n, E, E, tmp);
    memcpy(E, tmp, sizeof(double) * n * n);
  }
  for (int i = 0; i < n * n; i++) s += E[i] * E[i];
  return s;
}

/* ---- k nearest: distances between two clouds, the least of each (Chamfer) ---- */
FUNCTION chamfer(double *x, double *w, int *ind, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double least = 1e30;
    for (int j = 0; j < n; j++) {
      double d = 0;
      for (int k = 0; k < 3; k++) d += (x[3 * i + k] - x[3 * n + 3 * j + k]) * (x[3 * i + k] - x[3 * n + 3 * j + k]);
      if (d < least) least = d;
    }
    s += least;
  }
  return s;
}

/* ---- electrostatics between all pairs, arrays of coordinates ---- */
FUNCTION pairs(double *x, double *w, int *ind, int n) {
  double *px = x, *py = x + n, *pz = x + 2 * n, *charge = x + 3 * n, energy = 0;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      double a = px[i] - px[j], b = py[i] - py[j], c = pz[i] - pz[j];
      energy += charge[i] * charge[j] / sqrt(a * a + b * b + c * c + 0.01);
    }
  return energy;
}

/* ---- assembly of a sparse operator over edges: flux out of one cell into another, several steps ---- */
FUNCTION edges(double *x, double *w, int *ind, int n) {
  double *u = w, *r = w + n, s = 0;
  for (int i = 0; i < n; i++) u[i] = x[i];
  for (int t = 0; t < 10; t++) {
    for (int i = 0; i < n; i++) r[i] = 0;
    for (int e = 0; e < 3 * n; e++) {
      int a = ind[2 * e], b = ind[2 * e + 1];
      double flux = x[n + e] * (u[a] - u[b]) * (1 + 0.1 * u[a] * u[b]);
      r[a] -= flux, r[b] += flux;
    }
    for (int i = 0; i < n; i++) u[i] += 0.01 * r[i];
  }
  for (int i = 0; i < n; i++) s += u[i] * u[i];
  return s;
}

/* ---- logistic regression with a penalty ---- */
FUNCTION logistic(double *x, double *w, int *ind, int n) {
  int d = 20;
  double *weight = x, *data = w, loss = 0;
  for (int i = 0; i < n; i++) {
    double s = weight[d];
    for (int j = 0; j < d; j++) s += weight[j] * data[i * d + j];
    loss += log1p(exp(ind[i] & 1 ? -s : s));
  }
  for (int j = 0; j < d; j++) loss += 0.1 * weight[j] * weight[j];
  return loss / n;
}

/* ---- Householder's QR in place, and what it is for: a least squares fit ---- */
FUNCTION qr(double *x, double *w, int *ind, int n) {
  int m = 2 * n;
  double *A = w, *b = w + m * n, sum = 0;
  memcpy(w, x, sizeof(double) * (m * n + m));
  for (int k = 0; k < n; k++) {
    double norm = 0;
    for (int i = k; i < m; i++) norm += A[i * n + k] * A[i * n + k];
    norm = sqrt(norm);
    double alpha = A[k * n + k] > 0 ? -norm : norm, r = 0.5 * alpha * (alpha - A[k * n + k]);
    A[k * n + k] -= alpha;
    for (int j = k + 1; j <= n; j++) {
      double f = 0;
      for (int i = k; i < m; i++) f += A[i * n + k] * (j < n ? A[i * n + j] : b[i]);
      f /= 2 * r;
      for (int i = k; i < m; i++) {
        if (j < n) A[i * n + j] -= f * A[i * n + k];
        else b[i] -= f * A[i * n + k];
      }
    }
    A[k * n + k] = alpha;
  }
  for (int i = n; i < m; i++) sum += b[i] * b[i];
  return sum;
}

/* ---- Gram and Schmidt's rows ---- */
FUNCTION rows(double *x, double *w, int *ind, int n) {
  double sum = 0;
  for (int i = 0; i < n * n; i++) w[i] = x[i];
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < k; i++) {
      double r = 0;
      for (int j = 0; j < n; j++) r += w[i * n + j] * w[k * n + j];
      for (int j = 0; j < n; j++) w[k * n + j] -= r * w[i * n + j];
    }
    double norm = 0;
    for (int j = 0; j < n; j++) norm += w[k * n + j] * w[k * n + j];
    norm = sqrt(norm);
    for (int j = 0; j < n; j++) w[k * n + j] /= norm;
    sum += log(norm) + w[k * n];
  }
  return sum;
}

/* ---- steps of heat, implicit: a tridiagonal system each, in place ---- */
FUNCTION implicit(double *x, double *w, int *ind, int n) {
  double *k = x, *u = w, *c = w + n, *d = w + 2 * n, sum = 0;
  memcpy(u, x + n, sizeof(double) * n);
  for (int t = 0; t < 20; t++) {
    for (int i = 0; i < n; i++) {
      double a = i ? -0.5 * k[i] * k[i] : 0, e = i + 1 < n ? -0.5 * k[i + 1] * k[i + 1] : 0, b = 1 - a - e;
      double m = i ? b - a * c[i - 1] : b;
      c[i] = e / m;
      d[i] = (u[i] - (i ? a * d[i - 1] : 0)) / m;
    }
    u[n - 1] = d[n - 1];
    for (int i = n - 2; i >= 0; i--) u[i] = d[i] - c[i] * u[i + 1];
  }
  for (int i = 0; i < n; i++) sum += u[i] * u[i];
  return sum;
}

/* ---- an alignment of two sequences, the choices smoothed: a table by rows ---- */
FUNCTION align(double *x, double *w, int *ind, int n) {
  double *a = x, *b = x + n, gap = x[2 * n];
  int m = n + 1;
  for (int i = 0; i <= n; i++) w[i] = w[i * m] = gap * i;
  for (int i = 1; i <= n; i++)
    for (int j = 1; j <= n; j++) {
      double here = a[i - 1] - b[j - 1], match = w[(i - 1) * m + j - 1] + here * here;
      double up = w[(i - 1) * m + j] + gap, left = w[i * m + j - 1] + gap, least = fmin(match, fmin(up, left));
      w[i * m + j] = least - log(exp(least - match) + exp(least - up) + exp(least - left));
    }
  return w[n * m + n];
}

/* ---- an inverse by Gauss and Jordan ---- */
FUNCTION inverse(double *x, double *w, int *ind, int n) {
  int m = 2 * n;
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) w[i * m + j] = x[i * n + j], w[i * m + n + j] = i == j;
  for (int k = 0; k < n; k++) {
    double pivot = w[k * m + k];
    for (int j = 0; j < m; j++) w[k * m + j] /= pivot;
    for (int i = 0; i < n; i++)
      if (i != k) {
        double f = w[i * m + k];
        for (int j = 0; j < m; j++) w[i * m + j] -= f * w[k * m + j];
      }
  }
  for (int i = 0; i < n; i++) sum += w[i * m + n + i] + 0.1 * w[i * m + n] * w[m + n + i];
  return sum;
}

/* ---- eigenvalues by Jacobi's rotations: two sweeps, and what is left beside the diagonal ---- */
FUNCTION jacobi(double *x, double *w, int *ind, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) w[i * n + j] = 0.5 * (x[i * n + j] + x[j * n + i]) + (i == j ? i : 0);
  for (int sweep = 0; sweep < 2; sweep++)
    for (int p = 0; p < n; p++)
      for (int q = p + 1; q < n; q++) {
        double theta = (w[q * n + q] - w[p * n + p]) / (2 * w[p * n + q] + 1e-12);
        double t = (theta > 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
        for (int k = 0; k < n; k++) {
          double a = w[k * n + p], b = w[k * n + q];
          w[k * n + p] = c * a - s * b, w[k * n + q] = s * a + c * b;
        }
        for (int k = 0; k < n; k++) {
          double a = w[p * n + k], b = w[q * n + k];
          w[p * n + k] = c * a - s * b, w[q * n + k] = s * a + c * b;
        }
      }
  for (int i = 0; i < n; i++) sum += w[i * n + i] * w[i * n + i] * (i + 1) + w[i * n];
  return sum;
}

/* ---- a filter of nine taps, and one of five by five for each of two channels ---- */
FUNCTION filter(double *x, double *w, int *ind, int n) {
  double *taps = x + n, sum = 0;
  for (int i = 0; i + 9 <= n; i++) {
    double s = 0;
    for (int t = 0; t < 9; t++) s += taps[t] * x[i + t];
    w[i] = s;
  }
  for (int i = 0; i + 9 <= n; i++) sum += w[i] * w[i];
  return sum;
}
FUNCTION depthwise(double *x, double *w, int *ind, int n) {
  double *kernel = x + 2 * n * n, sum = 0;
  int m = n - 4;
  for (int c = 0; c < 2; c++)
    for (int i = 0; i < m; i++)
      for (int j = 0; j < m; j++) {
        double s = 0;
        for (int a = 0; a < 5; a++)
          for (int b = 0; b < 5; b++) s += x[(c * n + i + a) * n + j + b] * kernel[(c * 5 + a) * 5 + b];
        w[(c * m + i) * m + j] = s;
      }
  for (int i = 0; i < 2 * m * m; i++) sum += w[i] * w[i];
  return sum;
}

/* ---- a robot's arm: 4x4 matrices by value, and where its joints go, by steps along the transposed Jacobian ---- */
struct pose { double m[4][4]; };
static struct pose turned(struct pose a, struct pose b) {
  struct pose r;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      r.m[i][j] = 0;
      for (int k = 0; k < 4; k++) r.m[i][j] += a.m[i][k] * b.m[k][j];
    }
  return r;
}
static struct pose joint(double angle, double d, double a, double twist) {
  double c = cos(angle), s = sin(angle), p = cos(twist), q = sin(twist);
  struct pose r = {{{c, -s * p, s * q, a * c}, {s, c * p, -c * q, a * s}, {0, q, p, d}, {0, 0, 0, 1}}};
  return r;
}
FUNCTION arm(double *x, double *w, int *ind, int n) {
  double loss = 0;
  for (int g = 0; g < n; g++) {
    double q[6] = {0.1, 0.2, -0.3, 0.4, 0.1, -0.2}, *goal = x + 12 + 3 * g;
    for (int step = 0; step < 10; step++) {
      struct pose at[7] = {{{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}}};
      double miss[3], far = 0;
      for (int k = 0; k < 6; k++)
        at[k + 1] = turned(at[k], joint(q[k], 0.3 + 0.1 * x[2 * k], 0.4 + 0.1 * x[2 * k + 1], k % 2 ? 1.2 : -0.9));
      for (int i = 0; i < 3; i++) miss[i] = goal[i] - at[6].m[i][3], far += miss[i] * miss[i];
      if (far < 1e-6) break;
      for (int k = 0; k < 6; k++) {
        double r[3], z[3];
        for (int i = 0; i < 3; i++) r[i] = at[6].m[i][3] - at[k].m[i][3], z[i] = at[k].m[i][2];
        q[k] += 0.2 * ((z[1] * r[2] - z[2] * r[1]) * miss[0] + (z[2] * r[0] - z[0] * r[2]) * miss[1] +
                       (z[0] * r[1] - z[1] * r[0]) * miss[2]);
      }
    }
    for (int k = 0; k < 6; k++) loss += q[k] * q[k] * (k + 1);
  }
  return loss / n;
}

/* ---- forces of elements of four nodes: small matrices, gathered and scattered ---- */
FUNCTION elements(double *x, double *w, int *ind, int n) {
  double *u = x + 3 * n, *stiff = x + 4 * n, sum = 0;
  for (int i = 0; i < n; i++) w[i] = 0;
  for (int e = 0; e < n; e++) {
    int *id = ind + 4 * e;
    double J[3][3], grad[4][3], K[4][4];
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) J[i][j] = x[3 * id[j + 1] + i] - x[3 * id[0] + i] + 2 * (i == j);
    double det = J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) - J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
                 J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
    for (int d = 0; d < 3; d++) {
      grad[0][d] = 0;
      for (int a = 1; a < 4; a++) {
        int p = a % 3, q = (a + 1) % 3, s = (d + 1) % 3, t = (d + 2) % 3;
        grad[a][d] = (J[s][p] * J[t][q] - J[s][q] * J[t][p]) / det;
        grad[0][d] -= grad[a][d];
      }
    }
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) {
        K[a][b] = 0;
        for (int d = 0; d < 3; d++) K[a][b] += grad[a][d] * grad[b][d];
        K[a][b] *= det * (1 + stiff[e] * stiff[e]);
      }
    for (int a = 0; a < 4; a++)
      for (int b = 0; b < 4; b++) w[id[a]] += K[a][b] * u[id[b]];
  }
  for (int i = 0; i < n; i++) sum += w[i] * w[i];
  return sum;
}

/* ---- a machine with a stack that interprets an expression at each point; a function of its own, as those below (of
 * the original's derivatives of such functions LLVM says that noinline and alwaysinline are incompatible) ---- */
#ifdef EVERYDAY_INLINE
#define APART static
#else
#define APART __attribute__((noinline)) static
#endif
enum operation { PUSH, VARIABLE, ADD, SUBTRACT, MULTIPLY, DIVIDE, SINE, EXPONENTIAL, AGAIN, SWAP, END };
struct code {
  int operation, argument;
};
APART double interpret(const struct code *program, const double *constants, const double *variables) {
  double stack[32];
  int top = 0;
  for (const struct code *c = program;; c++) {
    switch (c->operation) {
      case PUSH: stack[top++] = constants[c->argument]; break;
      case VARIABLE: stack[top++] = variables[c->argument]; break;
      case ADD: top--, stack[top - 1] += stack[top]; break;
      case SUBTRACT: top--, stack[top - 1] -= stack[top]; break;
      case MULTIPLY: top--, stack[top - 1] *= stack[top]; break;
      case DIVIDE: top--, stack[top - 1] /= 1 + stack[top] * stack[top]; break;
      case SINE: stack[top - 1] = sin(stack[top - 1]); break;
      case EXPONENTIAL: stack[top - 1] = exp(0.1 * stack[top - 1]); break;
      case AGAIN: stack[top] = stack[top - 1], top++; break;
      case SWAP: {
        double t = stack[top - 1];
        stack[top - 1] = stack[top - 2], stack[top - 2] = t;
        break;
      }
      case END: return stack[top - 1];
    }
  }
}
FUNCTION machine(double *x, double *w, int *ind, int n) {
  static const struct code program[] = {{VARIABLE, 0}, {PUSH, 0}, {MULTIPLY, 0}, {SINE, 0}, {VARIABLE, 1}, {AGAIN, 0},
    {MULTIPLY, 0}, {ADD, 0}, {PUSH, 1}, {SWAP, 0}, {SUBTRACT, 0}, {VARIABLE, 2}, {EXPONENTIAL, 0}, {DIVIDE, 0},
    {VARIABLE, 0}, {MULTIPLY, 0}, {PUSH, 2}, {ADD, 0}, {END, 0}};
  double s = 0;
  for (int i = 0; i < n; i++) {
    double r = interpret(program, x, x + 3 + 3 * i);
    s += (r - w[i]) * (r - w[i]);
  }
  return s;
}

/* ---- an energy of triangles, whose matrices are filled through a pointer ---- */
APART void stiffness(const double *xy, double E, double K[36]) {
  double b[3], c[3], B[3][6], D[3][3] = {{E, 0.3 * E, 0}, {0.3 * E, E, 0}, {0, 0, 0.35 * E}};
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    b[i] = xy[2 * j + 1] - xy[2 * k + 1], c[i] = xy[2 * k] - xy[2 * j];
  }
  double A = 0.5 * fabs(b[0] * c[1] - b[1] * c[0]) + 0.1;
  memset(B, 0, sizeof B);
  for (int i = 0; i < 3; i++) {
    B[0][2 * i] = B[2][2 * i + 1] = b[i] / (2 * A);
    B[1][2 * i + 1] = B[2][2 * i] = c[i] / (2 * A);
  }
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 6; j++) {
      double s = 0;
      for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++) s += B[k][i] * D[k][l] * B[l][j];
      K[6 * i + j] = s * A;
    }
}
FUNCTION triangles(double *x, double *w, int *ind, int n) {
  double *moved = x + 2 * n, *stiff = x + 4 * n, s = 0;
  for (int e = 0; e < n; e++) {
    double K[36], xy[6], u[6];
    for (int i = 0; i < 3; i++) {
      int p = ind[3 * e + i];
      xy[2 * i] = x[2 * p] + i, xy[2 * i + 1] = x[2 * p + 1] + i * i;
      u[2 * i] = moved[2 * p], u[2 * i + 1] = moved[2 * p + 1];
    }
    stiffness(xy, 1 + stiff[e] * stiff[e], K);
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) s += 0.5 * u[i] * K[6 * i + j] * u[j];
  }
  return s;
}

/* ---- points turned and seen by a camera ---- */
APART void rotation(const double *a, double R[9]) {
  double t2 = a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + 1e-9, t = sqrt(t2), s = sin(t) / t, c = (1 - cos(t)) / t2;
  R[0] = 1 - c * (a[1] * a[1] + a[2] * a[2]), R[1] = c * a[0] * a[1] - s * a[2], R[2] = c * a[0] * a[2] + s * a[1];
  R[3] = c * a[0] * a[1] + s * a[2], R[4] = 1 - c * (a[0] * a[0] + a[2] * a[2]), R[5] = c * a[1] * a[2] - s * a[0];
  R[6] = c * a[0] * a[2] - s * a[1], R[7] = c * a[1] * a[2] + s * a[0], R[8] = 1 - c * (a[0] * a[0] + a[1] * a[1]);
}
APART void turn(const double R[9], const double *p, double *q) {
  for (int i = 0; i < 3; i++) q[i] = R[3 * i] * p[0] + R[3 * i + 1] * p[1] + R[3 * i + 2] * p[2];
}
FUNCTION camera(double *x, double *w, int *ind, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double R[9], q[3];
    rotation(x + 3 * ind[i], R);
    turn(R, x + 3 * n + 3 * i, q);
    double z = q[2] + 5, u = q[0] / z - w[2 * i], v = q[1] / z - w[2 * i + 1];
    s += u * u + v * v;
  }
  return s;
}

/* ---- a search tree: numbers inserted, gone through in order ---- */
struct branch {
  double value;
  struct branch *left, *right;
};
APART struct branch *inserted(struct branch *at, double value) {
  if (!at) {
    struct branch *made = (struct branch *)malloc(sizeof *made);
    made->value = value, made->left = made->right = NULL;
    return made;
  }
  if (value < at->value) at->left = inserted(at->left, value);
  else at->right = inserted(at->right, value);
  return at;
}
APART double in_order(const struct branch *at, double *last) {
  if (!at) return 0;
  double s = in_order(at->left, last) + at->value * *last;
  *last = at->value;
  return s + in_order(at->right, last);
}
APART void felled(struct branch *at) {
  if (at) felled(at->left), felled(at->right), free(at);
}
FUNCTION search(double *x, double *w, int *ind, int n) {
  struct branch *root = NULL;
  for (int i = 0; i < n; i++) root = inserted(root, x[i]);
  double last = 1, s = in_order(root, &last);
  felled(root);
  return s;
}

/* ---- many orbits, where each ends, and a loss of that ---- */
FUNCTION orbits(double *x, double *w, int *ind, int n) {
  for (int i = 0; i < n; i++) {
    double a = 1 + x[4 * i] * x[4 * i], b = x[4 * i + 1], u = x[4 * i + 2], v = 1 + x[4 * i + 3];
    for (int t = 0; t < 50; t++) {
      double r2 = a * a + b * b + 0.1, k = 0.01 / (r2 * sqrt(r2));
      u -= k * a, v -= k * b;
      a += 0.01 * u, b += 0.01 * v;
    }
    w[4 * i] = a, w[4 * i + 1] = b, w[4 * i + 2] = u, w[4 * i + 3] = v;
  }
  double s = 0;
  for (int i = 0; i < 4 * n; i++) s += w[i] * w[i];
  return s;
}

/* ---- many small systems of equations, solved by elimination in memory of its own ---- */
APART double solved(int m, const double *a, const double *b) {
  double *A = (double *)malloc(m * m * sizeof(double)), *y = (double *)malloc(m * sizeof(double)), s = 0;
  memcpy(A, a, m * m * sizeof(double));
  for (int i = 0; i < m; i++) A[i * m + i] += 3, y[i] = b[i];
  for (int k = 0; k < m; k++)
    for (int i = k + 1; i < m; i++) {
      double f = A[i * m + k] / A[k * m + k];
      for (int j = k; j < m; j++) A[i * m + j] -= f * A[k * m + j];
      y[i] -= f * y[k];
    }
  for (int i = m - 1; i >= 0; i--) {
    for (int j = i + 1; j < m; j++) y[i] -= A[i * m + j] * y[j];
    y[i] /= A[i * m + i];
    s += y[i] * y[i];
  }
  free(A), free(y);
  return s;
}
FUNCTION solves(double *x, double *w, int *ind, int n) {
  double *found = (double *)malloc(n * sizeof(double)), s = 0;
  for (int i = 0; i < n; i++) found[i] = solved(5, x + 30 * i, x + 30 * i + 25);
  for (int i = 0; i < n; i++) s += log(1 + found[i]);
  free(found);
  return s;
}

/* ---- a recurrent network whose states are blocks of their own, in a table ---- */
FUNCTION states(double *x, double *w, int *ind, int n) {
  enum { H = 16 };
  double **h = (double **)malloc((n + 1) * sizeof(double *)), s = 0;
  h[0] = (double *)calloc(H, sizeof(double));
  for (int t = 0; t < n; t++) {
    h[t + 1] = (double *)malloc(H * sizeof(double));
    for (int i = 0; i < H; i++) {
      double v = x[H * H + H + t] * x[H * H + i];
      for (int j = 0; j < H; j++) v += x[i * H + j] * h[t][j];
      h[t + 1][i] = tanh(v);
    }
    s += h[t + 1][0] * h[t + 1][1];
  }
  for (int t = 0; t <= n; t++) free(h[t]);
  free(h);
  return s;
}

/* ---- associated Legendre functions of many angles, a triangle of them for each, against measured values ---- */
FUNCTION harmonics(double *x, double *w, int *ind, int n) {
  enum { L = 8 };
  double s = 0;
  for (int i = 0; i < n; i++) {
    double P[L + 1][L + 1], c = cos(x[i]), z = sin(x[i]), v = 0;
    P[0][0] = 1;
    for (int m = 1; m <= L; m++) P[m][m] = -(2 * m - 1) * z * P[m - 1][m - 1] / m;
    for (int m = 0; m < L; m++) P[m + 1][m] = (2 * m + 1) * c * P[m][m] / (m + 1);
    for (int m = 0; m <= L; m++)
      for (int l = m + 2; l <= L; l++) P[l][m] = ((2 * l - 1) * c * P[l - 1][m] - (l + m - 1) * P[l - 2][m]) / (l - m + 1);
    for (int l = 0, k = 0; l <= L; l++)
      for (int m = 0; m <= l; m++) v += x[n + k++] * P[l][m];
    s += (v - w[i]) * (v - w[i]);
  }
  return s;
}

/* ---- shallow water over the edges of a mesh: both cells get the flux ---- */
FUNCTION fluxes(double *x, double *w, int *ind, int n) {
  double *r = (double *)calloc(3 * n, sizeof(double)), s = 0;
  for (int e = 0; e < 2 * n; e++) {
    int a = ind[2 * e], b = ind[2 * e + 1];
    double ha = x[3 * a] + 2, hb = x[3 * b] + 2, ua = x[3 * a + 1] / ha, ub = x[3 * b + 1] / hb;
    double va = x[3 * a + 2] / ha, vb = x[3 * b + 2] / hb, ra = sqrt(ha), rb = sqrt(hb);
    double u = (ra * ua + rb * ub) / (ra + rb), c = sqrt(9.81 * 0.5 * (ha + hb)), l = fabs(u) + c;
    double f0 = 0.5 * (ha * ua + hb * ub) - 0.5 * l * (hb - ha);
    double f1 = 0.5 * (ha * ua * ua + hb * ub * ub + 4.9 * (ha * ha + hb * hb)) - 0.5 * l * (hb * ub - ha * ua);
    double f2 = 0.5 * (ha * ua * va + hb * ub * vb) - 0.5 * l * (hb * vb - ha * va);
    r[3 * a] -= w[e] * f0, r[3 * a + 1] -= w[e] * f1, r[3 * a + 2] -= w[e] * f2;
    r[3 * b] += w[e] * f0, r[3 * b + 1] += w[e] * f1, r[3 * b + 2] += w[e] * f2;
  }
  for (int i = 0; i < 3 * n; i++) s += r[i] * r[i];
  free(r);
  return s;
}

/* ---- forces of triangles of rubber, put together at their corners ---- */
FUNCTION rubber(double *x, double *w, int *ind, int n) {
  double *r = (double *)calloc(2 * n, sizeof(double)), s = 0;
  for (int e = 0; e < n; e++) {
    int v[3] = {ind[e], (ind[e] + 1) % n, ind[n + e]};
    double F[2][2], P[2][2];
    for (int a = 0; a < 2; a++)
      for (int b = 0; b < 2; b++) F[a][b] = x[2 * v[1 + b] + a] - x[2 * v[0] + a] + (a == b ? 2 : 0);
    double J = F[0][0] * F[1][1] - F[0][1] * F[1][0], l = log(J * J + 0.1) / 2, i = J / (J * J + 0.1);
    double C[2][2] = {{F[1][1] * i, -F[1][0] * i}, {-F[0][1] * i, F[0][0] * i}};
    for (int a = 0; a < 2; a++)
      for (int b = 0; b < 2; b++) P[a][b] = w[e] * (F[a][b] - C[a][b]) + l * C[a][b];
    for (int a = 0; a < 2; a++) {
      r[2 * v[0] + a] -= P[a][0] + P[a][1];
      r[2 * v[1] + a] += P[a][0];
      r[2 * v[2] + a] += P[a][1];
    }
  }
  for (int i = 0; i < 2 * n; i++) s += r[i] * r[i];
  free(r);
  return s;
}

/* ---- a wave that goes around, by weighted differences of fifth order ---- */
static double between(double a, double b, double c, double d, double e) {
  double f = a - 2 * b + c, g = b - 2 * c + d, h = c - 2 * d + e;
  double i = a - 4 * b + 3 * c, j = b - d, k = 3 * c - 4 * d + e;
  double p = 1e-6 + 13. / 12 * f * f + i * i / 4, q = 1e-6 + 13. / 12 * g * g + j * j / 4;
  double r = 1e-6 + 13. / 12 * h * h + k * k / 4, u = 1 / (p * p), v = 6 / (q * q), w = 3 / (r * r);
  return (u * (2 * a - 7 * b + 11 * c) + v * (5 * c - b + 2 * d) + w * (2 * c + 5 * d - e)) / (6 * (u + v + w));
}
APART void slopes(int n, const double *u, double *r, double *f) {
  for (int i = 0; i < n; i++)
    f[i] = between(u[(i + n - 2) % n], u[(i + n - 1) % n], u[i], u[(i + 1) % n], u[(i + 2) % n]);
  for (int i = 0; i < n; i++) r[i] = (f[(i + n - 1) % n] - f[i]) * n;
}
FUNCTION weno(double *x, double *w, int *ind, int n) {
  double *u = w, *v = w + n, *r = w + 2 * n, *f = w + 3 * n, h = 0.2 / n, s = 0;
  for (int i = 0; i < n; i++) u[i] = x[i];
  for (int t = 0; t < 10; t++) {
    slopes(n, u, r, f);
    for (int i = 0; i < n; i++) v[i] = u[i] + h * r[i];
    slopes(n, v, r, f);
    for (int i = 0; i < n; i++) u[i] = 0.5 * (u[i] + v[i] + h * r[i]);
  }
  for (int i = 0; i < n; i++) s += u[i] * u[i] * (i + 1) / n;
  return s;
}

/* ---- an image that is smoothed, but for its edges: what is beyond the border is what lies on it ---- */
static inline int held(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }
static inline double flow(double d) { return d / (1 + d * d); }
APART void smoothed(int n, const double *u, double *v) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double c = u[i * n + j], straight = flow(u[held(i - 1, n) * n + j] - c) + flow(u[held(i + 1, n) * n + j] - c) +
                                          flow(u[i * n + held(j - 1, n)] - c) + flow(u[i * n + held(j + 1, n)] - c);
      double slant = flow(u[held(i - 1, n) * n + held(j - 1, n)] - c) + flow(u[held(i - 1, n) * n + held(j + 1, n)] - c) +
                     flow(u[held(i + 1, n) * n + held(j - 1, n)] - c) + flow(u[held(i + 1, n) * n + held(j + 1, n)] - c);
      v[i * n + j] = c + 0.1 * straight + 0.05 * slant;
    }
}
FUNCTION malik(double *x, double *w, int *ind, int n) {
  double *u = w, *v = w + n * n, s = 0;
  for (int i = 0; i < n * n; i++) u[i] = x[i];
  for (int t = 0; t < 5; t++) smoothed(n, u, v), smoothed(n, v, u);
  for (int i = 0; i < n * n; i++) s += u[i] * u[i];
  return s;
}

/* ---- reaction and diffusion on a torus ---- */
APART void reacted(int n, const double *u, double *v) {
  for (int i = 0; i < n; i++) {
    int up = (i == 0 ? n - 1 : i - 1) * n, here = i * n, down = (i == n - 1 ? 0 : i + 1) * n;
    for (int j = 0; j < n; j++) {
      int left = j == 0 ? n - 1 : j - 1, right = j == n - 1 ? 0 : j + 1;
      double c = u[here + j], around = u[up + j] + u[down + j] + u[here + left] + u[here + right];
      v[here + j] = c + 0.1 * (around - 4 * c) + 0.05 * c * (1 - c * c) + 0.01 * u[up + j] * u[here + right];
    }
  }
}
FUNCTION torus(double *x, double *w, int *ind, int n) {
  double *u = w, *v = w + n * n, s = 0;
  for (int i = 0; i < n * n; i++) u[i] = x[i];
  for (int t = 0; t < 10; t++) reacted(n, u, v), reacted(n, v, u);
  for (int i = 0; i < n * n; i++) s += u[i] * u[i];
  return s;
}

/* ---- features of a signal: five taps, and nothing beyond its ends ---- */
FUNCTION taps(double *x, double *w, int *ind, int n) {
  const double *signal = x + 40;
  double s = 0;
  for (int f = 0; f < 8; f++) {
    const double *k = x + 5 * f;
    for (int i = 0; i < n; i++) {
      double a = k[2] * signal[i];
      if (i >= 2) a += k[0] * signal[i - 2];
      if (i >= 1) a += k[1] * signal[i - 1];
      if (i + 1 < n) a += k[3] * signal[i + 1];
      if (i + 2 < n) a += k[4] * signal[i + 2];
      s += a * a / (1 + f + a * a);
    }
  }
  return s;
}

/* ---- a kernel of three by three, learnt, over the inside of an image ---- */
FUNCTION kernel(double *x, double *w, int *ind, int n) {
  double *image = x + 9, sum = 0;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < n - 1; j++) {
      double s = 0;
      for (int a = -1; a <= 1; a++)
        for (int b = -1; b <= 1; b++) {
          int row = i + a, column = j + b;
          s += x[(a + 1) * 3 + b + 1] * image[row * n + column];
        }
      w[i * n + j] = s;
      sum += s * s / (1 + s * s);
    }
  return sum;
}

/* ---- noise that neighbours, as far as there are any, do not share ---- */
static double pixel(const double *u, int n, int i, int j) {
  if (i < 0) i = 0;
  if (i >= n) i = n - 1;
  if (j < 0) j = 0;
  if (j >= n) j = n - 1;
  return u[i * n + j];
}
FUNCTION noise(double *x, double *w, int *ind, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double s = 0, all = 0;
      for (int a = -1; a <= 1; a++)
        for (int b = -1; b <= 1; b++) {
          double d = pixel(x, n, i + a, j + b) - pixel(x, n, i, j), weight = 1 / (1 + d * d);
          s += weight * d;
          all += weight;
        }
      sum += s * s / all;
    }
  return sum;
}

/* ---- Rosenbrock's valley ---- */
FUNCTION valley(double *x, double *w, int *ind, int n) {
  double sum = 0;
  for (int i = 0; i + 1 < n; i++) {
    double a = x[i + 1] - x[i] * x[i], b = 1 - x[i];
    sum += 100 * a * a + b * b;
  }
  return sum;
}

/* ---- the length of a line through points in the plane ---- */
FUNCTION polyline(double *x, double *w, int *ind, int n) {
  double sum = 0;
  for (int i = 1; i < n; i++) {
    double a = x[2 * i] - x[2 * i - 2], b = x[2 * i + 1] - x[2 * i - 1];
    sum += sqrt(a * a + b * b);
  }
  return sum;
}

/* ---- a chain of springs: the force of each on both of its ends ---- */
FUNCTION springs(double *x, double *w, int *ind, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) w[i] = 0;
  for (int i = 0; i + 1 < n; i++) {
    double d = x[i + 1] - x[i], force = 2 * (d - 1) + 0.3 * d * d * d;
    w[i] += force, w[i + 1] -= force;
  }
  for (int i = 0; i < n; i++) sum += w[i] * w[i];
  return sum;
}

/* ---- how far each number is from the mean of those around it; at the ends there are fewer ---- */
FUNCTION around(double *x, double *w, int *ind, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    int from = i > 2 ? i - 2 : 0, to = i + 2 < n ? i + 2 : n - 1;
    double m = 0;
    for (int j = from; j <= to; j++) m += x[j];
    double d = x[i] - m / (to - from + 1);
    s += d * d;
  }
  return s;
}

/* ---- the same in an image, of the 3 by 3 pixels around each ---- */
FUNCTION blur(double *x, double *w, int *ind, int n) {
  double s = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double m = 0;
      for (int k = i > 0 ? i - 1 : 0; k < (i + 2 < n ? i + 2 : n); k++)
        for (int l = j > 0 ? j - 1 : 0; l < (j + 2 < n ? j + 2 : n); l++) m += x[k * n + l];
      double d = x[i * n + j] - m / 9;
      s += d * d;
    }
  return s;
}

/* ---- each number smoothed by weights that fall with the distance and the difference ---- */
FUNCTION bilateral(double *x, double *w, int *ind, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) {
    double m = 0, all = 0;
    for (int j = i > 3 ? i - 3 : 0; j <= (i + 3 < n ? i + 3 : n - 1); j++) {
      double d = x[j] - x[i], k = exp(-d * d) / (1 + abs(i - j));
      m += k * x[j];
      all += k;
    }
    s += (m / all - w[i]) * (m / all - w[i]);
  }
  return s;
}

/* ---- the trapezoid rule, its nodes unknown as well ---- */
FUNCTION trapezoid(double *x, double *w, int *ind, int n) {
  double sum = 0;
  for (int i = 1; i < n; i++) sum += 0.5 * (x[i] - x[i - 1]) * (sin(x[i]) + sin(x[i - 1]));
  return sum;
}

/* ---- gas in a tube: records, limited slopes, fluxes by the fastest waves; members as people write them ---- */
static double minmod(double a, double b) { return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b; }
FUNCTION gas(double *x, double *w, int *ind, int n) {
  double (*u)[3] = (double (*)[3])w, (*f)[3] = u + n, s = 0;
  for (int i = 0; i < n; i++) u[i][0] = 1 + 0.2 * x[i], u[i][1] = 0.1 * x[i], u[i][2] = 2.5 + 0.3 * x[i];
  for (int t = 0; t < 6; t++) {
    for (int i = 1; i < n - 2; i++) {
      double l[3], r[3], a[3], b[3];
      for (int k = 0; k < 3; k++) {
        l[k] = u[i][k] + 0.5 * minmod(u[i][k] - u[i - 1][k], u[i + 1][k] - u[i][k]);
        r[k] = u[i + 1][k] - 0.5 * minmod(u[i + 1][k] - u[i][k], u[i + 2][k] - u[i + 1][k]);
      }
      double vl = l[1] / l[0], vr = r[1] / r[0], pl = 0.4 * (l[2] - 0.5 * l[1] * vl), pr = 0.4 * (r[2] - 0.5 * r[1] * vr);
      double cl = sqrt(1.4 * pl / l[0]), cr = sqrt(1.4 * pr / r[0]), sl = fmin(vl - cl, vr - cr), sr = fmax(vl + cl, vr + cr);
      a[0] = l[1], a[1] = l[1] * vl + pl, a[2] = (l[2] + pl) * vl;
      b[0] = r[1], b[1] = r[1] * vr + pr, b[2] = (r[2] + pr) * vr;
      for (int k = 0; k < 3; k++)
        f[i][k] = sl >= 0 ? a[k] : sr <= 0 ? b[k] : (sr * a[k] - sl * b[k] + sl * sr * (r[k] - l[k])) / (sr - sl);
    }
    for (int i = 2; i < n - 2; i++)
      for (int k = 0; k < 3; k++) u[i][k] -= 0.2 * (f[i][k] - f[i - 1][k]);
  }
  for (int i = 0; i < n; i++) s += u[i][0] * u[i][2] + u[i][1];
  return s;
}

/* ---- traffic: one number for each cell, the flux by supply and demand ---- */
FUNCTION traffic(double *x, double *w, int *ind, int n) {
  double *rho = w, *q = w + n, s = 0;
  for (int i = 0; i < n; i++) rho[i] = 0.5 + 0.6 * x[i];
  for (int t = 0; t < 10; t++) {
    for (int i = 0; i < n - 1; i++) {
      double a = rho[i], b = rho[i + 1], demand, supply;
      if (a < 0.45) demand = a * (1 - a * a / (1 + a)); else demand = 0.45 * (1 - 0.2025 / 1.45) + 0.05 * (a - 0.45) / (1 + a);
      if (b > 0.55) supply = (1 - b) * sqrt(b + 0.2) + 0.1 * b * b; else supply = 0.5 - 0.1 * b / (2 + b);
      q[i] = demand < supply ? demand : supply;
    }
    for (int i = 1; i < n - 1; i++) rho[i] += 0.3 * (q[i - 1] - q[i]);
  }
  for (int i = 0; i < n; i++) s += rho[i] * rho[i] * (1 + i % 3);
  return s;
}

/* Factorisation of a table: n users and n films of 16 factors and a bias each, 8 n ratings. */
FUNCTION ratings(double *x, double *w, int *ind, int n) {
  double *films = x + 16 * n, *of_user = films + 16 * n, *of_film = of_user + n, s = 0;
  for (int r = 0; r < 8 * n; r++) {
    int u = ind[2 * r], f = ind[2 * r + 1];
    double p = of_user[u] + of_film[f];
    for (int k = 0; k < 16; k++) p += x[16 * u + k] * films[16 * f + k];
    s += (p - w[r]) * (p - w[r]);
  }
  for (int i = 0; i < 32 * n; i++) s += 0.01 * x[i] * x[i];
  return s;
}

/* Embeddings of n nodes and 8 relations, 24 numbers each: what is true lies closer than what is drawn, by a margin. */
FUNCTION margins(double *x, double *w, int *ind, int n) {
  double *relations = x + 24L * n, s = 0;
  for (int r = 0; r < 2 * n; r++) {
    const double *head = x + 24L * ind[4 * r], *tail = x + 24L * ind[4 * r + 1], *drawn = x + 24L * ind[4 * r + 2];
    const double *by = relations + 24 * (ind[4 * r + 3] % 8);
    double near = 0, far = 0;
    for (int k = 0; k < 24; k++) {
      double d = head[k] + by[k] - tail[k];
      near += d * d;
    }
    for (int k = 0; k < 24; k++) {
      double d = head[k] + by[k] - drawn[k];
      far += d * d;
    }
    double over = 1 + sqrt(near) - sqrt(far);
    if (over > 0) s += over;
  }
  return s;
}

/* Shallow water in the plane after Lax and Friedrichs: three fields and their next ones, all in one block. */
FUNCTION water(double *x, double *w, int *ind, int n) {
  long size = (long)n * n;
  double *h = w, *u = h + size, *v = u + size, *hn = v + size, *un = hn + size, *vn = un + size, s = 0, c = 0.05;
  for (long i = 0; i < size; i++) h[i] = 2 + 0.1 * x[i], u[i] = 0.1 * x[size + i], v[i] = 0;
  for (int step = 0; step < 4; step++) {
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) {
        long o = i * n + j, e = o + 1, q = o - 1, t = o - n, b = o + n;
        hn[o] = 0.25 * (h[e] + h[q] + h[t] + h[b]) - c * (u[e] - u[q] + v[b] - v[t]);
        un[o] = 0.25 * (u[e] + u[q] + u[t] + u[b]) -
                c * (u[e] * u[e] / h[e] + 0.5 * h[e] * h[e] - u[q] * u[q] / h[q] - 0.5 * h[q] * h[q] + u[b] * v[b] / h[b] -
                     u[t] * v[t] / h[t]);
        vn[o] = 0.25 * (v[e] + v[q] + v[t] + v[b]) -
                c * (v[b] * v[b] / h[b] + 0.5 * h[b] * h[b] - v[t] * v[t] / h[t] - 0.5 * h[t] * h[t] + u[e] * v[e] / h[e] -
                     u[q] * v[q] / h[q]);
      }
    for (int i = 1; i < n - 1; i++)
      for (int j = 1; j < n - 1; j++) h[i * n + j] = hn[i * n + j], u[i * n + j] = un[i * n + j], v[i * n + j] = vn[i * n + j];
  }
  for (long i = 0; i < size; i++) s += h[i] * h[i] + u[i] * v[i];
  return s;
}

/* ---- steps in time between two buffers that are swapped: a rod whose conductivity depends on its temperature ---- */
FUNCTION swapped(double *x, double *w, int *ind, int n) {
  double *u = x, *v = w, s = 0;
  for (int t = 0; t < 50; t++) {
    for (int i = 1; i < n - 1; i++) v[i] = u[i] + 0.2 * (u[i - 1] - 2 * u[i] + u[i + 1]) / (1 + u[i] * u[i]);
    v[0] = u[0], v[n - 1] = u[n - 1];
    double *other = u;
    u = v, v = other;
  }
  for (int i = 0; i < n; i++) s += u[i] * u[i];
  return s;
}

/* Each program, and how many numbers x, w and ind have for a size n. */
#define EACH(do)                                                                                                     \
  do(cg, 4 * n, 4 * n, 4 * n + 1) do(mlp, 2 * n * n + 23 * n + 110, 3 * n, 10) do(gpt, 32 * n + 13000, 4 * n * n + 480 * n, 1)        \
  do(conv, 4 * n * n + 288, 8 * n * n, 1) do(lj, 3 * n, 9 * n, 12 * n) do(wave, n * n, 3 * n * n, 1)                 \
  do(kalman, n + 41, 1, 1) do(gp, 3 * n + 1, n * n + n, 1) do(lu, n * n + n, n * n + n, 1) do(hmm, 400, 48, n)      \
  do(dtw, 2 * n, (n + 1) * (n + 1), 1) do(pend, 2 * n + 3, 1, 1) do(options, 3 * n, n, 1) do(table, 128 + n, 64, 1)  \
  do(mesh, 2 * n, 64, 3 * n) do(rays, 16, 1, 1) do(spectrum, n, 2 * n, 1) do(kepler, 2 * n, n, 1)                    \
  do(seidel, n * n, n * n, 1) do(list, n, 1, 1) do(diffusion, 2 * n, 5 * n, 1) do(gru, 6144 + 32 * n, 1, 1)          \
  do(expm, n * n, 4 * n * n, 1) do(chamfer, 6 * n, 1, 1) do(pairs, 4 * n, 1, 1) do(edges, 4 * n, 2 * n, 6 * n)       \
  do(logistic, 21, 20 * n, n) do(qr, 2 * n * n + 2 * n, 2 * n * n + 2 * n, 1) do(rows, n * n, n * n, 1)              \
  do(implicit, 2 * n, 3 * n, 1) do(align, 2 * n + 1, (n + 1) * (n + 1), 1) do(inverse, n * n, 2 * n * n, 1)          \
  do(jacobi, n * n, n * n, 1) do(filter, n + 9, n, 1) do(depthwise, 2 * n * n + 50, 2 * n * n, 1)                 \
  do(arm, 3 * n + 12, 1, 1) do(elements, 5 * n, n, 4 * n) do(machine, 3 * n + 3, n, 1)                              \
  do(triangles, 5 * n, 1, 3 * n) do(camera, 6 * n, 2 * n, n) do(search, n, 1, 1)                                    \
  do(orbits, 4 * n, 4 * n, 1) do(solves, 30 * n, 1, 1) do(states, n + 272, 1, 1) do(harmonics, n + 45, n, 1)    \
  do(fluxes, 3 * n, 2 * n, 4 * n) do(rubber, 2 * n, n, 2 * n) do(weno, n, 4 * n, 1)                          \
  do(malik, n * n, 2 * n * n, 1) do(torus, n * n, 2 * n * n, 1) do(taps, n + 40, 1, 1) \
  do(kernel, n * n + 9, n * n, 1) do(noise, n * n, 1, 1) do(valley, n, 1, 1) \
  do(polyline, 2 * n, 1, 1) do(springs, n, n, 1) do(trapezoid, n, 1, 1) \
  do(around, n, 1, 1) do(blur, (long)n * n, 1, 1) do(bilateral, n, n, 1) \
  do(gas, n, 6 * n, 1) do(traffic, n, 2 * n, 1) \
  do(ratings, 34 * n, 8 * n, 16 * n) do(water, 2L * n * n, 6L * n * n, 1) \
  do(margins, 24L * n + 192, 1, 8 * n) do(swapped, n, n, 1)

static void prepare(const char *name, int n, double *x0, double *w0, int *ind) {
  if (!strcmp(name, "cg")) {
    for (int i = 0; i <= n; i++) ind[i] = 3 * i;
    for (int i = 0; i < n; i++)
      for (int k = 0; k < 3; k++) {
        int j = i + k - 1;
        ind[n + 1 + 3 * i + k] = j < 0 ? 0 : j >= n ? n - 1 : j;
        x0[3 * i + k] = (k == 1 ? 4 : -1) + 0.1 * x0[3 * i + k];
      }
  }
  if (!strcmp(name, "lj"))
    for (int i = 0; i < n; i++) {
      x0[3 * i] = 1.3 * (i % 10) + 0.1 * x0[3 * i], x0[3 * i + 1] = 1.3 * (i / 10 % 10) + 0.1 * x0[3 * i + 1];
      x0[3 * i + 2] = 1.3 * (i / 100) + 0.1 * x0[3 * i + 2];
    }
  if (!strcmp(name, "lu")) for (int i = 0; i < n; i++) x0[i * n + i] += 1.5;
  if (!strcmp(name, "inverse")) for (int i = 0; i < n; i++) x0[i * n + i] += 2 + n / 8.0;
  if (!strcmp(name, "mesh")) {
    for (int e = 0; e < n; e++) for (int k = 0; k < 3; k++) ind[3 * e + k] = (ind[3 * e] + k * (1 + e % 7)) % n;
    for (int e = 0; e < 16; e++) w0[4 * e] += 1.5, w0[4 * e + 3] += 1.5;
  }
  if (!strcmp(name, "edges")) for (long i = 0; i < 4L * n; i++) x0[i] += 1;
}

MEASURE
