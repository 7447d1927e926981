/* The objective of the LSTM workload: how well a network of l layers predicts each character of a sequence.
 *
 * The network is diagonal: unit i of a layer sees unit i of the layer below and itself. With the input x, the hidden
 * state h and the cell c of a layer, weights W and biases b of its four gates, and s(z) = 1 / (1 + exp(-z)),
 *
 *   forget = s(x W_0 + b_0),  in = s(h W_1 + b_1),  out = s(x W_2 + b_2),  change = tanh(h W_3 + b_3),
 *   c <- c forget + in change,   h <- out tanh(c).
 *
 * The first layer's x is the character times extra[0]; the last layer's h is scaled by extra[1] and moved by extra[2]
 * to y. With the next character g the loss is -1 / ((c - 1) b) times the sum of g_i (y_i - log(2 + sum_j exp y_j)).
 *
 * Formulas, parameters, their order and the two in the logarithm are those of ADBench's LSTM, so that its published
 * results can be set beside ours.
 *
 * Arrays: main_params[2 l][4 b], for each layer its weights and then its biases, gate after gate; extra_params[3][b];
 * state[2 l][b], for each layer h and then c; sequence[c][b]. */
#ifndef ADBENCH_LSTM_C
#define ADBENCH_LSTM_C

#include "../../native/real.h"

ADBENCH_TEMPLATE static Real lstm_sigmoid(Real x) { return 1.0 / (1.0 + exp(-x)); }

/* log(2 + sum exp x) */
ADBENCH_TEMPLATE static Real lstm_logsumexp(int n, const Real *ADBENCH_RESTRICT x) {
    Real sum = 2.0;
    for (int i = 0; i < n; i++) {
        sum += exp(x[i]);
    }
    return log(sum);
}

/* One layer's step: hidden and cell are replaced. gates has room for 4 b numbers. */
ADBENCH_TEMPLATE static void lstm_model(int b, const Real *ADBENCH_RESTRICT weight, const Real *ADBENCH_RESTRICT bias,
                                        Real *ADBENCH_RESTRICT hidden, Real *ADBENCH_RESTRICT cell,
                                        const Real *ADBENCH_RESTRICT input, Real *ADBENCH_RESTRICT gates) {
    Real *forget = gates, *ingate = gates + b, *outgate = gates + 2 * b, *change = gates + 3 * b;
    for (int i = 0; i < b; i++) {
        /* Named, so that a tool whose sums are expressions deduces a number where it calls a function. */
        Real keep = input[i] * weight[i] + bias[i], enter = hidden[i] * weight[b + i] + bias[b + i];
        Real leave = input[i] * weight[2 * b + i] + bias[2 * b + i];
        forget[i] = lstm_sigmoid(keep);
        ingate[i] = lstm_sigmoid(enter);
        outgate[i] = lstm_sigmoid(leave);
        change[i] = tanh(hidden[i] * weight[3 * b + i] + bias[3 * b + i]);
    }
    for (int i = 0; i < b; i++) {
        cell[i] = cell[i] * forget[i] + ingate[i] * change[i];
    }
    for (int i = 0; i < b; i++) {
        hidden[i] = outgate[i] * tanh(cell[i]);
    }
}

/* prediction <- what the network expects after input; state goes one step on. */
ADBENCH_TEMPLATE static void lstm_predict(int l, int b, const Real *ADBENCH_RESTRICT main_params,
                                          const Real *ADBENCH_RESTRICT extra_params, Real *ADBENCH_RESTRICT state,
                                          const double *ADBENCH_RESTRICT input, Real *ADBENCH_RESTRICT prediction,
                                          Real *ADBENCH_RESTRICT gates) {
    for (int i = 0; i < b; i++) {
        prediction[i] = input[i] * extra_params[i];
    }
    const Real *below = prediction;
    for (int layer = 0; layer < l; layer++) {
        const Real *weight = &main_params[8L * b * layer];
        Real *hidden = &state[2L * b * layer];
        lstm_model(b, weight, weight + 4 * b, hidden, hidden + b, below, gates);
        below = hidden;
    }
    for (int i = 0; i < b; i++) {
        prediction[i] = below[i] * extra_params[b + i] + extra_params[2 * b + i];
    }
}

ADBENCH_TEMPLATE static Real lstm_objective(int l, int c, int b, const Real *ADBENCH_RESTRICT main_params,
                                            const Real *ADBENCH_RESTRICT extra_params,
                                            const double *ADBENCH_RESTRICT start,
                                            const double *ADBENCH_RESTRICT sequence) {
    Real *state = ADBENCH_NEW(2L * l * b);
    Real *prediction = ADBENCH_NEW(b);
    Real *gates = ADBENCH_NEW(4L * b);
    for (long i = 0; i < 2L * l * b; i++) {
        state[i] = start[i];
    }
    Real total = 0.0;
    for (long t = 0; t < c - 1; t++) {
        lstm_predict(l, b, main_params, extra_params, state, &sequence[t * b], prediction, gates);
        Real normaliser = lstm_logsumexp(b, prediction);
        for (int i = 0; i < b; i++) {
            total += sequence[(t + 1) * b + i] * (prediction[i] - normaliser);
        }
    }
    ADBENCH_DELETE(state);
    ADBENCH_DELETE(prediction);
    ADBENCH_DELETE(gates);
    return -total / (double)((c - 1) * (long)b);
}

#endif
