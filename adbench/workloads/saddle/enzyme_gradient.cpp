/* The derivative by the first player's place in the nesting that is asked for. */
#include "nested.hpp"

extern "C" void adbench_derivative(struct problem *p) {
    if (p->inner) {
        saddle_gradient<by_reverse>(p->outer, p->x, p->dx);
    } else {
        saddle_gradient<by_forward>(p->outer, p->x, p->dx);
    }
}
