/* The functions of <math.h> in long double, against the same formulas in double: the program of elementary_float.c. */
#define REAL long double
#define SUFFIX l
#define TOLERANCES 1e-6, 1e-9
#include "elementary_float.c"
