/* The Jacobian of the HT objective, derived and written by hand.
 *
 * The hand's translation moves every residual by minus one. Its rotation R turns the skin q as the joints posed it, so
 * that the columns of its three parameters are -(dR/dr_k) q; with angle t and axis a,
 *
 *   dR = (a . dr) (-sin t (I - a a^T) + cos t [a]) + sin t [da] + (1 - cos t) (da a^T + a da^T),
 *   da = (dr - a (a . dr)) / t.
 *
 * An angle of a joint moves only its own bone and those below it: the derivative of the joint's turn is
 * carried down the tree as places are, and the skin's derivative is the same sum over bones, of those bones alone. */
#include <string.h>

#include "primal.c"

/* The skin before the whole hand is moved, and relative[bones][16], places[bones][16] on the way. */
static void pose(const struct ht_model *model, const double *ADBENCH_RESTRICT joints, double *ADBENCH_RESTRICT relative,
                 double *ADBENCH_RESTRICT places, double *ADBENCH_RESTRICT angles, double *ADBENCH_RESTRICT skin) {
    double turn[16], transform[16];
    const int vertices = model->vertices;
    ht_joint_angles(model->bones, joints, angles);
    memset(skin, 0, sizeof(double) * 3 * (size_t)vertices);
    for (int bone = 0; bone < model->bones; bone++) {
        double *place = &places[16 * bone];
        ht_euler_rotation(&angles[3 * bone], turn);
        ht_multiply(&model->relatives[16 * bone], turn, &relative[16 * bone]);
        if (model->parents[bone] < 0) {
            memcpy(place, &relative[16 * bone], sizeof(double) * 16);
        } else {
            ht_multiply(&places[16 * model->parents[bone]], &relative[16 * bone], place);
        }
        ht_multiply(place, &model->inverses[16 * bone], transform);
        ht_add_bone(vertices, transform, model->rest, &model->weights[(long)bone * vertices], skin);
    }
}

/* dR[3][9] by the three numbers of r; zero where the angle is so small that the objective does not turn. */
static void axis_rotation_d(const double *ADBENCH_RESTRICT r, double dR[3][9]) {
    double square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    memset(dR, 0, sizeof(double) * 27);
    if (square < 1e-8) return;
    double t = sqrt(square), c = cos(t), s = sin(t);
    double a[3] = {r[0] / t, r[1] / t, r[2] / t};
    for (int k = 0; k < 3; k++) {
        double da[3] = {-a[0] * a[k] / t, -a[1] * a[k] / t, -a[2] * a[k] / t};
        double cross[3];
        da[k] += 1.0 / t;
        for (int i = 0; i < 3; i++) {
            cross[i] = a[k] * c * a[i] + s * da[i];
            for (int j = 0; j < 3; j++) {
                dR[k][3 * i + j] = a[k] * s * a[i] * a[j] + (1.0 - c) * (da[i] * a[j] + a[i] * da[j]);
            }
            dR[k][4 * i] -= a[k] * s;
        }
        dR[k][1] -= cross[2];
        dR[k][2] += cross[1];
        dR[k][3] += cross[2];
        dR[k][5] -= cross[0];
        dR[k][6] -= cross[1];
        dR[k][7] += cross[0];
    }
}

/* column[n][3] = -matrix (the place on the skin that corresponds to each point), for a 3 x 3 matrix */
static void write_column(const struct ht_problem *p, const double *ADBENCH_RESTRICT matrix,
                         const double *ADBENCH_RESTRICT skin, double *ADBENCH_RESTRICT column) {
    const double *xs = skin, *ys = skin + p->vertices, *zs = ys + p->vertices;
    for (long i = 0; i < p->n; i++) {
        int which = p->correspondences[i];
        double x, y, z;
        if (p->complicated) {
            const int *corner = &p->triangles[3L * which];
            double u = p->us[2 * i], v = p->us[2 * i + 1], w = 1.0 - u - v;
            x = u * xs[corner[0]] + v * xs[corner[1]] + w * xs[corner[2]];
            y = u * ys[corner[0]] + v * ys[corner[1]] + w * ys[corner[2]];
            z = u * zs[corner[0]] + v * zs[corner[1]] + w * zs[corner[2]];
        } else {
            x = xs[which];
            y = ys[which];
            z = zs[which];
        }
        for (int row = 0; row < 3; row++) {
            column[3 * i + row] = -(matrix[3 * row] * x + matrix[3 * row + 1] * y + matrix[3 * row + 2] * z);
        }
    }
}

