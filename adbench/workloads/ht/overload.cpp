/* The Jacobian by a tool that overloads operators: 26 directions for theta, and two more that move the two own
 * parameters of all points at once. */
#include "ht.c"

extern "C" {
#include "primal.c"
}

#include <string.h>

#include "overload.hpp"

enum { THETA = HT_HAND + HT_JOINTS, OWN = 2 };

struct whole {
    const struct ht_model *model;
    const struct ht_data *data;

    template <class T> void operator()(const T *x, T *y) const {
        ht_objective<T>(model, data, x, x + HT_HAND, x + THETA, y);
    }
};

template <int K> static void derive(struct ht_problem *p, double *columns) {
    struct ht_model model = ht_model_of(p);
    struct ht_data data = ht_data_of(p);
    const long own = p->complicated ? OWN * (long)p->n : 0, size = THETA + own;
    numbers<double> x(size);
    numbers<int> lane(size);
    for (long i = 0; i < size; i++) {
        x[i] = i < THETA ? p->theta[i] : p->us[i - THETA];
        lane[i] = (int)(i < THETA ? i : THETA + (i - THETA) % OWN);
    }
    tool::directions<K>(size, x, lane, 3L * p->n, columns, whole{&model, &data});
}

extern "C" void adbench_derivative(struct ht_problem *p) {
    if (!p->complicated) {
        derive<THETA>(p, p->jtheta);
        return;
    }
    const long column = 3L * p->n;
    numbers<double> columns(column * (THETA + OWN));
    derive<THETA + OWN>(p, columns);
    memcpy(p->jtheta, columns, sizeof(double) * (size_t)(column * THETA));
    memcpy(p->jus, columns + column * THETA, sizeof(double) * (size_t)(column * OWN));
}
