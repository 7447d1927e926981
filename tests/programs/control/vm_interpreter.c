/* A bytecode interpreter: a switch in an endless loop, a stack of active values, jumps that depend on data. */
#include "check.h"

enum { PUSH, LOAD, STORE, ADD, MUL, SIN, DUP, SWAP, JUMP_IF_BELOW, JUMP, COUNT_DOWN, HALT };

static double run(const double *x, const int *code) {
  double stack[16], memory[4] = {0};
  int top = 0, at = 0, counter = 3;
  for (;;) {
    switch (code[at++]) {
    case PUSH: stack[top++] = 0.25 * code[at++]; break;
    case LOAD: {
      int k = code[at++];
      stack[top++] = k < 8 ? x[k] : memory[k - 8];
      break;
    }
    case STORE: memory[code[at++] - 8] = stack[--top]; break;
    case ADD: top--; stack[top - 1] += stack[top]; break;
    case MUL: top--; stack[top - 1] *= stack[top]; break;
    case SIN: stack[top - 1] = sin(stack[top - 1]); break;
    case DUP: stack[top] = stack[top - 1]; top++; break;
    case SWAP: {
      double t = stack[top - 1];
      stack[top - 1] = stack[top - 2];
      stack[top - 2] = t;
      break;
    }
    case JUMP_IF_BELOW: {
      double limit = 0.25 * code[at++];
      int target = code[at++];
      if (stack[top - 1] < limit) at = target;
      break;
    }
    case JUMP: at = code[at]; break;
    case COUNT_DOWN:
      if (--counter > 0) at = code[at];
      else at++;
      break;
    case HALT: return stack[top - 1] + memory[0] * memory[1];
    default: abort();
    }
  }
}

static const int program[] = {LOAD, 0, STORE, 8,                                   /* m0 = x0 */
                              LOAD, 1, STORE, 9,                                   /* m1 = x1 */
                              LOAD, 8, LOAD, 2, MUL, LOAD, 9, ADD, STORE, 8,       /* 8: m0 = m0 * x2 + m1 */
                              LOAD, 9, SIN, DUP, MUL, LOAD, 3, ADD, STORE, 9,      /* m1 = sin(m1)^2 + x3 */
                              LOAD, 8, JUMP_IF_BELOW, 40, 8,                       /* again while m0 < 10 */
                              COUNT_DOWN, 8, LOAD, 8, LOAD, 9, SWAP, MUL, SIN, HALT};

static double f(const double *x) { return run(x, program); }
DERIVED(f)

int main(void) {
  double x[4] = {1.3, 0.4, 1.2, 0.9}, y[4] = {3.1, -0.4, 1.7, 0.35};
  CHECK_DERIVED(f, x);
  CHECK_DERIVED(f, y);
  return check_done();
}