/* jus[2][n][3]: -R (corner 0 - corner 2) and -R (corner 1 - corner 2) */
static void us_columns(const struct ht_problem *p, const double *ADBENCH_RESTRICT R,
                       const double *ADBENCH_RESTRICT skin) {
    const long vertices = p->vertices;
    for (int side = 0; side < 2; side++) {
        double *column = p->jus + 3L * p->n * side;
        for (long i = 0; i < p->n; i++) {
            const int *corner = &p->triangles[3L * p->correspondences[i]];
            double edge[3];
            for (int row = 0; row < 3; row++) {
                edge[row] = skin[row * vertices + corner[side]] - skin[row * vertices + corner[2]];
            }
            for (int row = 0; row < 3; row++) {
                column[3 * i + row] = -(R[3 * row] * edge[0] + R[3 * row + 1] * edge[1] + R[3 * row + 2] * edge[2]);
            }
        }
    }
}

/* dskin: what an angle of the joint of bone `first`, about x or z, does to the skin. dplaces has room for 16 bones, of
 * which those are used that the joint moves. */
static void joint_column(const struct ht_model *model, int first, int about_z, const double *ADBENCH_RESTRICT angles,
                         const double *ADBENCH_RESTRICT relative, const double *ADBENCH_RESTRICT places,
                         double *ADBENCH_RESTRICT dplaces, char *ADBENCH_RESTRICT moves,
                         double *ADBENCH_RESTRICT dskin) {
    const int vertices = model->vertices;
    double dturn[16], transform[16], base[16];
    double cx = cos(angles[3 * first]), sx = sin(angles[3 * first]);
    double cz = cos(angles[3 * first + 1]), sz = sin(angles[3 * first + 1]);
    memset(dturn, 0, sizeof dturn);
    if (about_z) {
        dturn[0] = -sz;
        dturn[1] = -cz * cx;
        dturn[2] = cz * sx;
        dturn[4] = cz;
        dturn[5] = -sz * cx;
        dturn[6] = sz * sx;
    } else {
        dturn[1] = sz * sx;
        dturn[2] = sz * cx;
        dturn[5] = -cz * sx;
        dturn[6] = -cz * cx;
        dturn[9] = cx;
        dturn[10] = -sx;
    }
    memset(dskin, 0, sizeof(double) * 3 * (size_t)vertices);
    memset(moves, 0, (size_t)model->bones);
    ht_multiply(&places[16 * model->parents[first]], &model->relatives[16 * first], base);
    ht_multiply(base, dturn, &dplaces[16 * first]);
    moves[first] = 1;
    for (int bone = first; bone < model->bones; bone++) {
        int parent = model->parents[bone];
        if (bone > first && parent >= first && moves[parent]) {
            ht_multiply(&dplaces[16 * parent], &relative[16 * bone], &dplaces[16 * bone]);
            moves[bone] = 1;
        }
        if (!moves[bone]) continue;
        ht_multiply(&dplaces[16 * bone], &model->inverses[16 * bone], transform);
        ht_add_bone(vertices, transform, model->rest, &model->weights[(long)bone * vertices], dskin);
    }
    if (model->mirrored) {
        for (int v = 0; v < vertices; v++) {
            dskin[v] = -dskin[v];
        }
    }
}

void adbench_derivative(struct ht_problem *p) {
    struct ht_model model = ht_model_of(p);
    const long n3 = 3L * p->n, vertices = p->vertices;
    double *skin = ADBENCH_NEW(6 * vertices + 51L * p->bones);
    char *moves = (char *)malloc((size_t)p->bones);
    double *dskin = skin + 3 * vertices, *relative = dskin + 3 * vertices;
    double *places = relative + 16 * p->bones, *dplaces = places + 16 * p->bones;
    double *angles = dplaces + 16 * p->bones;
    pose(&model, p->theta + HT_HAND, relative, places, angles, skin);
    if (p->mirrored) {
        for (long v = 0; v < vertices; v++) {
            skin[v] = -skin[v];
        }
    }
    double R[9], dR[3][9];
    ht_axis_rotation(p->theta, R);
    axis_rotation_d(p->theta, dR);
    for (int k = 0; k < 3; k++) {
        write_column(p, dR[k], skin, p->jtheta + n3 * k);
        double *column = p->jtheta + n3 * (HT_TRANSLATION + k);
        for (long i = 0; i < n3; i++) {
            column[i] = i % 3 == k ? -1.0 : 0.0;
        }
    }
    for (int k = 0; k < HT_JOINTS; k++) {
        int finger = k / 4, number = k % 4;
        int start = HT_FIRST_BONE + HT_FINGER_BONES * finger, joint = number < 2 ? start : start + number - 1;
        joint_column(&model, joint, number == 1, angles, relative, places, dplaces, moves, dskin);
        write_column(p, R, dskin, p->jtheta + n3 * (HT_HAND + k));
    }
    if (p->complicated) us_columns(p, R, skin);
    free(skin);
    free(moves);
}
