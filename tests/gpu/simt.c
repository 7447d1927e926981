/* A GPU of threads of the operating system: what tests run kernels on where there is no other. Blocks run one after
 * the other, threads of a block at the same time; registers that name them are thread-local. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef void kernel(double *, double *, double *, double *, int);

static _Thread_local int thread, block;
static _Thread_local char *stack_begin, *stack_end;
static int threads, blocks, reached, generation;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int running;

int simt_tid_x(void) { return thread; }
int simt_ctaid_x(void) { return block; }
int simt_ntid_x(void) { return threads; }
int simt_nctaid_x(void) { return blocks; }

static void let_go(void) {
  reached = 0;
  generation++;
  pthread_cond_broadcast(&changed);
}

/* A thread that has ended is waited for no longer, as on GPUs. */
void simt_wait(int number) {
  (void)number;
  pthread_mutex_lock(&lock);
  int mine = generation;
  if (++reached == running)
    let_go();
  else
    while (mine == generation) pthread_cond_wait(&changed, &lock);
  pthread_mutex_unlock(&lock);
}

_Bool simt_is_local(void *place) { return (char *)place >= stack_begin && (char *)place < stack_end; }

/* Warps of 32. Threads of a group put a number down, wait for all that take part, and take one. Groups that run at the
 * same time have no thread in common, so that each has a place of its own: that of its first lane. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  uint32_t there, ended, asking, found[32]; /* of the warp, gone, that ask who is here, and what each was told */
  void *place[32];                          /* where it asks */
  struct {
    int reached, generation;
  } groups[32];
  uint32_t number[32];
} warps[64];

static void wait_in_warp(int warp, uint32_t mask) {
  int first = __builtin_ctz(mask), many = __builtin_popcount(mask);
  if (many == 1) return;
  pthread_mutex_lock(&warps[warp].lock);
  int mine = warps[warp].groups[first].generation;
  if (++warps[warp].groups[first].reached == many) {
    warps[warp].groups[first].reached = 0;
    warps[warp].groups[first].generation++;
    pthread_cond_broadcast(&warps[warp].changed);
  } else
    while (mine == warps[warp].groups[first].generation) pthread_cond_wait(&warps[warp].changed, &warps[warp].lock);
  pthread_mutex_unlock(&warps[warp].lock);
}

static uint32_t exchange(uint32_t mask, uint32_t number, int source, _Bool inside) {
  int warp = thread / 32, lane = thread % 32;
  mask &= warps[warp].there;
  warps[warp].number[lane] = number;
  wait_in_warp(warp, mask);
  uint32_t taken = warps[warp].number[inside ? source & 31 : lane];
  wait_in_warp(warp, mask);
  return taken;
}

/* Tell those who ask at the same place as a lane. */
static void answer(int warp, int lane) {
  uint32_t group = 0;
  for (int other = 0; other < 32; other++)
    if (warps[warp].asking >> other & 1 && warps[warp].place[other] == warps[warp].place[lane]) group |= 1u << other;
  for (int other = 0; other < 32; other++)
    if (group >> other & 1) warps[warp].found[other] = group;
  warps[warp].asking &= ~group;
  pthread_cond_broadcast(&warps[warp].changed);
}

static void answer_if_all_ask(int warp) {
  if ((warps[warp].asking | warps[warp].ended) != warps[warp].there) return;
  while (warps[warp].asking) answer(warp, __builtin_ctz(warps[warp].asking));
}

/* Which threads of the warp are at one place: those that ask there at about the same time. Threads that have gone
 * another way are not waited for long. */
uint32_t simt_activemask(void) {
  int warp = thread / 32, lane = thread % 32;
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += 500000;
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  pthread_mutex_lock(&warps[warp].lock);
  warps[warp].found[lane] = 0;
  warps[warp].asking |= 1u << lane;
  warps[warp].place[lane] = __builtin_return_address(0);
  answer_if_all_ask(warp);
  while (!warps[warp].found[lane])
    if (pthread_cond_timedwait(&warps[warp].changed, &warps[warp].lock, &until) && !warps[warp].found[lane])
      answer(warp, lane);
  pthread_mutex_unlock(&warps[warp].lock);
  return warps[warp].found[lane];
}

