/* An array of one element at the end of a struct may have any length: as programs wrote it before C had a way to say so.
 * Its elements are linked to each other, whatever lies in front of it, also where structs like it are nested or copied,
 * and arrays of structs that hold one element each are as long as they are. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

struct row {
  long count;
  double *scale;
  double numbers[1];
};

struct base {
  int kind;
  struct row row;
};

struct cell {
  double number[1];
};

struct grid {
  struct cell cells[6];
  double *weights;
};

struct node {
  double value;
  struct node *next[1];
};

NOINLINE static struct base *make(const double *x, int n) {
  struct base *made = (struct base *)malloc(sizeof(struct base) + sizeof(double) * (size_t)(n - 1));
  made->kind = 1;
  made->row.count = n;
  made->row.scale = (double *)malloc(sizeof(double));
  *made->row.scale = x[0];
  for (int i = 0; i < n; i++) {
    made->row.numbers[i] = x[i] * x[n - 1 - i];
  }
  return made;
}

NOINLINE static double sum(const struct row *row) {
  double total = 0.0;
  for (long i = 0; i < row->count; i++) {
    total += row->numbers[i] * row->numbers[i] * *row->scale;
  }
  return total;
}

static double at_end(const double *x) {
  struct base *made = make(x, 5);
  size_t bytes = sizeof(struct base) + 4 * sizeof(double);
  struct base *copy = (struct base *)malloc(bytes);
  memcpy(copy, made, bytes);
  copy->row.numbers[3] *= x[1];
  double total = sum(&made->row) + sum(&copy->row);
  free(made->row.scale);
  free(made);
  free(copy);
  return total;
}

NOINLINE static double flat(const struct grid *grid, int n) {
  const double *first = grid->cells[0].number;
  double total = 0.0;
  for (int i = 0; i < n; i++) {
    total += first[i] * grid->weights[i] * grid->cells[n - 1 - i].number[0];
  }
  return total;
}

static double in_cells(const double *x) {
  double weights[6] = {1.0, 2.0, -1.0, 0.5, 3.0, -2.0};
  struct grid grid;
  grid.weights = weights;
  for (int i = 0; i < 5; i++) {
    grid.cells[i].number[0] = x[i] * x[0];
    weights[i] += x[4 - i];
  }
  grid.cells[5].number[0] = 2.0 * x[2];
  return flat(&grid, 6);
}

NOINLINE static double levels(const struct node *node, int depth) {
  double total = 0.0;
  for (int level = 0; level < depth; level++) {
    total += node->value * node->next[level]->value;
  }
  return total;
}

static double skip_list(const double *x) {
  struct node *first = (struct node *)malloc(sizeof(struct node) + 2 * sizeof(struct node *));
  struct node others[3];
  for (int i = 0; i < 3; i++) {
    others[i].value = x[i] * x[i + 1];
    others[i].next[0] = 0;
    first->next[i] = &others[i];
  }
  first->value = x[4];
  double total = levels(first, 3);
  free(first);
  return total;
}
DERIVED(at_end)
DERIVED(in_cells)
DERIVED(skip_list)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4, 1.3};
  CHECK_DERIVED(at_end, x);
  CHECK_DERIVED(in_cells, x);
  CHECK_DERIVED(skip_list, x);
  return check_done();
}
