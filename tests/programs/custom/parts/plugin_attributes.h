/* A header that a program includes by name: its attributes count as well. */
#define QUIET __attribute__((noinline, enzyme_inactive))
QUIET static double from_header(double x) { return 7 * x; }
