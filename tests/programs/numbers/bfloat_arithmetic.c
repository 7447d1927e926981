/* Sums, products, quotients, conversions and branches in __bf16: the program of half_arithmetic.c. */
#define NARROW __bf16
#define TOLERANCES 1e-1, 1e-1
#include "half_arithmetic.c"
