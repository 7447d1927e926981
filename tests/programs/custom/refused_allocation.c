// refused: 'get' has no integer parameter at this index, counted from 0
// reference: none (it is not compiled)
#include "check.h"
static void *get(const char *why, size_t n) { return malloc(n); }
static void put(void *p) { free(p); }
void *__enzyme_allocation_like_get[] = {(void *)get, (void *)0, (void *)"-1", (void *)put};
static double f(double x) { double *p = get("p", 8); *p = x; double r = *p * *p; put(p); return r; }
int main(void) { return __enzyme_autodiff((void *)f, 2.0) > 0; }
