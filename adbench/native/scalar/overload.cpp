/* A scalar objective and its gradient by a tool that overloads operators. */
#include "primal.cpp"

#include "overload.hpp"

struct whole {
    const struct problem *p;

    template <class T> T operator()(const T *x) const { return objective<T>(x, ARGUMENTS(p, ADBENCH_PLAIN)); }
};

extern "C" void adbench_derivative(struct problem *p) {
    *p->value = tool::gradient(PARAMETERS(p), p->x, p->dx, whole{p});
}
