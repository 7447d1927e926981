/* A GPU of threads of the operating system: what tests run kernels on where there is no other. Blocks run one after
 * the other, threads of a block at the same time; registers that name them are thread-local. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

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

/* Warps of 32. Nothing says which of its threads are at one place, so that none are: the mask of those is of one. */
int simt_activemask(void) { return 1; }
int simt_lane(void) { return thread % 32; }
typedef struct {
  int mask;
  _Bool all;
} matched;
matched simt_match(int mask, int64_t value) {
  (void)value;
  return (matched){mask, 1};
}

/* Threads of a warp put a number down, wait for all that take part, and take one. */
static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int reached, generation;
  uint32_t number[32];
} warps[64];

static void wait_in_warp(int warp, int many) {
  pthread_mutex_lock(&warps[warp].lock);
  int mine = warps[warp].generation;
  if (++warps[warp].reached == many) {
    warps[warp].reached = 0;
    warps[warp].generation++;
    pthread_cond_broadcast(&warps[warp].changed);
  } else
    while (mine == warps[warp].generation) pthread_cond_wait(&warps[warp].changed, &warps[warp].lock);
  pthread_mutex_unlock(&warps[warp].lock);
}

static uint32_t exchange(uint32_t mask, uint32_t number, int source, _Bool inside) {
  int warp = thread / 32, lane = thread % 32, there = threads - warp * 32;
  if (there < 32) mask &= (1u << there) - 1;
  warps[warp].number[lane] = number;
  wait_in_warp(warp, __builtin_popcount(mask));
  uint32_t taken = warps[warp].number[inside ? source & 31 : lane];
  wait_in_warp(warp, __builtin_popcount(mask));
  return taken;
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
    warps[w].reached = 0;
  }
  for (int b = 0; b < grid; b++) {
    running = size;
    reached = 0;
    for (int t = 0; t < size; t++) {
      jobs[t] = (job){run, given, n, t, b};
      pthread_create(&started[t], NULL, one, &jobs[t]);
    }
    for (int t = 0; t < size; t++) pthread_join(started[t], NULL);
  }
  free(started);
  free(jobs);
}
