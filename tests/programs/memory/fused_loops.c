/* Chains of loops over the same elements, each of which reads what those before it wrote: at the element, beside it,
 * two away; with scratch written again and again and left from the step before. In fused_borders.c are single elements
 * set and read between the loops, in fused_ranges.c loops that go other ways. */
// heavy: many loops, which become several for vectors
#include "fused_chains.h"

KERNEL(two) {
  EACH(i, 0, n) s[i] = u[i] * x[i] + 0.3;
  EACH(i, 0, n) x[i] += 0.1 * s[i] * s[i];
  return 0;
}
KERNEL(behind) {
  EACH(i, 0, n) s[i] = u[i] * x[i] + 0.3;
  if (n > 0) t[0] = s[0] * s[0];
  EACH(i, 1, n) t[i] = s[i - 1] * u[i] * s[i];
  EACH(i, 0, n) x[i] += 0.1 * t[i] * s[i];
  return 0;
}
KERNEL(ahead) {
  EACH(i, 0, n) s[i] = u[i] * x[i] + 0.3;
  EACH(i, 0, n - 1) t[i] = s[i + 1] * s[i];
  t[n - 1] = s[0] * s[n - 1];
  EACH(i, 0, n) x[i] -= 0.2 * t[i] * u[i];
  return 0;
}
KERNEL(both_sides) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.8 * x[i] * u[i];
    t[0] = s[0] * s[1];
    t[n - 1] = s[n - 2] + s[0];
    EACH(i, 1, n - 1) t[i] = 0.5 * s[i - 1] * s[i + 1] + 0.3 * s[i];
    EACH(i, 0, n) x[i] = 0.7 * x[i] + 0.3 * t[i] * t[i];
  }
  return x[n - 1];
}
KERNEL(two_away) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.8 * x[i] * u[i];
    EACH(i, 2, n) t[i] = s[i - 2] * s[i];
    EACH(i, 0, n - 2) x[i] += 0.3 * t[i + 2] * u[i];
    EACH(i, 2, n - 2) s[i] = x[i - 2] * x[i + 2] + x[i];
    EACH(i, 1, n - 1) x[i] = 0.5 * x[i] + 0.2 * s[i - 1] * s[i + 1];
  }
  return 0;
}
#define SLOPE(y) \
  t[0] = u[0] * (y)[0]; \
  EACH(i, 1, n) t[i] = u[i] * (y)[i - 1]
#define RUNGE_KUTTA \
  STEPS { \
    SLOPE(x); \
    EACH(i, 0, n) { \
      sum[i] = t[i]; \
      s[i] = x[i] + 0.4 * t[i]; \
    } \
    SLOPE(s); \
    EACH(i, 0, n) { \
      sum[i] += 2 * t[i]; \
      s[i] = x[i] + 0.4 * t[i] * t[i]; \
    } \
    SLOPE(s); \
    EACH(i, 0, n) { \
      sum[i] += 2 * t[i]; \
      s[i] = x[i] + 0.8 * t[i]; \
    } \
    SLOPE(s); \
    EACH(i, 0, n) x[i] += 0.1 * (sum[i] + t[i] * t[i]); \
  }
