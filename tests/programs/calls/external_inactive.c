/* Library functions on text and memory beside the numbers: parsing, comparing, searching, absolute values of integers. */
#include "check.h"
#include <ctype.h>

static double f(const double *x, const char *settings) {
  double s = 0.5, scale = atof("0.75") + strtod("1e-2", 0);
  char copy[64], *word;
  strncpy(copy, settings, sizeof copy - 1);
  copy[63] = 0;
  for (word = copy; *word;) {
    size_t n = strcspn(word, ",");
    int more = word[n] == ',';
    word[n] = 0;
    if (!strcmp(word, "sin")) s = sin(s * x[0]);
    else if (!strncmp(word, "add", 3)) s += x[abs(atoi(word + 3)) % 4] * scale;
    else if (isdigit((unsigned char)*word)) s *= x[strtol(word, 0, 10) % 4];
    else if (strchr(word, '!') && toupper(*word) == 'X') s -= x[3] * x[3];
    word += n + more;
  }
  if (memcmp(copy, "sin", 4) == 0) s *= 1.5;
  return s;
}
static const char settings[] = "sin,add2,3,add-1,x!,sin,11,unknown,add0";
static double objective(const double *x) { return f(x, settings); }
static void gradient(const double *x, double *g) {
  __enzyme_autodiff((void *)f, enzyme_dup, x, g, enzyme_const, settings);
}
static double tangent(const double *x, const double *v) {
  return __enzyme_fwddiff((void *)f, enzyme_dup, x, v, enzyme_const, settings);
}

int main(void) {
  double x[4] = {0.6, 0.7, -0.55, 0.75};
  CHECK(objective, gradient, tangent, x);
  return check_done();
}
