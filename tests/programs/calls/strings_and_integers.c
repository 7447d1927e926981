/* String and integer work beside the numbers: hashing, parsing digits, bit counts, a work list, strlen and strcmp. */
#include "check.h"

static double side(const double *x, const char *text, int n) {
  unsigned hash = 2166136261u;
  int stack[16], top = 0, vowels = 0;
  char copy[32];
  double s = 0;
  strcpy(copy, text);
  for (size_t i = 0; i < strlen(copy); i++) {
    hash = (hash ^ (unsigned char)copy[i]) * 16777619u;
    if (strchr("aeiou", copy[i])) {
      vowels++;
      s += x[hash % (unsigned)n] * x[i % (size_t)n];
    }
    copy[i] = (char)(copy[i] ^ 0x20);
  }
  stack[top++] = n - 1;
  while (top > 0) {
    int k = stack[--top];
    s = s * 0.9 + sin(x[k]) * __builtin_popcount(hash >> k & 0xff);
    if (k > 1) stack[top++] = k / 2;
    if (k > 2) stack[top++] = k - 2;
  }
  if (strcmp(copy, "HELLO WORLD") != 0 && atoi("42") == 42) s *= vowels + 1;
  return s;
}

static double objective(const double *x) { return side(x, "gradient of a sentence", 6); }
static void gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)side, enzyme_dup, x, g, enzyme_const, "gradient of a sentence", 6);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)side, enzyme_dup, x, v, enzyme_const, "gradient of a sentence", 6);
}

int main(void) {
  double x[6] = {0.3, 2.4, -1.0, 1.7, 0.9, 0.6};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
