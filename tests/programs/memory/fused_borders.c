/* Chains of loops with single elements set and read between them: the first, the last, one in the middle or anywhere,
 * ends that stand for neighbours across a border. u has no derivative here. */
#define CONSTANT_U
// heavy: many loops, which become several for vectors
#include "fused_chains.h"

#define SET_BETWEEN(f, place, value, ranged) \
  KERNEL##ranged(f) { \
    STEPS { \
      EACH(i, 0, n) s[i] = x[i] * u[i] + 0.1; \
      s[place] = value; \
      EACH(i, 1, n) t[i] = s[i - 1] * 0.7 + s[i] * s[i]; \
      t[place] = 0.3 * s[place] + value; \
      EACH(i, 0, n) x[i] = 0.6 * x[i] + 0.2 * t[i] * s[i]; \
    } \
    return 0; \
  }
SET_BETWEEN(first_set, 0, 0.5 * x[0] * x[n - 1], )
SET_BETWEEN(last_set, n - 1, 0.5 * u[0] * x[n - 1], )
SET_BETWEEN(middle_set, n / 2, 0.5 * u[0] * x[1], )
SET_BETWEEN(first_set_apart, 0, s[0] * s[n - 1], _APART)
SET_BETWEEN(last_set_apart, n - 1, s[n - 2] * 0.4 + s[0], _APART)
SET_BETWEEN(middle_set_apart, n / 2, s[n / 2] * s[n / 2 - 1], _APART)
SET_BETWEEN(any_set_apart, k[n - 1] % n, s[n - 1] * 0.5, _APART)
SET_BETWEEN(parameter_set_apart, m % n, s[m % n] * s[0], _APART)
#define LOAD_BETWEEN(f, place) \
  KERNEL_APART(f) { \
    double before = 0; \
    STEPS { \
      EACH(i, 0, n) s[i] = x[i] * u[i] + 0.1; \
      double a = s[place], b = x[place]; \
      EACH(i, 1, n) t[i] = s[i - 1] * a + s[i] * before; \
      a += t[place] * b; \
      EACH(i, 0, n) x[i] = 0.6 * x[i] + 0.2 * t[i] * a; \
      before = x[place]; \
    } \
    return before; \
  }
LOAD_BETWEEN(first_used, 0)
LOAD_BETWEEN(last_used, n - 1)
LOAD_BETWEEN(middle_used, n / 2)
SET_BETWEEN(second_set, 1, s[0] * s[2] * 0.5, )
SET_BETWEEN(last_but_one_set, n - 2, s[n - 1] * s[n - 3] * 0.5, _APART)
LOAD_BETWEEN(second_used, 1)
LOAD_BETWEEN(last_but_one_used, n - 2)
LOAD_BETWEEN(any_used, k[n - 1] % n)
#define RING(y) \
  (y)[0] = (y)[n - 2]; \
  (y)[n - 1] = (y)[1]
