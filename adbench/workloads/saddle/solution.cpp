/* The saddle point (x1, y1, x2, y2), the first player starting at x and the second at (1, 1): GradBench's module. */
#include "nested.hpp"

template <class Inner> struct first_player {
    int outer;

    double value(const double *first) const { return saddle_value<double, Inner>(first); }

    void gradient(const double *first, double *out) const { saddle_gradient<Inner>(outer, first, out); }
};

template <class Inner> void saddle_solve(const struct problem *p) {
    double *first = p->solution, *second = p->solution + 2;
    first[0] = p->x[0];
    first[1] = p->x[1];
    argmin<2>(first_player<Inner>{p->outer}, first);
    second[0] = second[1] = 1.0;
    argmin<2>(second_player<double, Inner>{first}, second);
}

extern "C" void adbench_solution(struct problem *p) {
    if (p->inner) {
        saddle_solve<by_reverse>(p);
    } else {
        saddle_solve<by_forward>(p);
    }
}
