/* Constants read from a stream while the function runs: fscanf, fgets, fread, rewinding. */
#include "check.h"

static FILE *source;
static double f(const double *x) {
  double s = 0, c, block[2];
  char line[32];
  int n = 0;
  rewind(source);
  while (n < 4 && fscanf(source, "%lf", &c) == 1) s += c * x[n] * x[n], n++;
  if (fgets(line, sizeof line, source) && fgets(line, sizeof line, source)) s *= strtod(line, 0) * x[0];
  if (fread(block, sizeof *block, 2, source) == 2) s += block[0] * x[1] * block[1];
  if (feof(source) || ferror(source)) s = -s;
  return s;
}
DERIVED(f)

int main(void) {
  double x[4] = {0.6, 0.7, -0.55, 0.75}, block[2] = {1.5, -0.25};
  source = tmpfile();
  if (!source) return 2;
  fputs("1.5 2.5 -3 0.125\n2.25\n", source);
  fwrite(block, sizeof *block, 2, source);
  CHECK_DERIVED(f, x);
  fclose(source);
  return check_done();
}
