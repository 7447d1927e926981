/* Threads of a block that work together: shared memory and barriers. One block, or several that know nothing of one
   another. */
#include "gpu.h"

/* a sum of a block by halves */
static void halves(double *x, double *y, int n) {
  SHARED double part[64];
  int me = THREAD;
  part[me] = HERE < n ? x[HERE] * x[HERE] : 0;
  WAIT();
  for (int step = THREADS / 2; step > 0; step >>= 1) {
    if (me < step) part[me] += part[me + step];
    WAIT();
  }
  if (me == 0) y[BLOCK] = part[0] * part[0];
}
DERIVED(halves)

/* the same with products, whose factors are overwritten */
static void multiplied(double *x, double *y, int n) {
  SHARED double part[64];
  int me = THREAD;
  part[me] = HERE < n ? x[HERE] : 1;
  WAIT();
  for (int step = THREADS / 2; step > 0; step >>= 1) {
    if (me < step) part[me] *= part[me + step];
    WAIT();
  }
  if (me == 0) y[BLOCK] = part[0];
}
DERIVED(multiplied)

/* heat in a rod: what other threads write is read in the next step, and overwritten in the one after */
static void rod(double *x, double *y, int n) {
  SHARED double heat[2][64];
  int me = THREAD, last = THREADS - 1;
  heat[0][me] = x[HERE];
  WAIT();
  for (int step = 0; step < n % 7 + 3; step++) {
    double *now = (double *)heat[step % 2], *next = (double *)heat[(step + 1) % 2];
    double left = now[me > 0 ? me - 1 : 0], right = now[me < last ? me + 1 : last];
    next[me] = now[me] + 0.2 * (left + right - 2 * now[me]) * (1 + 0.1 * left * right);
    WAIT();
  }
  y[HERE] = heat[(n % 7 + 3) % 2][me] * y[HERE];
}
DERIVED(rod)

/* through memory of all threads, in place: others overwrite what was read before the barrier */
static void turned(double *x, double *y, int n) {
  int me = HERE, other = BLOCK * THREADS + (THREAD + 1) % THREADS;
  for (int round = 0; round < 3; round++) {
    double mine = x[me] * x[other];
    WAIT();
    x[me] = mine + 0.1 * mine * x[me];
    WAIT();
  }
  y[me] = x[other];
}
DERIVED(turned)

/* a product of matrices by tiles of 4 by 4, each thread an entry */
static void tiles(double *x, double *y, int n) {
  SHARED double a[4][4], b[4][4];
  int row = THREAD / 4, column = THREAD % 4, above = (BLOCK / (n / 4)) * 4, beside = (BLOCK % (n / 4)) * 4;
  double sum = 0;
  for (int tile = 0; tile < n; tile += 4) {
    a[row][column] = x[(above + row) * n + tile + column];
    b[row][column] = x[n * n + (tile + row) * n + beside + column];
    WAIT();
    for (int k = 0; k < 4; k++) sum += a[row][k] * b[k][column];
    WAIT();
  }
  y[(above + row) * n + beside + column] = sum * sum;
}
DERIVED(tiles)

/* the block's first thread reads what all others wrote, and all read what it wrote */
static void normalised(double *x, double *y, int n) {
  SHARED double part[64];
  SHARED double total;
  int me = THREAD;
  part[me] = __nv_exp(x[HERE]);
  WAIT();
  if (me == 0) {
    double sum = 0;
    for (int k = 0; k < THREADS; k++) sum += part[k];
    total = sum;
  }
  WAIT();
  y[HERE] = part[me] / total;
}
DERIVED(normalised)

/* a thread reads one place and writes another, which its neighbour reads: only other threads overwrite what it read */
static void shifted(double *x, double *y, int n) {
  SHARED double part[65];
  int me = THREAD;
  part[me] = x[HERE];
  if (me == 0) part[THREADS] = y[n + BLOCK];
  WAIT();
  double next = part[me + 1], square = next * next;
  WAIT();
  part[me] = square * 0.5 + part[me];
  WAIT();
  y[HERE] = part[me + 1] * square;
}
DERIVED(shifted)

static void shifted_in_place(double *x, double *y, int n) {
  int me = HERE;
  double next = x[me + 1], square = next * next;
  WAIT();
  x[me] = square * 0.5 + x[me];
  WAIT();
  y[me] = x[me + 1] * square;
}
DERIVED(shifted_in_place)

/* structs in shared memory, copied as a whole, in and out */
typedef struct {
  double mass, place[3];
} body;
static void bodies(double *x, double *y, int n) {
  SHARED body s[32];
  int i = HERE;
  s[THREAD] = ((body *)x)[i];
  s[THREAD].place[1] *= 2;
  WAIT();
  body mine = s[THREAD], next = s[(THREAD + 1) % THREADS];
  WAIT();
  mine.mass *= next.place[0] * next.mass + next.place[1];
  s[THREAD] = mine;
  WAIT();
  ((body *)y)[i] = s[(THREAD + 3) % THREADS];
}
DERIVED(bodies)

/* one function for memory of all three kinds */
static NOINLINE double square_of(const double *p, int i) { return p[i] * p[i]; }
static void any_memory(double *x, double *y, int n) {
  SHARED double s[32];
  double own[4] = {1, 2, 3, 4};
  s[THREAD] = x[HERE];
  own[n % 4] = x[HERE] * x[0];
  WAIT();
  y[HERE] = square_of((double *)s, (THREAD + 1) % THREADS) * square_of(own, n % 4) * square_of(x, HERE);
}
DERIVED(any_memory)
