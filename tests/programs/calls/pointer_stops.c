/* What a derivative does when a pointer leads where none is known: it stops with a message instead of going on. Each case
 * is run in a process of its own, whose end and words are looked at. */
#include "check.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

typedef double (*unary)(double);

static NOINLINE double square(double x) { return x * x; }
/* The bits of a number put through integer arithmetic: no derivative. */
static NOINLINE double scrambled(double x) {
  union {
    double d;
    unsigned long long u;
  } v = {x};
  v.u = v.u * 3 + 1;
  return v.d;
}
unary known[2] = {square, scrambled};
unary chosen;

static NOINLINE double f(double x) { return chosen(x) * x; }

static NOINLINE int ends(void (*run)(void), const char *word) {
  int pipes[2], status = 0;
  char text[512];
  if (pipe(pipes)) return 0;
  fflush(stdout);
  pid_t child = fork();
  if (child == 0) {
    dup2(pipes[1], 2);
    run();
    _exit(0);
  }
  close(pipes[1]);
  ssize_t size = read(pipes[0], text, sizeof text - 1);
  close(pipes[0]);
  waitpid(child, &status, 0);
  text[size > 0 ? size : 0] = 0;
  if (!(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(text, word))) printf("said: %s\n", text);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(text, word) != 0;
}

#ifndef REFERENCE
static double got;
static void reverse(void) { got = __enzyme_autodiff((void *)f, enzyme_out, 3.0); }
static void forward(void) { got = __enzyme_fwddiff((void *)f, enzyme_dup, 3.0, 1.0); }
/* Code that the program holds only as bytes: x86-64 "movapd xmm0, xmm0; ret" would do, but it is never run. */
static unsigned char foreign[16];
#endif

int main(void) {
#ifndef REFERENCE
  chosen = known[0];
  reverse();
  check_value("a known function", got, 27, 1e-14);
  forward();
  check_value("a known function, forward", got, 27, 1e-14);
  chosen = known[1];
  check_value("no derivative", ends(reverse, "scrambled"), 1, 0);
  check_value("no derivative, forward", ends(forward, "scrambled"), 1, 0);
  chosen = (unary)(void *)foreign;
  check_value("foreign", ends(reverse, "not part of the program"), 1, 0);
  check_value("foreign, forward", ends(forward, "not part of the program"), 1, 0);
#endif
  return check_done();
}
