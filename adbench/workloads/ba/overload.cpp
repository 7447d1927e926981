/* The sparse Jacobian by a tool that overloads operators: one observation after the other, whose two residuals depend
 * on the 15 numbers of its block. */
#include "ba.c"

extern "C" {
#include "primal.c"
}

#include <string.h>

#include "overload.hpp"

struct residuals {
    const double *feat;

    template <class T> void operator()(const T *x, T *y) const {
        ba_reprojection<T>(x, x + BA_POINT_COLUMN, x + BA_WEIGHT_COLUMN, feat, y);
    }
};

struct weight_error {
    template <class T> T operator()(const T *w) const { return ba_weight_error<T>(*w); }
};

extern "C" void adbench_derivative(struct ba_problem *p) {
    double x[BA_BLOCK];
    for (long i = 0; i < p->p; i++) {
        memcpy(x, &p->cams[(long)BA_CAMERA * p->obs[2 * i]], sizeof(double) * BA_CAMERA);
        memcpy(x + BA_POINT_COLUMN, &p->X[3L * p->obs[2 * i + 1]], sizeof(double) * 3);
        x[BA_WEIGHT_COLUMN] = p->w[i];
        tool::jacobian(BA_BLOCK, x, 2, &p->jreprojection[2L * BA_BLOCK * i], residuals{&p->feats[2 * i]});
    }
    for (long i = 0; i < p->p; i++) {
        tool::gradient(1, &p->w[i], &p->jweight[i], weight_error{});
    }
}
