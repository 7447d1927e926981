/* The tangent along tx, forward mode outside, the inner mode that is asked for. */
#include "nested.hpp"

extern "C" void adbench_tangent(struct problem *p) {
    *p->dvalue = p->inner ? saddle_slope<by_reverse>(p->x, p->tx) : saddle_slope<by_forward>(p->x, p->tx);
}
