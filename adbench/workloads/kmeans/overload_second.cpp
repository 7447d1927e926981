/* The Newton direction by a tool that overloads operators: its gradient over its Hessian's product with ones. */
#include "../../native/scalar/primal.cpp"

#include "overload.hpp"

struct whole {
    const struct problem *p;

    template <class T> T operator()(const T *x) const { return objective<T>(x, ARGUMENTS(p, ADBENCH_PLAIN)); }
};

extern "C" void adbench_derivative(struct problem *p) {
    const long size = PARAMETERS(p);
    numbers<double> diagonal(size);
    tool::newton(size, p->x, p->dx, diagonal, whole{p});
    for (long i = 0; i < size; i++) {
        p->dx[i] /= diagonal[i];
    }
}
