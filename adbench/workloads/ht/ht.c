/* The objective of the HT workload: how far a posed hand model is from measured points.
 *
 * The model is a tree of bones, each with its place in its parent's frame (relatives) and the inverse of its place at
 * rest (inverses), and a skin: vertex v is the sum over bones of weights[bone][v] times the vertex moved by the bone.
 * theta has 26 numbers: the hand's rotation as axis times angle, its translation, and for each of five fingers the
 * angles about x and z of its first joint and about x of the next two. Bones are posed from the root on,
 *
 *   place(bone) = place(parent) relative(bone) R_z R_y R_x(bone),
 *
 * and the whole skin is then turned and moved. Residual i is point i less the vertex that corresponds to it (simple),
 * or less a place inside the triangle that corresponds to it, given by two more parameters us[i] (complicated).
 *
 * The functions here are given the parameters of the hand (6) and those of its joints (20) apart, though they lie one
 * after the other: all that is done to bones depends on the joints alone.
 *
 * Formulas, parameters and their order, and the dense loop over bones, are those of ADBench's hand tracking, which
 * follows Taylor et al., User-Specific Hand Modeling from Monocular Depth Sequences (CVPR 2014), so that its published
 * results can be set beside ours. A rotation by less than 1e-4 is none there, nor is it here.
 *
 * Arrays: relatives and inverses[bones][4][4], row after row; rest[4][vertices], the vertices at rest, whose fourth
 * row is one; weights[bones][vertices]; triangles[..][3]; correspondences[n]; points[n][3]; us[n][2]. */
#ifndef ADBENCH_HT_C
#define ADBENCH_HT_C

#include "../../native/real.h"

enum { HT_TRANSLATION = 3, HT_HAND = 6, HT_JOINTS = 20, HT_FINGERS = 5, HT_FINGER_BONES = 4, HT_FIRST_BONE = 2 };

struct ht_model {
    int bones, vertices, mirrored;
    const int *parents;
    const double *relatives, *inverses, *rest, *weights;
    const int *triangles;
};

/* What is measured: one vertex or triangle for each of n points. */
struct ht_data {
    int n, complicated;
    const int *correspondences;
    const double *points;
};

/* out = a b, 4 x 4 */
ADBENCH_TEMPLATE static void ht_multiply(const Real *ADBENCH_RESTRICT a, const Real *ADBENCH_RESTRICT b,
                                         Real *ADBENCH_RESTRICT out) {
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            const Real *row = &a[4 * i];
            out[4 * i + j] = row[0] * b[j] + row[1] * b[4 + j] + row[2] * b[8 + j] + row[3] * b[12 + j];
        }
    }
}

/* R = the rotation by the angle |r| about r, 3 x 3 */
ADBENCH_TEMPLATE static void ht_axis_rotation(const Real *ADBENCH_RESTRICT r, Real *ADBENCH_RESTRICT R) {
    Real square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    if (square < 1e-8) {
        for (int i = 0; i < 9; i++) {
            R[i] = i % 4 == 0 ? 1.0 : 0.0;
        }
        return;
    }
    Real angle = sqrt(square);
    Real a[3] = {r[0] / angle, r[1] / angle, r[2] / angle};
    Real c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            R[3 * i + j] = a[i] * a[j] * (1.0 - c);
        }
        R[4 * i] += c;
    }
    R[1] -= s * a[2];
    R[2] += s * a[1];
    R[3] += s * a[2];
    R[5] -= s * a[0];
    R[6] -= s * a[1];
    R[7] += s * a[0];
}

/* out = R_z R_y R_x as a 4 x 4 matrix, from the angles in ADBench's order x, z, y */
ADBENCH_TEMPLATE static void ht_euler_rotation(const Real *ADBENCH_RESTRICT xzy, Real *ADBENCH_RESTRICT out) {
    Real cx = cos(xzy[0]), sx = sin(xzy[0]), cz = cos(xzy[1]), sz = sin(xzy[1]), cy = cos(xzy[2]), sy = sin(xzy[2]);
    for (int i = 0; i < 16; i++) {
        out[i] = 0.0;
    }
    out[0] = cz * cy;
    out[1] = cz * sy * sx - sz * cx;
    out[2] = cz * sy * cx + sz * sx;
    out[4] = sz * cy;
    out[5] = sz * sy * sx + cz * cx;
    out[6] = sz * sy * cx - cz * sx;
    out[8] = -sy;
    out[9] = cy * sx;
    out[10] = cy * cx;
    out[15] = 1.0;
}

/* angles[bones][3], of which those of the fingers' joints are parameters and all others zero */
ADBENCH_TEMPLATE static void ht_joint_angles(int bones, const Real *ADBENCH_RESTRICT joints,
                                             Real *ADBENCH_RESTRICT angles) {
    for (int i = 0; i < 3 * bones; i++) {
        angles[i] = 0.0;
    }
    for (int finger = 0; finger < HT_FINGERS; finger++) {
        const Real *next = &joints[4 * finger];
        Real *first = &angles[3 * (HT_FIRST_BONE + HT_FINGER_BONES * finger)];
        first[0] = next[0];
        first[1] = next[1];
        first[3] = next[2];
        first[6] = next[3];
    }
}

