// reference: none (single precision is not differentiated by differences; lane_adjoints.c holds one lane to them)
/* The same with single-precision numbers among the others, which are too coarse for differences. */
#define NARROW float
#define SINGLE
#define CLOSE 1e-6
#include "lane_adjoints.c"
