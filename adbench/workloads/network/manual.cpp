/* Backpropagation by hand, sample by sample. */
#include <string.h>

#include "../../native/scalar/primal.cpp"

/* dweights += share in^T, dbiases += share; where din is wanted, din = weights^T share. */
static void network_pull(int inputs, int outputs, const double *weights, const double *in, const double *share,
                         double *dweights, double *din) {
    double *dbiases = dweights + (long)inputs * outputs;
    if (din) memset(din, 0, sizeof(double) * (size_t)inputs);
    for (int o = 0; o < outputs; o++) {
        const double *row = weights + (long)o * inputs;
        double *drow = dweights + (long)o * inputs, s = share[o];
        dbiases[o] += s;
        for (int i = 0; i < inputs; i++) {
            drow[i] += s * in[i];
        }
        for (int i = 0; din && i < inputs; i++) {
            din[i] += s * row[i];
        }
    }
}

static void network_activate_pull(int size, const double *values, double *shares) {
    for (int i = 0; i < size; i++) {
        shares[i] *= 1.0 - values[i] * values[i];
    }
}

extern "C" void adbench_derivative(struct problem *p) {
    const int inputs = p->inputs, hidden = p->hidden, classes = p->classes;
    const long first_size = network_size(inputs, hidden), second_size = network_size(hidden, hidden);
    const double *second = p->x + first_size, *third = second + second_size;
    double *dsecond = p->dx + first_size, *dthird = dsecond + second_size, result = 0.0;
    const int work = 4 * hidden + classes;
    double *a = scratch<double>(work), *b = a + hidden, *da = b + hidden, *db = da + hidden, *scores = db + hidden;
    memset(p->dx, 0, sizeof(double) * (size_t)PARAMETERS(p));
    for (int sample = 0; sample < p->batch; sample++) {
        const double *in = p->data + (long)sample * inputs;
        const int label = p->labels[sample];
        network_layer(inputs, hidden, p->x, in, a);
        network_activate(hidden, a);
        network_layer(hidden, hidden, second, a, b);
        network_activate(hidden, b);
        network_layer(hidden, classes, third, b, scores);
        double loss = network_loss(classes, scores, label), normaliser = loss + scores[label];
        result += loss;
        for (int c = 0; c < classes; c++) {
            scores[c] = (exp(scores[c] - normaliser) - (c == label)) / p->batch;
        }
        network_pull(hidden, classes, third, b, scores, dthird, db);
        network_activate_pull(hidden, b, db);
        network_pull(hidden, hidden, second, a, db, dsecond, da);
        network_activate_pull(hidden, a, da);
        network_pull(inputs, hidden, p->x, in, da, p->dx, nullptr);
    }
    *p->value = result / p->batch;
    release(a, work);
}
