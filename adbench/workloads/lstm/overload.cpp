/* The objective and its gradient by a tool that overloads operators. */
#include "lstm.c"

extern "C" {
#include "primal.c"
}

#include <string.h>

#include "overload.hpp"

struct whole {
    const struct lstm_problem *p;

    template <class T> T operator()(const T *x) const {
        return lstm_objective<T>(p->l, p->c, p->b, x, x + 8L * p->l * p->b, p->state, p->sequence);
    }
};

extern "C" void adbench_derivative(struct lstm_problem *p) {
    const long main = 8L * p->l * p->b, extra = 3L * p->b;
    numbers<double> x(main + extra), dx(main + extra);
    memcpy(x, p->main_params, sizeof(double) * (size_t)main);
    memcpy(x + main, p->extra_params, sizeof(double) * (size_t)extra);
    *p->loss = tool::gradient(main + extra, x, dx, whole{p});
    memcpy(p->dmain_params, dx, sizeof(double) * (size_t)main);
    memcpy(p->dextra_params, dx + main, sizeof(double) * (size_t)extra);
}
