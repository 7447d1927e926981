/* The objective of the BA workload: bundle adjustment, one observation at a time.
 *
 * Observation i sees point X[point] with camera cams[camera] at feats[i]. Its two residuals and its weight's error are
 *
 *   w_i (project(cams[camera], X[point]) - feats[i])   and   1 - w_i^2.
 *
 * A camera is 11 numbers: a rotation as axis times angle (3), the centre (3), the focal length, the principal point (2)
 * and two coefficients of radial distortion. A point x is turned by Rodrigues' formula about the axis a = r / |r|,
 *
 *   R x = x cos t + (a x x) sin t + a (a . x) (1 - cos t),   t = |r|,
 *
 * divided by its depth and distorted by 1 + k1 r^2 + k2 r^4. Formulas, parameters and their order are those of
 * ADBench's BA (Srajer, Kukelova, Fitzgibbon), so that its published results can be set beside ours. */
#ifndef ADBENCH_BA_C
#define ADBENCH_BA_C

#include "../../native/real.h"

enum { BA_ROTATION = 0, BA_CENTRE = 3, BA_FOCAL = 6, BA_PRINCIPAL = 7, BA_RADIAL = 9, BA_CAMERA = 11 };

ADBENCH_TEMPLATE static void ba_cross(const Real *a, const Real *b, Real *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

ADBENCH_TEMPLATE static Real ba_dot(const Real *a, const Real *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* out = R(rotation) x; to first order where the angle is exactly zero, where the derivative is that of x + r x x. */
ADBENCH_TEMPLATE static void ba_rotate(const Real *rotation, const Real *x, Real *out) {
    Real square = ba_dot(rotation, rotation);
    Real axis[3], turned[3];
    if (square != 0.0) {
        Real angle = sqrt(square);
        Real c = cos(angle), s = sin(angle);
        Real inverse = 1.0 / angle;
        for (int i = 0; i < 3; i++) {
            axis[i] = rotation[i] * inverse;
        }
        ba_cross(axis, x, turned);
        Real along = ba_dot(axis, x) * (1.0 - c);
        for (int i = 0; i < 3; i++) {
            out[i] = x[i] * c + turned[i] * s + axis[i] * along;
        }
    } else {
        ba_cross(rotation, x, turned);
        for (int i = 0; i < 3; i++) {
            out[i] = x[i] + turned[i];
        }
    }
}

ADBENCH_TEMPLATE static void ba_project(const Real *camera, const Real *point, Real *image) {
    Real moved[3], turned[3];
    for (int i = 0; i < 3; i++) {
        moved[i] = point[i] - camera[BA_CENTRE + i];
    }
    ba_rotate(&camera[BA_ROTATION], moved, turned);
    image[0] = turned[0] / turned[2];
    image[1] = turned[1] / turned[2];
    Real square = image[0] * image[0] + image[1] * image[1];
    Real distortion = 1.0 + camera[BA_RADIAL] * square + camera[BA_RADIAL + 1] * square * square;
    for (int i = 0; i < 2; i++) {
        image[i] = image[i] * distortion * camera[BA_FOCAL] + camera[BA_PRINCIPAL + i];
    }
}

/* err[0..1]: the residuals of one observation. */
ADBENCH_TEMPLATE static void ba_reprojection(const Real *ADBENCH_RESTRICT camera, const Real *ADBENCH_RESTRICT point,
                                             const Real *ADBENCH_RESTRICT weight, const double *ADBENCH_RESTRICT feat,
                                             Real *ADBENCH_RESTRICT err) {
    Real image[2];
    ba_project(camera, point, image);
    err[0] = *weight * (image[0] - feat[0]);
    err[1] = *weight * (image[1] - feat[1]);
}

ADBENCH_TEMPLATE static Real ba_weight_error(Real weight) { return 1.0 - weight * weight; }

/* err: 2 p residuals, then p errors of weights. obs: p pairs (camera, point). */
ADBENCH_TEMPLATE static void ba_objective(int p, const Real *ADBENCH_RESTRICT cams, const Real *ADBENCH_RESTRICT X,
                                          const Real *ADBENCH_RESTRICT w, const int *ADBENCH_RESTRICT obs,
                                          const double *ADBENCH_RESTRICT feats, Real *ADBENCH_RESTRICT err) {
    for (long i = 0; i < p; i++) {
        ba_reprojection(&cams[(long)BA_CAMERA * obs[2 * i]], &X[3L * obs[2 * i + 1]], &w[i], &feats[2 * i],
                        &err[2 * i]);
    }
    for (long i = 0; i < p; i++) {
        err[2L * p + i] = ba_weight_error(w[i]);
    }
}

#endif
