/* __bf16 in structs beside other numbers: the program of half_struct.c. */
#define NARROW __bf16
#define TOLERANCES 1e-1, 1e-1
#include "half_struct.c"