static void leave_warp(void) {
  int warp = thread / 32;
  pthread_mutex_lock(&warps[warp].lock);
  warps[warp].ended |= 1u << thread % 32;
  answer_if_all_ask(warp);
  pthread_mutex_unlock(&warps[warp].lock);
}
int simt_lane(void) { return thread % 32; }
void simt_warp_wait(uint32_t mask) { wait_in_warp(thread / 32, mask & warps[thread / 32].there); }
/* Two registers, as LLVM returns a mask and a decision. */
typedef struct {
  int64_t mask, all;
} matched;
matched simt_match(uint32_t mask, int64_t value) {
  uint32_t low = value, high = value >> 32, others = mask & warps[thread / 32].there;
  _Bool all = 1;
  for (; others; others &= others - 1) {
    int from = __builtin_ctz(others);
    all &= exchange(mask, low, from, 1) == low;
    all &= exchange(mask, high, from, 1) == high;
  }
  return (matched){all ? mask : 0, all};
}

uint32_t simt_match_any(uint32_t mask, uint32_t value) {
  uint32_t others = mask & warps[thread / 32].there, same = 0;
  for (; others; others &= others - 1) {
    int from = __builtin_ctz(others);
    if (exchange(mask, value, from, 1) == value) same |= 1u << from;
  }
  return same;
}

/* As the manual of PTX has it: the last word has the last lane in its low bits, and which bits tell groups apart. */
#define SHUFFLE(mode, source, inside)                                               \
  uint32_t simt_##mode##_i32(uint32_t mask, uint32_t number, int given, int last) { \
    int lane = thread % 32, group = last >> 8 & 31, by = given & 31;                \
    int bound = (lane & group) | (last & 31 & ~group), from = source;               \
    return exchange(mask, number, from, inside);                                    \
  }                                                                                 \
  float simt_##mode##_f32(uint32_t mask, float number, int given, int last) {       \
    union {                                                                         \
      float number;                                                                 \
      uint32_t bits;                                                                \
    } it = {number};                                                                \
    it.bits = simt_##mode##_i32(mask, it.bits, given, last);                        \
    return it.number;                                                               \
  }
SHUFFLE(down, lane + by, from <= bound)
SHUFFLE(up, lane - by, from >= bound)
SHUFFLE(bfly, lane ^ by, from <= bound)
SHUFFLE(idx, (lane & group) | (by & ~group), from <= bound)

void simt_stop(const char *message, const char *file, int line, const char *function, size_t size) {
  fprintf(stderr, "%s:%d: %s: %s\n", file, line, function, message);
  abort();
}

typedef struct {
  kernel *run;
  double **given;
  int n, thread, block;
} job;

static void *one(void *pointer) {
  job *mine = pointer;
  pthread_attr_t attributes;
  void *begin;
  size_t size;
  thread = mine->thread;
  block = mine->block;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &begin, &size);
  pthread_attr_destroy(&attributes);
  stack_begin = begin;
  stack_end = stack_begin + size;
  mine->run(mine->given[0], mine->given[1], mine->given[2], mine->given[3], mine->n);
  leave_warp();
  pthread_mutex_lock(&lock);
  if (--running == reached && reached > 0) let_go();
  pthread_mutex_unlock(&lock);
  return NULL;
}

void launch(kernel *run, int grid, int size, double *x, double *dx, double *y, double *dy, int n) {
  double *given[] = {x, dx, y, dy};
  pthread_t *started = malloc(size * sizeof *started);
  job *jobs = malloc(size * sizeof *jobs);
  blocks = grid;
  threads = size;
  for (int w = 0; w < 64; w++) {
    pthread_mutex_init(&warps[w].lock, NULL);
    pthread_cond_init(&warps[w].changed, NULL);
  }
  for (int b = 0; b < grid; b++) {
    running = size;
    reached = 0;
    for (int t = 0; t < size; t += 32) {
      warps[t / 32].there = size - t < 32 ? (1u << (size - t)) - 1 : -1u;
      warps[t / 32].asking = warps[t / 32].ended = 0;
    }
    for (int t = 0; t < size; t++) {
      jobs[t] = (job){run, given, n, t, b};
      pthread_create(&started[t], NULL, one, &jobs[t]);
    }
    for (int t = 0; t < size; t++) pthread_join(started[t], NULL);
  }
  free(started);
  free(jobs);
}
