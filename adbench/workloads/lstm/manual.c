/* The gradient of the LSTM objective, derived and written by hand: backpropagation through time.
 *
 * What the way back needs of a layer's step is its input x, the h and c it started from, its four gates and tanh(c)
 * after it. h and c before a step, and the x of all but the first layer, are those after an earlier one, so that 7 b
 * numbers are kept for each layer and step (h, c, tanh c and the gates), in the order in which they are computed, and
 * b for the derivative of the loss by each prediction. Derivatives of gates come from their values: s' = s (1 - s) and
 * tanh' = 1 - tanh^2. */
#include <string.h>

#include "primal.c"

/* Parts of what is kept of one layer's step, b numbers each. */
enum { KEPT_H, KEPT_C, KEPT_TANH, KEPT_FORGET, KEPT_IN, KEPT_OUT, KEPT_CHANGE, KEPT };

static void step(int b, const double *ADBENCH_RESTRICT weight, const double *ADBENCH_RESTRICT bias,
                 const double *ADBENCH_RESTRICT x, const double *ADBENCH_RESTRICT before,
                 double *ADBENCH_RESTRICT kept) {
    const double *h = before + KEPT_H * b, *c = before + KEPT_C * b;
    double *forget = kept + KEPT_FORGET * b, *in = kept + KEPT_IN * b;
    double *out = kept + KEPT_OUT * b, *change = kept + KEPT_CHANGE * b;
    for (int i = 0; i < b; i++) {
        forget[i] = lstm_sigmoid(x[i] * weight[i] + bias[i]);
        in[i] = lstm_sigmoid(h[i] * weight[b + i] + bias[b + i]);
        out[i] = lstm_sigmoid(x[i] * weight[2 * b + i] + bias[2 * b + i]);
        change[i] = tanh(h[i] * weight[3 * b + i] + bias[3 * b + i]);
    }
    for (int i = 0; i < b; i++) {
        double cell = c[i] * forget[i] + in[i] * change[i];
        double squashed = tanh(cell);
        kept[KEPT_C * b + i] = cell;
        kept[KEPT_TANH * b + i] = squashed;
        kept[KEPT_H * b + i] = out[i] * squashed;
    }
}

/* One layer's step back. On entry dh and dc are the derivatives by h and c after the step, on return by those before
 * it; dx receives the derivative by its input. */
static void step_back(int b, const double *ADBENCH_RESTRICT weight, const double *ADBENCH_RESTRICT x,
                      const double *ADBENCH_RESTRICT before, const double *ADBENCH_RESTRICT kept,
                      double *ADBENCH_RESTRICT dh, double *ADBENCH_RESTRICT dc, double *ADBENCH_RESTRICT dx,
                      double *ADBENCH_RESTRICT dweight, double *ADBENCH_RESTRICT dbias) {
    const double *h = before + KEPT_H * b, *c = before + KEPT_C * b, *squashed = kept + KEPT_TANH * b;
    const double *forget = kept + KEPT_FORGET * b, *in = kept + KEPT_IN * b;
    const double *out = kept + KEPT_OUT * b, *change = kept + KEPT_CHANGE * b;
    for (int i = 0; i < b; i++) {
        double dcell = dc[i] + dh[i] * out[i] * (1.0 - squashed[i] * squashed[i]);
        double dforget = dcell * c[i] * forget[i] * (1.0 - forget[i]);
        double din = dcell * change[i] * in[i] * (1.0 - in[i]);
        double dout = dh[i] * squashed[i] * out[i] * (1.0 - out[i]);
        double dchange = dcell * in[i] * (1.0 - change[i] * change[i]);
        dweight[i] += dforget * x[i];
        dweight[b + i] += din * h[i];
        dweight[2 * b + i] += dout * x[i];
        dweight[3 * b + i] += dchange * h[i];
        dbias[i] += dforget;
        dbias[b + i] += din;
        dbias[2 * b + i] += dout;
        dbias[3 * b + i] += dchange;
        dx[i] = dforget * weight[i] + dout * weight[2 * b + i];
        dh[i] = din * weight[b + i] + dchange * weight[3 * b + i];
        dc[i] = dcell * forget[i];
    }
}

