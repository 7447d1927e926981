/* One of the loops over steps, named by LOOP, as the harness's timer calls it: each step waits for the one before. */
#include <math.h>
#include <string.h>
extern void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const;

struct problem {
    int n;
    const double *x;
    double *y, *dx;
};
struct place {
    double x, y, z;
};

static struct place along(struct place s, double h, struct place d) {
    struct place next = {s.x + h * d.x, s.y + h * d.y, s.z + h * d.z};
    return next;
}

/* A number that Newton's method, damped, takes to a root of x^3 - p x - q. */
static double newton(const double *p, int n) {
    double x = p[0];
    for (int i = 0; i < n; i++) {
        x -= 1e-4 * (x * x * x - p[1] * x - p[2]) / (3.0 * x * x - p[1] + 10.0);
    }
    return x;
}

/* A planet, by the semi-implicit Euler method. */
static double orbit(const double *p, int n) {
    double x = p[0], y = p[1], u = p[2], v = p[3];
    for (int i = 0; i < n; i++) {
        double square = x * x + y * y, pull = 1e-4 / (square * sqrt(square));
        u -= x * pull;
        v -= y * pull;
        x += 1e-4 * u;
        y += 1e-4 * v;
    }
    return x * x + 2.0 * y;
}

/* Growth with something added in each step, of which the derivative is asked. */
static double inputs(const double *p, int n) {
    double x = p[0];
    for (int i = 0; i < n; i++) {
        x += 1e-3 * x * (1.0 - x * x / (2.0 + p[i])) + 1e-3 * p[i];
    }
    return x * x;
}

static struct place slope(struct place s, const double *p) {
    struct place d = {p[3] * (s.y - s.x), s.x * (p[4] - s.z) - s.y, s.x * s.y - p[5] * s.z};
    return d;
}

/* The Lorenz system by the classical Runge-Kutta method. */
static double lorenz(const double *p, int n) {
    const double h = 1e-4;
    struct place s = {p[0], p[1], p[2]};
    for (int i = 0; i < n; i++) {
        struct place a = slope(s, p), b = slope(along(s, h / 2.0, a), p), c = slope(along(s, h / 2.0, b), p);
        struct place d = slope(along(s, h, c), p);
        s = along(along(s, h / 6.0, a), h / 6.0, along(d, 2.0, along(b, 1.0, c)));
    }
    return s.x * s.x + s.z;
}

void adbench_primal(struct problem *p) { *p->y = LOOP(p->x, p->n); }

void adbench_derivative(struct problem *p) {
    memset(p->dx, 0, sizeof(double) * p->n);
    __enzyme_autodiff((void *)LOOP, enzyme_dup, p->x, p->dx, enzyme_const, p->n);
}
