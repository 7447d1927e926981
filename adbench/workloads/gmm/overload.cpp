/* The objective and its gradient by a tool that overloads operators. */
#include "gmm.c"

extern "C" {
#include "primal.c"
}

#include <string.h>

#include "overload.hpp"

struct whole {
    const struct gmm_problem *p;

    template <class T> T operator()(const T *x) const {
        const T *means = x + p->k, *icf = means + (long)p->k * p->d;
        return gmm_objective<T>(p->d, p->k, p->n, x, means, icf, p->x, p->gamma, p->m);
    }
};

extern "C" void adbench_derivative(struct gmm_problem *p) {
    const long k = p->k, means = k * p->d, icf = k * (p->d * (p->d + 1L) / 2), size = k + means + icf;
    numbers<double> x(size), dx(size);
    memcpy(x, p->alphas, sizeof(double) * (size_t)k);
    memcpy(x + k, p->means, sizeof(double) * (size_t)means);
    memcpy(x + k + means, p->icf, sizeof(double) * (size_t)icf);
    *p->err = tool::gradient(size, x, dx, whole{p});
    memcpy(p->dalphas, dx, sizeof(double) * (size_t)k);
    memcpy(p->dmeans, dx + k, sizeof(double) * (size_t)means);
    memcpy(p->dicf, dx + k + means, sizeof(double) * (size_t)icf);
}
