/* Output of every kind from inside: printf, snprintf, puts, putchar, fputs, fwrite, to a stream of the caller's. */
#include "check.h"

static FILE *sink;
static NOINLINE void log_value(const char *what, int i, double v) {
  char line[64];
  int n = snprintf(line, sizeof line, "%s[%d] = %.3f", what, i, v);
  fputs(line, sink);
  fputc('\n', sink);
  if (n > 200) puts("cannot be");
}
static double f(const double *x) {
  double s = 0.1;
  char buffer[32];
  for (int i = 0; i < 4; i++) {
    s = s * x[i] + sin(x[i]);
    log_value("s", i, s);
    fprintf(sink, "%g %s %c %p\n", s, "text", 'c', (void *)0);
    sprintf(buffer, "%04d", i);
    s *= 1 + 0.1 * (buffer[3] - '0') + 0.01 * strlen(buffer);
    fwrite(&s, sizeof s, 1, sink);
    putc('x', sink);
    fflush(sink);
  }
  if (s > 1e30) printf("large: %f\n", s), putchar('!'), perror("s");
  return s;
}
DERIVED(f)

int main(void) {
  double x[4] = {0.6, 0.7, -0.55, 0.75}, g[4] = {0};
  sink = tmpfile();
  if (!sink) return 2;
  CHECK_DERIVED(f, x);
  rewind(sink);
  CHECK_ENGINE(f_gradient(x, g));
  check_close("written once", 0, ENGINE ? ftell(sink) > 100 && ftell(sink) < 400 : 1, 1, 0);
  (void)g;
  fclose(sink);
  return check_done();
}