KERNEL_APART(stages_restricted) {
  double *sum = malloc((n + 1) * sizeof *sum);
  RUNGE_KUTTA
  free(sum);
  return n > 3 ? x[n - 1] * x[1] : 0;
}
KERNEL(stages) {
  double *sum = malloc((n + 1) * sizeof *sum);
  RUNGE_KUTTA
  free(sum);
  return 0;
}
KERNEL_APART(ring) {
  double sum[MOST];
  STEPS {
    EACH(part, 0, 3) {
      const double *y = part ? s : x;
      t[0] = (y[1] - y[n - 2]) * y[n - 1] - y[0] + u[0];
      t[1] = (y[2] - y[n - 1]) * y[0] - y[1] + u[1];
      EACH(i, 2, n - 1) t[i] = (y[i + 1] - y[i - 2]) * y[i - 1] - y[i] + u[i];
      t[n - 1] = (y[0] - y[n - 3]) * y[n - 2] - y[n - 1] + u[n - 1];
      EACH(i, 0, n) {
        sum[i] = (part ? sum[i] : 0) + t[i];
        s[i] = x[i] + 0.1 * t[i];
      }
    }
    EACH(i, 0, n) x[i] += 0.03 * sum[i];
  }
  return 0;
}
KERNEL_APART(versions) {
  STEPS {
    EACH(i, 0, n) s[i] = x[i] * u[i];
    EACH(i, 1, n) t[i] = s[i] * s[i - 1];
    EACH(i, 0, n) s[i] = t[i] + 0.5 * x[i];
    EACH(i, 1, n) t[i] = 0.3 * t[i] + s[i] * s[i - 1];
    s[0] = x[0];
    EACH(i, 1, n) s[i] = 0.9 * t[i] - 0.1 * t[i - 1];
    EACH(i, 1, n) x[i] = 0.5 * x[i] + 0.3 * s[i - 1] * s[i];
  }
  return s[0];
}
KERNEL(versions_of_one) {
  EACH(i, 0, n) s[i] = x[i] * u[i];
  EACH(i, 0, n) s[i] = s[i] * s[i] + 0.2;
  EACH(i, 1, n) x[i] += 0.2 * s[i - 1];
  EACH(i, 0, n) s[i] = x[i] * 0.4;
  EACH(i, 0, n - 1) x[i] -= 0.2 * s[i + 1] * s[i];
  EACH(i, 0, n) s[i] = u[i] * x[i] + 0.1;
  return 0;
}
KERNEL(read_before_written) {
  STEPS {
    EACH(i, 1, n - 1) s[i] = 0.5 * x[i - 1] * x[i + 1] + 0.2 * u[i];
    EACH(i, 0, n) x[i] = 0.8 * s[i] + 0.1 * x[i] * x[i];
    EACH(i, 1, n) t[i] = x[i] * x[i - 1];
    EACH(i, 0, n - 1) x[i] = x[i + 1] * 0.5 + 0.3 * t[i];
  }
  return 0;
}
KERNEL_APART(read_before_written_apart) {
  STEPS {
    EACH(i, 1, n) s[i] = 0.5 * x[i - 1] * x[i] + 0.2 * u[i];
    EACH(i, 0, n) x[i] = 0.8 * s[i] + 0.1 * x[i] * x[i];
    EACH(i, 0, n - 1) t[i] = x[i] * x[i + 1] + s[i + 1];
    EACH(i, 1, n) x[i] = 0.2 * x[i - 1] + 0.3 * t[i] * t[i - 1];
  }
  return 0;
}
KERNEL_APART(nine) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.9 * x[i] * u[i];
    EACH(i, 1, n) t[i] = s[i - 1] * s[i];
    EACH(i, 0, n) s[i] += 0.4 * t[i];
    EACH(i, 1, n) t[i] += 0.3 * s[i - 1];
    EACH(i, 0, n) x[i] = 0.4 * x[i] + t[i] * s[i];
    EACH(i, 1, n) s[i] = x[i - 1] * x[i];
    EACH(i, 0, n) t[i] = s[i] - 0.2 * t[i];
    EACH(i, 1, n) s[i] = 0.5 * t[i - 1] + 0.3 * x[i - 1];
    EACH(i, 0, n) x[i] = 0.7 * x[i] + 0.3 * s[i] * t[i];
  }
  return 0;
}
KERNEL(fewer_each_step) {
  STEPS {
    int l = step == 0 ? n : step == 1 ? n - 1 : n / 2;
    EACH(i, 0, l) s[i] = 0.6 * x[i] * u[i] + 0.3 * s[i];
    EACH(i, 1, n) t[i] = s[i] * s[i - 1]; /* some left from the step before */
    EACH(i, 0, l) x[i] += 0.2 * t[i];
    EACH(i, 1, l) x[i] -= 0.1 * s[n - 1] * t[i - 1];
  }
  return 0;
}
KERNEL_APART(left_from_before) {
  STEPS {
    EACH(i, 1, n) x[i] = 0.6 * x[i] + 0.3 * s[i - 1] * t[i];
    EACH(i, 0, n) s[i] = x[i] * u[i];
    EACH(i, 0, n - 1) t[i] = s[i + 1] * 0.6 + 0.2 * s[i];
  }
  return 0;
}
KERNEL_APART(there_and_back) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.5 * x[i] + u[i] * x[i];
    EACH(i, 0, n - 1) t[i] = s[i + 1] * s[i];
    EACH(i, 1, n) x[i] = 0.8 * x[i] - 0.2 * t[i - 1];
    EACH(i, 0, n - 1) s[i] = x[i + 1] * x[i];
    EACH(i, 1, n - 1) t[i] = s[i - 1] + 0.2 * s[i + 1];
  }
  return 0;
}
KERNEL_APART(anywhere) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.5 * x[i] + u[i] * x[i];
    EACH(i, 0, n) t[i] = s[n - 1 - i] * s[i];
    EACH(i, 0, n) x[i] = 0.8 * x[i] - 0.2 * t[k[i] % n];
    EACH(i, 0, n) s[k[i] % n] += 0.1 * x[i];
  }
  return 0;
}

KERNEL_APART(once) {
  EACH(i, 0, n) s[i] = 0.5 * x[i] + u[i] * x[i];
  EACH(i, 0, n - 1) t[i] = s[i + 1] * s[i];
  EACH(i, 1, n) x[i] = 0.8 * x[i] - 0.2 * t[i - 1];
  EACH(i, 0, n - 1) s[i] = x[i + 1] * x[i];
  EACH(i, 1, n - 1) t[i] = s[i - 1] * s[i + 1];
  return n > 2 ? t[n - 2] * s[0] : 0;
}
KERNEL(once_any) {
  EACH(i, 1, n) s[i] = 0.5 * x[i - 1] + u[i] * x[i];
  EACH(i, 1, n) t[i] = s[i - 1] * s[i];
  EACH(i, 1, n) s[i] = 0.8 * x[i] - 0.2 * t[i - 1];
  EACH(i, 1, n) x[i] += 0.2 * s[i] * t[i] + 0.1 * s[i - 1];
  return 0;
}

#define KERNELS(K) \
  K(two, 0, 0) K(behind, 0, 0) K(ahead, 1, 0) K(both_sides, 2, STEPPED) K(two_away, 0, STEPPED) \
  K(stages_restricted, 1, STEPPED | APART) K(stages, 1, STEPPED) K(ring, 4, STEPPED | APART) \
  K(versions, 1, STEPPED | APART) K(versions_of_one, 0, 0) K(read_before_written, 0, STEPPED) \
  K(read_before_written_apart, 0, STEPPED | APART) K(nine, 0, STEPPED | APART) K(fewer_each_step, 1, STEPPED) \
  K(left_from_before, 0, STEPPED | APART) K(there_and_back, 0, STEPPED | APART) K(anywhere, 1, STEPPED | APART) \
  K(once, 0, APART) K(once_any, 0, 0)

CHECK_CHAINS(KERNELS)