KERNEL_APART(ghosts_ring) { /* ends that are copies of the other side */
  STEPS {
    EACH(i, 1, n - 1) s[i] = 0.6 * x[i] * x[i] + 0.3 * x[i - 1];
    RING(s);
    EACH(i, 1, n - 1) t[i] = 0.5 * s[i] + u[i] * s[i + 1] * s[i - 1];
    RING(t);
    EACH(i, 1, n - 1) x[i] = 0.6 * x[i] + 0.3 * (t[i - 1] - t[i + 1]);
    RING(x);
  }
  return 0;
}
KERNEL(ghosts_mirrored) { /* ends that depend on the element beside them: from one side they are behind the loop */
  STEPS {
    EACH(i, 1, n - 1) s[i] = 0.6 * x[i] * x[i] + 0.3 * u[i];
    s[0] = -0.5 * s[1];
    s[n - 1] = 0.7 * s[n - 2] * s[0];
    EACH(i, 1, n - 1) t[i] = 0.5 * s[i] + s[i + 1] * s[i - 1];
    t[n - 1] = t[n - 2] * x[0];
    t[0] = t[1] * x[n - 1];
    EACH(i, 0, n - 1) x[i] = 0.6 * x[i] + 0.3 * t[i] * t[i + 1];
    x[n - 1] = 0.3 * x[n - 2];
  }
  return 0;
}
KERNEL_APART(ghosts_from_behind) { /* the first element is known when the loop is done */
  STEPS {
    EACH(i, 0, n) s[i] = 0.6 * x[i] * x[i] + 0.3 * u[i];
    t[0] = s[n - 1];
    EACH(i, 1, n) t[i] = 0.5 * s[i] + s[0] * s[i - 1];
    s[0] = t[n - 1] * t[n / 2];
    EACH(i, 1, n) s[i] = 0.4 * t[i] * t[i - 1];
    EACH(i, 1, n) x[i] = 0.6 * x[i] + 0.3 * s[i - 1];
    x[0] += 0.2 * s[n - 1];
  }
  return x[0];
}
KERNEL_APART(set_and_overwritten) { /* single stores that the loop behind them overwrites, and the other way round */
  STEPS {
    s[0] = x[n - 1];
    t[n - 1] = 0.4 * s[0];
    EACH(i, 0, n) s[i] = 0.6 * x[i] * u[i] + 0.2 * t[i];
    s[n - 1] = 0.5 * s[0];
    s[0] = 0.2;
    EACH(i, 1, n) t[i] = 0.5 * s[i] * s[i - 1];
    t[0] = t[n - 1];
    s[n / 2] = 0.3 * t[0];
    EACH(i, 0, n - 1) s[i] = t[i + 1] * x[i];
    EACH(i, 0, n) x[i] = 0.6 * x[i] + 0.3 * s[i] * t[i];
  }
  return 0;
}
KERNEL(many_between) {
  STEPS {
    EACH(i, 0, n) s[i] = 0.6 * x[i] * u[i];
    double a = s[0] * s[n - 1], b = sin(s[1]);
    s[1] = a;
    s[n - 2] = a * b + x[n / 2];
    x[0] = 0.3 * b;
    EACH(i, 2, n) t[i] = 0.5 * s[i - 1] * a + s[i - 2];
    b += t[n - 1];
    t[0] = t[1] = b;
    x[n - 1] += 0.1 * t[n - 2];
    EACH(i, 0, n) x[i] = 0.5 * x[i] + 0.2 * t[i] * b;
  }
  return 0;
}
KERNEL_APART(kept_scalar) { /* a number in memory, changed between the loops, read in them */
  double c[2] = {0.3, 0.5};
  STEPS {
    EACH(i, 0, n) s[i] = x[i] * u[i] * c[0];
    c[1] = s[0] + 0.2;
    EACH(i, 1, n) t[i] = s[i - 1] * c[1];
    c[0] = 0.5 * t[n - 1] + c[1] * 0.3;
    EACH(i, 0, n) x[i] = 0.5 * x[i] + 0.2 * t[i] * c[0];
  }
  return c[0] * c[1];
}
KERNEL_APART(only_ends) { /* of an array that the loop writes, only the ends are read */
  double inner[MOST];
  STEPS {
    EACH(i, 0, n) inner[i] = x[i] * u[i];
    double a = inner[0], b = inner[n - 1];
    EACH(i, 0, n) inner[i] = a * x[i] * x[i];
    a += inner[0] * inner[n - 1];
    EACH(i, 0, n) x[i] = 0.5 * x[i] + 0.2 * b + 0.1 * a;
  }
  return 0;
}

#define KERNELS(K) \
  K(first_set, 1, STEPPED) K(last_set, 1, STEPPED) K(middle_set, 2, STEPPED) K(first_set_apart, 1, STEPPED | APART) \
  K(last_set_apart, 2, STEPPED | APART) K(middle_set_apart, 2, STEPPED | APART) \
  K(any_set_apart, 1, STEPPED | APART) K(parameter_set_apart, 1, STEPPED | APART | PARTED) K(second_set, 3, STEPPED) \
  K(last_but_one_set, 3, STEPPED | APART) K(first_used, 1, STEPPED | APART) K(last_used, 1, STEPPED | APART) \
  K(middle_used, 1, STEPPED | APART) K(second_used, 2, STEPPED | APART) K(last_but_one_used, 2, STEPPED | APART) \
  K(any_used, 1, STEPPED | APART) K(ghosts_ring, 3, STEPPED | APART) K(ghosts_mirrored, 3, STEPPED) \
  K(ghosts_from_behind, 2, STEPPED | APART) K(set_and_overwritten, 1, STEPPED | APART) K(many_between, 3, STEPPED) \
  K(kept_scalar, 1, STEPPED | APART) K(only_ends, 1, STEPPED | APART)

CHECK_CHAINS(KERNELS)
