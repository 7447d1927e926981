/* The gradient of the GMM objective, derived and written by hand.
 *
 * With c = x_i - means_k, r = Q_k c and the responsibilities w_ik = softmax_k(main_term_ik), one point contributes
 *
 *   d/d alphas_k += w,   d/d means_k += w Q_k^T r,   d/d Q_k += -w r c^T.
 *
 * Since r = Q_k c, the sums over points need only the weighted moments of each component,
 *
 *   W_k = sum_i w,   s_k = sum_i w c,   S_k = sum_i w c c^T (symmetric: its lower triangle is kept),
 *
 * and d/d means_k = Q_k^T Q_k s_k and d/d Q_k = -Q_k S_k are formed once per component after the only pass over the
 * points. Nothing is stored per point; per component there is one centred point, which stays in cache. */
#include <string.h>

#include "primal.c"

/* S += w c c^T, the diagonal first and then the strictly lower triangle by columns, as icf is laid out. */
static void add_moment(int d, double w, const double *ADBENCH_RESTRICT c, double *ADBENCH_RESTRICT S) {
    for (int j = 0; j < d; j++) {
        S[j] += w * c[j] * c[j];
    }
    double *column = S + d;
    for (int i = 0; i < d; i++) {
        double wc = w * c[i];
        const double *rest = c + i + 1;
        int length = d - i - 1;
        for (int j = 0; j < length; j++) {
            column[j] += wc * rest[j];
        }
        column += length;
    }
}

/* The packed moment as a full symmetric matrix. */
static void unpack_moment(int d, const double *ADBENCH_RESTRICT S, double *ADBENCH_RESTRICT full) {
    const double *column = S + d;
    for (int i = 0; i < d; i++) {
        full[(long)i * d + i] = S[i];
        for (int j = i + 1; j < d; j++) {
            full[(long)i * d + j] = *column;
            full[(long)j * d + i] = *column;
            column++;
        }
    }
}

/* out = Q^T y */
static void Qtransposedtimesx(int d, const double *ADBENCH_RESTRICT Qdiag, const double *ADBENCH_RESTRICT ltri,
                              const double *ADBENCH_RESTRICT y, double *ADBENCH_RESTRICT out) {
    const double *column = ltri;
    for (int i = 0; i < d; i++) {
        double sum = Qdiag[i] * y[i];
        for (int j = i + 1; j < d; j++) {
            sum += *column++ * y[j];
        }
        out[i] = sum;
    }
}

/* The likelihood's part of d/d icf of one component: column i of -Q S, of which the rows j >= i are wanted. */
static void icf_gradient(int d, double W, const double *ADBENCH_RESTRICT Qdiag, const double *ADBENCH_RESTRICT ltri,
                         const double *ADBENCH_RESTRICT full, double *ADBENCH_RESTRICT product,
                         double *ADBENCH_RESTRICT dicf) {
    double *column = dicf + d;
    for (int i = 0; i < d; i++) {
        Qtimesx(d, Qdiag, ltri, full + (long)i * d, product);
        dicf[i] = W - product[i] * Qdiag[i];
        for (int j = i + 1; j < d; j++) {
            *column++ = -product[j];
        }
    }
}

static double gmm_gradient(const struct gmm_problem *p) {
    const int d = p->d, k = p->k, n = p->n, m = p->m;
    const long icf_size = (long)d * (d + 1) / 2;
    const double *alphas = p->alphas, *means = p->means, *icf = p->icf, *x = p->x;
    double *dalphas = p->dalphas, *dmeans = p->dmeans, *dicf = p->dicf;

    /* dalphas collects W, dmeans collects s and dicf collects S until the points are done. */
    memset(dalphas, 0, sizeof(double) * (size_t)k);
    memset(dmeans, 0, sizeof(double) * (size_t)k * (size_t)d);
    memset(dicf, 0, sizeof(double) * (size_t)k * (size_t)icf_size);

    double *scratch = (double *)malloc(sizeof(double) * ((size_t)2 * k * d + 2 * k + (size_t)d * d + 2 * d));
    double *Qdiags = scratch;
    double *centered = Qdiags + (long)k * d;
    double *sum_qs = centered + (long)k * d;
    double *main_term = sum_qs + k;
    double *full = main_term + k;
    double *first = full + (long)d * d;
    double *second = first + d;
    preprocess_qs(d, k, icf, sum_qs, Qdiags);

    double slse = 0.0;
    for (int ix = 0; ix < n; ix++) {
        for (int ik = 0; ik < k; ik++) {
            double *c = &centered[(long)ik * d];
            subtract(d, &x[(long)ix * d], &means[(long)ik * d], c);
            Qtimesx(d, &Qdiags[(long)ik * d], &icf[ik * icf_size + d], c, first);
            main_term[ik] = alphas[ik] + sum_qs[ik] - 0.5 * sqnorm(d, first);
        }
        double largest = arr_max(k, main_term);
        double sum = 0.0;
        for (int ik = 0; ik < k; ik++) {
            main_term[ik] = exp(main_term[ik] - largest);
            sum += main_term[ik];
        }
        slse += log(sum) + largest;
        double scale = 1.0 / sum;
        for (int ik = 0; ik < k; ik++) {
            double w = main_term[ik] * scale;
            const double *c = &centered[(long)ik * d];
            double *s = &dmeans[(long)ik * d];
            dalphas[ik] += w;
            for (int j = 0; j < d; j++) {
                s[j] += w * c[j];
            }
            add_moment(d, w, c, &dicf[ik * icf_size]);
        }
    }

    double lse_alphas = logsumexp(k, alphas);
    for (int ik = 0; ik < k; ik++) {
        const double *Qdiag = &Qdiags[(long)ik * d];
        const double *ltri = &icf[ik * icf_size + d];
        double *gradient = &dicf[ik * icf_size];
        double W = dalphas[ik];

        unpack_moment(d, gradient, full);
        icf_gradient(d, W, Qdiag, ltri, full, first, gradient);
        for (int j = 0; j < d; j++) {
            gradient[j] += p->gamma * p->gamma * Qdiag[j] * Qdiag[j] - m;
        }
        for (long j = d; j < icf_size; j++) {
            gradient[j] += p->gamma * p->gamma * icf[ik * icf_size + j];
        }

        Qtimesx(d, Qdiag, ltri, &dmeans[(long)ik * d], first);
        Qtransposedtimesx(d, Qdiag, ltri, first, second);
        memcpy(&dmeans[(long)ik * d], second, sizeof(double) * (size_t)d);
        dalphas[ik] = W - n * exp(alphas[ik] - lse_alphas);
    }

    double constant = -n * d * 0.5 * log(2.0 * GMM_PI);
    double result = constant + slse - n * lse_alphas + log_wishart_prior(d, k, p->gamma, m, sum_qs, Qdiags, icf);
    free(scratch);
    return result;
}

void adbench_derivative(struct gmm_problem *p) { *p->err = gmm_gradient(p); }
