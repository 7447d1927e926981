// reference: none (the registered derivatives are scaled on purpose)
/* Tapes of every kind: none, a number, an integer, a pointer, a struct in registers, a struct through memory. */
#include "check.h"

static double none(double x) { return sin(x); }
static double none_augmented(double x) { return sin(x); }
static double none_reverse(double x, double seed) { return 2 * seed * cos(x); }
void *__enzyme_register_gradient_none[] = {(void *)none, (void *)none_augmented, (void *)none_reverse};

struct number_tape { double tape, value; };
static double number(double x) { return x * x * x; }
static struct number_tape number_augmented(double x) { return (struct number_tape){3 * x * x, x * x * x}; }
static double number_reverse(double x, double seed, double tape) { return 2 * seed * tape; }
void *__enzyme_register_gradient_number[] = {(void *)number, (void *)number_augmented, (void *)number_reverse};

struct count_tape { long tape; double value; };
static double count(double x, int n) { return pow(x, n); }
static struct count_tape count_augmented(double x, int n) { return (struct count_tape){n - 1, pow(x, n)}; }
static double count_reverse(double x, int n, double seed, long tape) { return 2 * seed * n * pow(x, (double)tape); }
void *__enzyme_register_gradient_count[] = {(void *)count, (void *)count_augmented, (void *)count_reverse};

struct block_tape { double *tape; double value; };
static int blocks;
static double block(double a, double b) { return a * b; }
static struct block_tape block_augmented(double a, double b) {
  double *tape = malloc(2 * sizeof *tape);
  blocks++;
  tape[0] = b, tape[1] = a;
  return (struct block_tape){tape, a * b};
}
struct two { double a, b; };
static struct two block_reverse(double a, double b, double seed, double *tape) {
  struct two g = {2 * seed * tape[0], 2 * seed * tape[1]};
  free(tape);
  blocks--;
  return g;
}
void *__enzyme_register_gradient_block[] = {(void *)block, (void *)block_augmented, (void *)block_reverse};

struct wide { double a, b, c; };
struct wide_tape { struct wide tape; double value; };
static double wide(double a, double b, double c) { return a * b * c; }
static struct wide_tape wide_augmented(double a, double b, double c) {
  return (struct wide_tape){{b * c, a * c, a * b}, a * b * c};
}
static struct wide wide_reverse(double a, double b, double c, double seed, struct wide tape) {
  return (struct wide){2 * seed * tape.a, 2 * seed * tape.b, 2 * seed * tape.c};
}
void *__enzyme_register_gradient_wide[] = {(void *)wide, (void *)wide_augmented, (void *)wide_reverse};

static double f(const double *x) {
  double s = 0;
  for (int i = 0; i < 3; i++) s += none(x[i]) + number(x[i]) * i + count(x[i], i + 2);
  for (int i = 0; i < 2; i++) s += block(x[i], x[i + 1]);
  return s + wide(x[0], x[1], x[2]);
}

int main(void) {
  double x[3] = {0.7, -1.2, 1.9}, dx[3] = {0};
  __enzyme_autodiff((void *)f, x, dx);
  for (int i = 0; i < 3; i++) {
    double e = cos(x[i]) + 3 * x[i] * x[i] * i + (i + 2) * pow(x[i], i + 1);
    if (i > 0) e += x[i - 1];
    if (i < 2) e += x[i + 1];
    e += x[0] * x[1] * x[2] / x[i];
    check_value("gradient", dx[i], 2 * e, 1e-13);
  }
  check_value("tapes freed", blocks, 0, 0);
  return check_done();
}
