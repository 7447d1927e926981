/* The sparse Jacobian of the BA objective, derived and written by hand.
 *
 * With y = R x, x = point - centre, q = (y_0, y_1) / y_2 and D(q) the distorted image, the chain is
 *
 *   d err / d camera part = w f (dD/dq) (dq/dy) (dy / d part).
 *
 * dy/dx = R, and for the rotation vector r with angle t and axis a = r / t, differentiating Rodrigues' formula gives
 *
 *   dy = (a . dr) (-sin t x + cos t a x x + sin t (a . x) a)
 *        + sin t (da x x) + (1 - cos t) (da (a . x) + a (da . x)),   da = (dr - a (a . dr)) / t.
 *
 * Rows of (dD/dq)(dq/dy) times these 3 x 3 matrices are all that is formed; the error itself is not needed. */
#include "primal.c"

/* The matrix R (row after row) and dy[k] = d(R x)/d rotation[k]; both are limits where the angle is zero. */
static void ba_rotate_d(const double *ADBENCH_RESTRICT r, const double *ADBENCH_RESTRICT x, double R[3][3],
                        double dy[3][3]) {
    double square = ba_dot(r, r);
    if (square == 0.0) {
        const double turned[3][3] = {{1.0, -r[2], r[1]}, {r[2], 1.0, -r[0]}, {-r[1], r[0], 1.0}};
        const double columns[3][3] = {{0.0, -x[2], x[1]}, {x[2], 0.0, -x[0]}, {-x[1], x[0], 0.0}};
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                R[i][j] = turned[i][j];
                dy[i][j] = columns[i][j];
            }
        }
        return;
    }
    double t = sqrt(square), inverse = 1.0 / t, c = cos(t), s = sin(t), versine = 1.0 - c;
    double a[3] = {r[0] * inverse, r[1] * inverse, r[2] * inverse};
    double along = ba_dot(a, x), turned[3];
    ba_cross(a, x, turned);
    const double cross[3][3] = {{0.0, -a[2], a[1]}, {a[2], 0.0, -a[0]}, {-a[1], a[0], 0.0}};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            R[i][j] = s * cross[i][j] + versine * a[i] * a[j];
        }
        R[i][i] += c;
    }
    double by_angle[3];
    for (int i = 0; i < 3; i++) {
        by_angle[i] = c * turned[i] + s * (along * a[i] - x[i]);
    }
    for (int k = 0; k < 3; k++) {
        double da[3], moved[3];
        for (int i = 0; i < 3; i++) {
            da[i] = -a[i] * a[k] * inverse;
        }
        da[k] += inverse;
        ba_cross(da, x, moved);
        double change = ba_dot(da, x);
        for (int i = 0; i < 3; i++) {
            dy[k][i] = a[k] * by_angle[i] + s * moved[i] + versine * (along * da[i] + change * a[i]);
        }
    }
}

static void ba_block(const double *ADBENCH_RESTRICT camera, const double *ADBENCH_RESTRICT point, double w,
                     const double *ADBENCH_RESTRICT feat, double *ADBENCH_RESTRICT block) {
    double x[3], R[3][3], dy[3][3], y[3];
    for (int i = 0; i < 3; i++) {
        x[i] = point[i] - camera[BA_CENTRE + i];
    }
    ba_rotate_d(&camera[BA_ROTATION], x, R, dy);
    for (int i = 0; i < 3; i++) {
        y[i] = ba_dot(R[i], x);
    }
    double depth = 1.0 / y[2], q[2] = {y[0] * depth, y[1] * depth};
    double square = q[0] * q[0] + q[1] * q[1];
    double k1 = camera[BA_RADIAL], k2 = camera[BA_RADIAL + 1], f = camera[BA_FOCAL];
    double distortion = 1.0 + square * (k1 + square * k2);
    double slope = 2.0 * (k1 + 2.0 * k2 * square);
    for (int i = 0; i < 2; i++) {
        double *row = block + BA_BLOCK * i;
        /* g = d image_i / d y, without f */
        double by_q[2] = {slope * q[i] * q[0], slope * q[i] * q[1]};
        by_q[i] += distortion;
        double scale = w * f * depth;
        double g[3] = {scale * by_q[0], scale * by_q[1], -scale * (by_q[0] * q[0] + by_q[1] * q[1])};
        for (int k = 0; k < 3; k++) {
            double by_point = g[0] * R[0][k] + g[1] * R[1][k] + g[2] * R[2][k];
            row[BA_ROTATION + k] = ba_dot(g, dy[k]);
            row[BA_CENTRE + k] = -by_point;
            row[BA_POINT_COLUMN + k] = by_point;
        }
        row[BA_FOCAL] = w * q[i] * distortion;
        row[BA_PRINCIPAL + i] = w;
        row[BA_PRINCIPAL + 1 - i] = 0.0;
        row[BA_RADIAL] = w * f * q[i] * square;
        row[BA_RADIAL + 1] = w * f * q[i] * square * square;
        row[BA_WEIGHT_COLUMN] = q[i] * distortion * f + camera[BA_PRINCIPAL + i] - feat[i];
    }
}

void adbench_derivative(struct ba_problem *p) {
    for (long i = 0; i < p->p; i++) {
        ba_block(&p->cams[(long)BA_CAMERA * p->obs[2 * i]], &p->X[3L * p->obs[2 * i + 1]], p->w[i], &p->feats[2 * i],
                 &p->jreprojection[2L * BA_BLOCK * i]);
    }
    for (long i = 0; i < p->p; i++) {
        p->jweight[i] = -2.0 * p->w[i];
    }
}
