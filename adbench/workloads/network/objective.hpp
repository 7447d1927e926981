/* The mean cross-entropy of a network with two hidden layers of tanh over a batch.
 *
 * x holds, layer after layer, a weight matrix (outputs, inputs) row after row and then its biases. */
#ifndef ADBENCH_NETWORK_HPP
#define ADBENCH_NETWORK_HPP

#include <math.h>

#include "../../native/scalar/scratch.hpp"

struct problem {
    int batch, inputs, hidden, classes;
    const double *x, *data;
    const int *labels;
    double *value, *dx;
    const double *tx;
    double *dvalue;
};

static inline long network_size(int inputs, int outputs) { return (inputs + 1L) * outputs; }

#define PARAMETERS(p) \
    (network_size((p)->inputs, (p)->hidden) + network_size((p)->hidden, (p)->hidden) + \
     network_size((p)->hidden, (p)->classes))
#define ARGUMENTS(p, mark) \
    mark((p)->batch), mark((p)->inputs), mark((p)->hidden), mark((p)->classes), mark((p)->data), mark((p)->labels)

/* out = weights in + biases */
template <class T, class In>
void network_layer(int inputs, int outputs, const T *__restrict weights, const In *__restrict in, T *__restrict out) {
    const T *biases = weights + (long)inputs * outputs;
    for (int o = 0; o < outputs; o++) {
        T sum = biases[o];
        for (int i = 0; i < inputs; i++) {
            sum += weights[(long)o * inputs + i] * in[i];
        }
        out[o] = sum;
    }
}

template <class T> void network_activate(int size, T *values) {
    for (int i = 0; i < size; i++) {
        values[i] = tanh(values[i]);
    }
}

/* log(sum(exp(scores))) - scores[label] */
template <class T> T network_loss(int classes, const T *__restrict scores, int label) {
    T largest = scores[0], sum = 0.0;
    for (int c = 1; c < classes; c++) {
        if (largest < scores[c]) largest = scores[c];
    }
    for (int c = 0; c < classes; c++) {
        sum += exp(scores[c] - largest);
    }
    return log(sum) + largest - scores[label];
}

template <class T>
T objective(const T *__restrict x, int batch, int inputs, int hidden, int classes, const double *__restrict data,
            const int *__restrict labels) {
    const T *second = x + network_size(inputs, hidden), *third = second + network_size(hidden, hidden);
    T *a = scratch<T>(hidden), *b = scratch<T>(hidden), *scores = scratch<T>(classes);
    T result = 0.0;
    for (int sample = 0; sample < batch; sample++) {
        network_layer(inputs, hidden, x, data + (long)sample * inputs, a);
        network_activate(hidden, a);
        network_layer(hidden, hidden, second, a, b);
        network_activate(hidden, b);
        network_layer(hidden, classes, third, b, scores);
        result += network_loss(classes, scores, labels[sample]);
    }
    release(a, hidden);
    release(b, hidden);
    release(scores, classes);
    return result / batch;
}

#endif
