// flags: -fcomplex-arithmetic=basic
/* C's complex numbers of long double: the program of complex_double.c. */
#define REAL long double
#define TOLERANCES 1e-6, 1e-9
#include "complex_double.c"
