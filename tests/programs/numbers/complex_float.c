/* C's complex numbers of float: the program of complex_double.c. */
#define REAL float
#define TOLERANCES 2e-3, 1e-4
#include "complex_double.c"
