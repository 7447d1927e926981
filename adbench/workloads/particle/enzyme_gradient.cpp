/* The derivative by the control in the nesting that is asked for. */
#include "nested.hpp"

extern "C" void adbench_derivative(struct problem *p) {
    if (p->inner) {
        particle_gradient<by_reverse>(p->outer, p->x, p->dx, p->h);
    } else {
        particle_gradient<by_forward>(p->outer, p->x, p->dx, p->h);
    }
}
