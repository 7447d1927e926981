// needs: avx512
// flags: -ffast-math -fvectorize -fslp-vectorize -march=x86_64_v4
/* With AVX-512, whose loops have masked tails: the program of vector_reduce.c. */
#define SCATTERS
#include "vector_reduce.c"
