/* Chains of loops that do not all go the same way: other ranges and lengths, backwards, by twos, under conditions, with
 * sums and recurrences, floats and integers among them, calls and copies between them, with scratch of their own. */
// heavy: many loops, which become several for vectors
#include "fused_chains.h"

KERNEL(other_ends) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.7 * x[i] + 0.4 * u[i];
    EACH(i, 1, n) t[i] = s[i - 1] * s[i];
    EACH(i, 1, n - 1) s[i] = t[i] * 0.5 + 0.4 * t[i + 1];
    EACH(i, 2, n - 3) x[i] = 0.5 * x[i] + s[i + 1] * s[i - 1];
    EACH(i, 0, n) t[i] = 0.3 * x[i] * s[i];
  }
  return 0;
}
KERNEL_APART(other_ends_apart) {
  STEPS {
    EACH(i, 2, n - 3) s[i] = 0.7 * x[i + 3] + 0.4 * u[i];
    EACH(i, 0, n) t[i] = s[i] * u[i];
    EACH(i, 1, n) s[i] += t[i - 1] * 0.5;
    EACH(i, 0, n - 1) x[i] = 0.5 * x[i] + s[i + 1] * s[i];
    EACH(i, 3, n) x[i] -= 0.2 * s[i - 1];
  }
  return 0;
}
KERNEL(from_m) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.7 * x[i] * u[i];
    EACH(i, m, n) t[i] = s[i] * s[i];
    EACH(i, 0, m) x[i] += 0.3 * t[i];
    EACH(i, m + 1, n) x[i] -= 0.3 * t[i - 1] * s[i];
  }
  return 0;
}
KERNEL_APART(from_m_apart) {
  STEPS {
    EACH(i, 0, m) s[i] = 0.7 * x[i] * u[i];
    EACH(i, 0, n) t[i] = s[i] * s[i] + x[i];
    EACH(i, m, n) s[i] = 0.5 * t[i] * t[m];
    EACH(i, 1, m) x[i] += 0.2 * s[i - 1] * t[n - 1];
    EACH(i, 0, n - m) x[i] = 0.6 * x[i] + 0.1 * s[i + m];
  }
  return 0;
}
KERNEL(backwards_among) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.7 * x[i] * u[i];
    BACK(i, 0, n) t[i] = s[i] * s[i] + 0.3 * x[i];
    EACH(i, 1, n) s[i] -= 0.3 * t[i - 1];
    BACK(i, 0, n - 1) x[i] = 0.8 * x[i] + 0.2 * s[i + 1] * t[i];
  }
  return 0;
}
KERNEL_APART(backwards_all) {
  STEPS {
    BACK(i, 0, n) s[i] = 0.7 * x[i] * u[i];
    BACK(i, 0, n - 1) t[i] = s[i + 1] * s[i];
    BACK(i, 0, n) s[i] = 0.3 * t[i] + 0.2 * x[i];
    BACK(i, 1, n) x[i] = 0.8 * x[i] + 0.2 * s[i - 1] * t[i];
  }
  return 0;
}
KERNEL_APART(forth_and_back) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.7 * x[i] * u[i];
    BACK(i, 0, n - 1) s[i] = 0.5 * s[i + 1] + s[i]; /* a recurrence */
    EACH(i, 1, n) x[i] = 0.5 * x[i] + 0.3 * s[i] * s[i - 1];
    BACK(i, 1, n) t[i] = t[i - 1] * x[i];
    EACH(i, 0, n) x[i] += 0.2 * t[i];
  }
  return 0;
}
KERNEL(guarded) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.7 * x[i] * u[i];
    if (n > 1) EACH(i, 1, n) t[i] = s[i - 1] * s[i];
    if (step & 1) EACH(i, 0, n) s[i] = t[i] * 0.6;
    if (n > 1 && k[step] & 1) EACH(i, 0, n - 1) s[i] += t[i + 1] * x[i];
    EACH(i, 0, n) x[i] = 0.7 * x[i] + 0.2 * s[i] * t[i];
  }
  return 0;
}
KERNEL_APART(guarded_by_value) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.7 * x[i] * u[i];
    if (k[n / 2] + 0.4 * sin(s[0]) > 4.5) EACH(i, 0, n) s[i] = x[i] * 0.6;
    EACH(i, 1, n) t[i] = s[i - 1] * s[i];
    if (n > 40) s[0] = t[n - 1];
    EACH(i, 0, n) x[i] = 0.7 * x[i] + 0.2 * s[i] * t[i];
    if (n < 10) continue;
    EACH(i, 0, n) t[i] *= x[i];
  }
  return 0;
}
KERNEL_APART(sums) {
  double all = 0.1, last = 0;
  STEPS {
    double part = 0;
    EACH(i, 0, n) part += s[i] = 0.7 * x[i] * u[i];
    EACH(i, 1, n) all += t[i] = s[i - 1] * s[i] - last;
    EACH(i, 0, n) x[i] = 0.7 * x[i] + 0.1 * s[i] * t[i];
    EACH(i, 0, n) x[i] += 0.01 * part * x[i];
    last = 0.01 * part;
  }
  return all * last;
}
KERNEL(prefix) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.7 * x[i] * u[i];
    EACH(i, 1, n) s[i] += 0.5 * s[i - 1];
    EACH(i, 1, n) t[i] = s[i - 1] * s[i];
    EACH(i, 2, n) t[i] -= 0.2 * t[i - 1] + 0.1 * t[i - 2];
    EACH(i, 0, n) x[i] = 0.7 * x[i] + 0.1 * t[i];
  }
  return 0;
}
KERNEL_APART(carried) {
  STEPS {
    double before = 0.2, two = 0.1;
    EACH(i, 0, n) {
      s[i] = x[i] * before;
      before = u[i] * x[i];
    }
    EACH(i, 1, n) {
      t[i] = s[i] * two + s[i - 1] * before;
      two = s[i];
    }
    EACH(i, 0, n) x[i] = 0.7 * x[i] + 0.3 * t[i] * two;
  }
  return 0;
}
KERNEL(by_twos) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.7 * x[i] * u[i];
    for (int i = 0; i < n; i += 2) t[i] = s[i] * s[i];
    for (int i = 1; i < n; i += 2) t[i] = s[i - 1] * 0.6 + 0.1 * t[i - 1];
    EACH(i, 1, n) x[i] = 0.7 * x[i] + 0.3 * t[i - 1];
    EACH(i, 0, n / 2) s[i] = t[2 * i] * x[i];
  }
  return 0;
}
KERNEL_APART(floats_among) {
  float f[MOST] = {0};
  STEPS {
    EACH(i, 0, n) f[i] = (float)(0.7 * x[i]) * (float)u[i];
    EACH(i, 1, n) s[i] = f[i - 1] * f[i];
    EACH(i, 1, n) f[i] = (float)s[i] * 0.5f + f[i];
    EACH(i, 0, n - 1) x[i] = 0.7 * x[i] + f[i + 1] * s[i];
  }
  return 0;
}
KERNEL_APART(integers_among) {
  int c[MOST];
  STEPS {
    EACH(i, 0, n) c[i] = (k[i] + step) % 5;
    EACH(i, 0, n) s[i] = 0.2 * c[i] * x[i];
    EACH(i, 1, n) c[i] ^= c[i - 1] & 3; /* a recurrence of integers */
    EACH(i, 1, n) t[i] = c[i] > 2 ? s[i - 1] : 0.3 * s[i] * u[i];
    EACH(i, 0, n) x[i] = 0.7 * x[i] + 0.1 * t[i] * c[i];
  }
  return 0;
}
KERNEL(functions) {
  STEPS {
    EACH(i, 0, n) s[i] = sin(x[i] + u[i]);
    EACH(i, 1, n) t[i] = 0.8 * exp(-0.2 * s[i - 1] * s[i - 1]) * s[i];
    EACH(i, 0, n) x[i] = 0.7 * x[i] + 0.1 * cos(t[i]);
  }
  return 0;
}
static double fifth(double v) { return v * v * v * v * v; }
KERNEL_APART(branches) {
  STEPS {
    EACH(i, 0, n) s[i] = x[i] > 0.1 ? fifth(x[i] - 0.1) + x[i] : x[i];
    EACH(i, 1, n) {
      if (k[i] & 1) t[i] = s[i - 1] * u[i];
      else t[i] = 0.4 * s[i];
    }
    EACH(i, 0, n) {
      if (k[i] > 3) s[i] = 0.3 * t[i] * t[i];
    }
    EACH(i, 1, n) x[i] = 0.7 * x[i] + (s[i - 1] > t[i] ? fifth(s[i - 1] - t[i]) : 0);
  }
  return 0;
}
KERNEL(scratch_of_its_own) {
  double a[MOST], b[MOST];
  EACH(i, 0, n) a[i] = b[i] = 0.4;
  STEPS {
    double *c = malloc((n + 1) * sizeof *c); /* in each step */
    EACH(i, 0, n) c[i] = 0.7 * x[i] * u[i];
    EACH(i, 1, n) a[i] = c[i - 1] * b[i] + c[i];
    EACH(i, 0, n) c[i] = a[i] * 0.6;
    EACH(i, 0, n - 1) b[i] = c[i + 1] * a[i];
    EACH(i, 0, n) x[i] = 0.7 * x[i] + 0.3 * b[i];
    free(c);
  }
  return n ? b[n / 2] : 0;
}
KERNEL_APART(swapped) {
  double *from = s, *to = t;
  STEPS {
    EACH(i, 0, n) from[i] += 0.3 * x[i] * u[i];
    EACH(i, 1, n - 1) to[i] = 0.2 * (from[i - 1] + from[i + 1]) * from[i];
    EACH(i, 0, n) x[i] = 0.7 * x[i] + to[i];
    double *other = from;
    from = to, to = other;
  }
  return 0;
}
KERNEL_APART(copies_between) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.7 * x[i] * u[i];
    if (n > 0) memcpy(t, s, n * sizeof *t);
    EACH(i, 1, n) s[i] = t[i - 1] * t[i];
    if (n > 0) memmove(t, t + 1, (n - 1) * sizeof *t);
    EACH(i, 0, n) x[i] = 0.7 * x[i] + 0.4 * t[i] * s[i];
    if (n > 0) memset(s, 0, n / 2 * sizeof *s);
    EACH(i, 1, n) t[i] = s[i - 1] + 0.2 * x[i];
  }
  return 0;
}
static NOINLINE void touch(double *at, const double *by) { *at = 0.5 * *at * *by + 0.2; }
KERNEL(calls_between) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.7 * x[i] * u[i];
    touch(s, x + n - 1);
    EACH(i, 1, n) t[i] = s[i - 1] * s[i];
    touch(t + n / 2, s + n / 2);
    EACH(i, 0, n) x[i] = 0.7 * x[i] + 0.4 * t[i] * s[i];
  }
  return 0;
}
KERNEL(pointers) {
  STEPS {
    double *to = s, *end = s + n;
    const double *from = x;
    while (to < end) *to++ = 0.7 * *from++;
    size_t j = 1;
    for (; j < (size_t)n; j++) t[j] = s[j - 1] * s[j];
    long l = 0;
    if (n > 0) do x[l] = 0.6 * x[l] + 0.3 * t[l] * u[l];
      while (++l != n);
    for (unsigned char c = 1; c < n && c < 200; c++) x[c] += 0.1 * s[c - 1];
  }
  return 0;
}
KERNEL_APART(till_found) {
  STEPS {
    int end = 0;
    while (end < n && k[end] + step != 12) end++;
    EACH(i, 0, end) s[i] = 0.7 * x[i] * u[i];
    EACH(i, 1, n) {
      if (k[i] == 10 - step) break;
      t[i] = s[i - 1] * s[i];
    }
    EACH(i, 0, end - 1) x[i] = 0.7 * x[i] + 0.4 * t[i + 1] * s[i];
  }
  return 0;
}
KERNEL(rows) { /* the chain under two loops; a row reads the end of the row before */
  int l = n / 3;
  STEPS EACH(row, 0, 3) {
    double *y = x + row * l;
    EACH(i, 0, l) s[i] = 0.7 * y[i] * u[i];
    if (row > 0) s[0] += 0.3 * y[-1];
    EACH(i, 1, l) t[i] = s[i - 1] * s[i];
    EACH(i, 0, l) y[i] = 0.6 * y[i] + 0.4 * t[i];
  }
  return 0;
}

#define KERNELS(K) \
  K(other_ends, 0, STEPPED) K(other_ends_apart, 0, STEPPED | APART) K(from_m, 0, STEPPED | PARTED) \
  K(from_m_apart, 1, STEPPED | APART | PARTED) K(backwards_among, 0, STEPPED) K(backwards_all, 0, STEPPED | APART) \
  K(forth_and_back, 0, STEPPED | APART) K(guarded, 0, STEPPED) K(guarded_by_value, 1, STEPPED | APART) \
  K(sums, 0, STEPPED | APART) K(prefix, 0, STEPPED) K(carried, 0, STEPPED | APART) K(by_twos, 0, STEPPED) \
  K(floats_among, 0, STEPPED | APART | SINGLE) K(integers_among, 0, STEPPED | APART) K(functions, 0, STEPPED) \
  K(branches, 0, STEPPED | APART) K(scratch_of_its_own, 0, STEPPED) K(swapped, 0, STEPPED | APART) \
  K(copies_between, 0, STEPPED | APART) K(calls_between, 1, STEPPED) K(pointers, 0, STEPPED) \
  K(till_found, 0, STEPPED | APART) K(rows, 3, STEPPED)

CHECK_CHAINS(KERNELS)
