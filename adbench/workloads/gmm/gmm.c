/* The objective of the GMM workload: log posterior of a Gaussian mixture with a Wishart prior.
 *
 *   -n d/2 log(2 pi) + sum_i logsumexp_k( alphas_k + sum_q_k - 1/2 ||Q_k (x_i - means_k)||^2 )
 *   - n logsumexp(alphas) + log_wishart_prior
 *
 * The formula, the parameters and the structure (small helpers, scratch memory on the heap, allocated per call)
 * are those of ADBench's C objective, so that its published results can be set beside ours.
 *
 * Arrays: alphas[k]; means[k][d]; icf[k][d (d + 1) / 2], the factor Q_k of an inverse covariance as the logarithms of
 * its diagonal (d numbers) and then its strictly lower triangle, column after column; x[n][d].
 */
#ifndef ADBENCH_GMM_C
#define ADBENCH_GMM_C

#include "../../native/real.h"

#define GMM_PI 3.14159265358979323846

ADBENCH_TEMPLATE static Real arr_max(int n, const Real *ADBENCH_RESTRICT x) {
    Real m = x[0];
    for (int i = 1; i < n; i++) {
        if (m < x[i]) m = x[i];
    }
    return m;
}

ADBENCH_TEMPLATE static Real sqnorm(int n, const Real *ADBENCH_RESTRICT x) {
    Real result = 0.0;
    for (int i = 0; i < n; i++) {
        result += x[i] * x[i];
    }
    return result;
}

ADBENCH_TEMPLATE static void subtract(int d, const double *ADBENCH_RESTRICT x, const Real *ADBENCH_RESTRICT y,
                                      Real *ADBENCH_RESTRICT out) {
    for (int i = 0; i < d; i++) {
        out[i] = x[i] - y[i];
    }
}

ADBENCH_TEMPLATE static Real logsumexp(int n, const Real *ADBENCH_RESTRICT x) {
    Real largest = arr_max(n, x);
    Real sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += exp(x[i] - largest);
    }
    return log(sum) + largest;
}

/* Logarithm of the p-variate gamma function at a. */
static double log_gamma_distrib(double a, int p) {
    double out = 0.25 * p * (p - 1) * log(GMM_PI);
    for (int j = 1; j <= p; j++) {
        out += lgamma(a + 0.5 * (1 - j));
    }
    return out;
}

/* ADBench's prior, its sign included: 1/2 gamma^2 ||Q||_F^2 - m sum_q, less the normaliser. */
ADBENCH_TEMPLATE static Real log_wishart_prior(int p, int k, double gamma, int m, const Real *ADBENCH_RESTRICT sum_qs,
                                               const Real *ADBENCH_RESTRICT Qdiags,
                                               const Real *ADBENCH_RESTRICT icf) {
    int n = p + m + 1;
    int icf_size = p * (p + 1) / 2;
    double C = n * p * (log(gamma) - 0.5 * log(2.0)) - log_gamma_distrib(0.5 * n, p);
    Real out = 0.0;
    for (int ik = 0; ik < k; ik++) {
        Real frobenius = sqnorm(p, &Qdiags[(long)ik * p]) + sqnorm(icf_size - p, &icf[(long)ik * icf_size + p]);
        out += 0.5 * gamma * gamma * frobenius - m * sum_qs[ik];
    }
    return out - k * C;
}

ADBENCH_TEMPLATE static void preprocess_qs(int d, int k, const Real *ADBENCH_RESTRICT icf,
                                           Real *ADBENCH_RESTRICT sum_qs, Real *ADBENCH_RESTRICT Qdiags) {
    int icf_size = d * (d + 1) / 2;
    for (int ik = 0; ik < k; ik++) {
        sum_qs[ik] = 0.0;
        for (int id = 0; id < d; id++) {
            Real q = icf[(long)ik * icf_size + id];
            sum_qs[ik] += q;
            Qdiags[(long)ik * d + id] = exp(q);
        }
    }
}

ADBENCH_TEMPLATE static void Qtimesx(int d, const Real *ADBENCH_RESTRICT Qdiag, const Real *ADBENCH_RESTRICT ltri,
                                     const Real *ADBENCH_RESTRICT x, Real *ADBENCH_RESTRICT out) {
    for (int id = 0; id < d; id++) {
        out[id] = Qdiag[id] * x[id];
    }
    int index = 0;
    for (int i = 0; i < d; i++) {
        for (int j = i + 1; j < d; j++) {
            out[j] += ltri[index] * x[i];
            index++;
        }
    }
}

ADBENCH_TEMPLATE static Real gmm_objective(int d, int k, int n, const Real *ADBENCH_RESTRICT alphas,
                                           const Real *ADBENCH_RESTRICT means, const Real *ADBENCH_RESTRICT icf,
                                           const double *ADBENCH_RESTRICT x, double gamma, int m) {
    int icf_size = d * (d + 1) / 2;
    Real *Qdiags = ADBENCH_NEW(d * k);
    Real *sum_qs = ADBENCH_NEW(k);
    Real *xcentered = ADBENCH_NEW(d);
    Real *Qxcentered = ADBENCH_NEW(d);
    Real *main_term = ADBENCH_NEW(k);

    preprocess_qs(d, k, icf, sum_qs, Qdiags);

    Real slse = 0.0;
    for (int ix = 0; ix < n; ix++) {
        for (int ik = 0; ik < k; ik++) {
            subtract(d, &x[(long)ix * d], &means[(long)ik * d], xcentered);
            Qtimesx(d, &Qdiags[(long)ik * d], &icf[(long)ik * icf_size + d], xcentered, Qxcentered);
            main_term[ik] = alphas[ik] + sum_qs[ik] - 0.5 * sqnorm(d, Qxcentered);
        }
        slse += logsumexp(k, main_term);
    }
    Real lse_alphas = logsumexp(k, alphas);
    double constant = -n * d * 0.5 * log(2.0 * GMM_PI);
    Real result = constant + slse - n * lse_alphas + log_wishart_prior(d, k, gamma, m, sum_qs, Qdiags, icf);

    ADBENCH_DELETE(Qdiags);
    ADBENCH_DELETE(sum_qs);
    ADBENCH_DELETE(xcentered);
    ADBENCH_DELETE(Qxcentered);
    ADBENCH_DELETE(main_term);
    return result;
}

#endif