/* All steps forward; the loss. kept has c - 1 steps of l layers after the start's; by_prediction has c - 1 times b. */
static double forward(const struct lstm_problem *p, double *ADBENCH_RESTRICT kept,
                      double *ADBENCH_RESTRICT by_prediction, double *ADBENCH_RESTRICT x) {
    const int l = p->l, b = p->b;
    const long layer_size = (long)KEPT * b, step_size = layer_size * l, steps = p->c - 1;
    const double scale = -1.0 / (double)(steps * b);
    for (int layer = 0; layer < l; layer++) {
        memcpy(&kept[layer * layer_size], &p->state[2L * b * layer], sizeof(double) * 2 * (size_t)b);
    }
    double total = 0.0;
    for (long t = 0; t < steps; t++) {
        const double *input = &p->sequence[t * b], *gold = input + b;
        const double *before = &kept[t * step_size];
        double *now = &kept[(t + 1) * step_size];
        for (int i = 0; i < b; i++) {
            x[i] = input[i] * p->extra_params[i];
        }
        const double *below = x;
        for (int layer = 0; layer < l; layer++) {
            const double *weight = &p->main_params[8L * b * layer];
            step(b, weight, weight + 4 * b, below, before + layer * layer_size, now + layer * layer_size);
            below = now + layer * layer_size;
        }
        double *dy = &by_prediction[t * b];
        double sum = 2.0, gold_sum = 0.0;
        for (int i = 0; i < b; i++) {
            double y = below[i] * p->extra_params[b + i] + p->extra_params[2 * b + i];
            total += gold[i] * y;
            gold_sum += gold[i];
            dy[i] = exp(y);
            sum += dy[i];
        }
        total -= gold_sum * log(sum);
        double share = gold_sum / sum;
        for (int i = 0; i < b; i++) {
            dy[i] = scale * (gold[i] - share * dy[i]);
        }
    }
    return scale * total;
}

/* All steps backward. carried has the derivatives by h and c of all layers, dx those by one layer's input. */
static void backward(const struct lstm_problem *p, const double *ADBENCH_RESTRICT kept,
                     const double *ADBENCH_RESTRICT by_prediction, double *ADBENCH_RESTRICT x,
                     double *ADBENCH_RESTRICT carried, double *ADBENCH_RESTRICT dx) {
    const int l = p->l, b = p->b;
    const long layer_size = (long)KEPT * b, step_size = layer_size * l;
    double *dextra = p->dextra_params;
    for (long t = p->c - 2; t >= 0; t--) {
        const double *input = &p->sequence[t * b], *dy = &by_prediction[t * b];
        const double *before = &kept[t * step_size], *now = &kept[(t + 1) * step_size];
        const double *top = now + (l - 1) * layer_size;
        double *dtop = &carried[2L * b * (l - 1)];
        for (int i = 0; i < b; i++) {
            dextra[b + i] += dy[i] * top[i];
            dextra[2 * b + i] += dy[i];
            dtop[i] += dy[i] * p->extra_params[b + i];
        }
        for (int i = 0; i < b; i++) {
            x[i] = input[i] * p->extra_params[i];
        }
        for (int layer = l - 1; layer >= 0; layer--) {
            const double *below = layer ? now + (layer - 1) * layer_size : x;
            double *dweight = &p->dmain_params[8L * b * layer], *dh = &carried[2L * b * layer];
            step_back(b, &p->main_params[8L * b * layer], below, before + layer * layer_size, now + layer * layer_size,
                      dh, dh + b, dx, dweight, dweight + 4 * b);
            if (layer) {
                double *dbelow = dh - 2 * b;
                for (int i = 0; i < b; i++) {
                    dbelow[i] += dx[i];
                }
            }
        }
        for (int i = 0; i < b; i++) {
            dextra[i] += dx[i] * input[i];
        }
    }
}

void adbench_derivative(struct lstm_problem *p) {
    const size_t l = (size_t)p->l, b = (size_t)p->b, c = (size_t)p->c;
    double *kept = (double *)malloc(sizeof(double) * (KEPT * b * l * c + b * (c - 1) + (2 + 2 * l) * b));
    double *by_prediction = kept + KEPT * b * l * c;
    double *x = by_prediction + b * (c - 1), *dx = x + b, *carried = dx + b;
    memset(carried, 0, sizeof(double) * 2 * l * b);
    memset(p->dmain_params, 0, sizeof(double) * 8 * l * b);
    memset(p->dextra_params, 0, sizeof(double) * 3 * b);
    *p->loss = forward(p, kept, by_prediction, x);
    backward(p, kept, by_prediction, x, carried, dx);
    free(kept);
}