/* transforms[bones][16]: what each bone does to a vertex at rest; scratch has room for 19 bones + 48 numbers */
ADBENCH_TEMPLATE static void ht_transforms(const struct ht_model *model, const Real *ADBENCH_RESTRICT joints,
                                           Real *ADBENCH_RESTRICT transforms, Real *ADBENCH_RESTRICT scratch) {
    Real *places = scratch, *angles = scratch + 16 * model->bones;
    Real *fixed = angles + 3 * model->bones, *turn = fixed + 16, *relative = turn + 16;
    ht_joint_angles(model->bones, joints, angles);
    for (int bone = 0; bone < model->bones; bone++) {
        for (int i = 0; i < 16; i++) {
            fixed[i] = model->relatives[16 * bone + i];
        }
        ht_euler_rotation(&angles[3 * bone], turn);
        Real *place = &places[16 * bone];
        if (model->parents[bone] < 0) {
            ht_multiply(fixed, turn, place);
        } else {
            ht_multiply(fixed, turn, relative);
            ht_multiply(&places[16 * model->parents[bone]], relative, place);
        }
        for (int i = 0; i < 16; i++) {
            fixed[i] = model->inverses[16 * bone + i];
        }
        ht_multiply(place, fixed, &transforms[16 * bone]);
    }
}

/* One bone's share in the skin[3][vertices]. */
ADBENCH_TEMPLATE static void ht_add_bone(int vertices, const Real *ADBENCH_RESTRICT transform,
                                         const double *ADBENCH_RESTRICT rest, const double *ADBENCH_RESTRICT weights,
                                         Real *ADBENCH_RESTRICT skin) {
    const double *x = rest, *y = rest + vertices, *z = y + vertices, *one = z + vertices;
    for (int row = 0; row < 3; row++) {
        Real tx = transform[4 * row], ty = transform[4 * row + 1], tz = transform[4 * row + 2];
        Real t1 = transform[4 * row + 3];
        Real *out = skin + (long)row * vertices;
        for (int v = 0; v < vertices; v++) {
            out[v] += weights[v] * (tx * x[v] + ty * y[v] + tz * z[v] + t1 * one[v]);
        }
    }
}

/* skin <- R skin + translation */
ADBENCH_TEMPLATE static void ht_move(int vertices, const Real *ADBENCH_RESTRICT R, const Real *ADBENCH_RESTRICT move,
                                     Real *ADBENCH_RESTRICT skin) {
    Real *x = skin, *y = skin + vertices, *z = y + vertices;
    for (int v = 0; v < vertices; v++) {
        Real a = x[v], b = y[v], c = z[v];
        x[v] = R[0] * a + R[1] * b + R[2] * c + move[0];
        y[v] = R[3] * a + R[4] * b + R[5] * c + move[1];
        z[v] = R[6] * a + R[7] * b + R[8] * c + move[2];
    }
}

ADBENCH_TEMPLATE static void ht_skin(const struct ht_model *model, const Real *ADBENCH_RESTRICT hand,
                                     const Real *ADBENCH_RESTRICT joints, Real *ADBENCH_RESTRICT skin) {
    const int bones = model->bones, vertices = model->vertices;
    Real *transforms = ADBENCH_NEW(16 * bones);
    Real *scratch = ADBENCH_NEW(19 * bones + 48);
    ht_transforms(model, joints, transforms, scratch);
    for (long i = 0; i < 3L * vertices; i++) {
        skin[i] = 0.0;
    }
    for (int bone = 0; bone < bones; bone++) {
        ht_add_bone(vertices, &transforms[16 * bone], model->rest, &model->weights[(long)bone * vertices], skin);
    }
    if (model->mirrored) {
        for (int v = 0; v < vertices; v++) {
            skin[v] = -skin[v];
        }
    }
    Real R[9];
    ht_axis_rotation(hand, R);
    ht_move(vertices, R, hand + HT_TRANSLATION, skin);
    ADBENCH_DELETE(transforms);
    ADBENCH_DELETE(scratch);
}

/* err[n][3]; us only where the data is complicated */
ADBENCH_TEMPLATE static void ht_objective(const struct ht_model *model, const struct ht_data *data,
                                          const Real *ADBENCH_RESTRICT hand, const Real *ADBENCH_RESTRICT joints,
                                          const Real *ADBENCH_RESTRICT us, Real *ADBENCH_RESTRICT err) {
    const long vertices = model->vertices;
    Real *skin = ADBENCH_NEW(3 * vertices);
    ht_skin(model, hand, joints, skin);
    for (long i = 0; i < data->n; i++) {
        int which = data->correspondences[i];
        const int *corners = &model->triangles[3L * which];
        for (int row = 0; row < 3; row++) {
            const Real *place = skin + row * vertices;
            if (data->complicated) {
                Real u = us[2 * i], v = us[2 * i + 1];
                Real inside = u * place[corners[0]] + v * place[corners[1]] + (1.0 - u - v) * place[corners[2]];
                err[3 * i + row] = data->points[3 * i + row] - inside;
            } else {
                err[3 * i + row] = data->points[3 * i + row] - place[which];
            }
        }
    }
    ADBENCH_DELETE(skin);
}

#endif
