// What programs of Numba call of its runtime libraries, written again in terms of which derivatives are known: loads,
// stores, malloc and free, and BLAS and LAPACK under their own names, for which the engine has bodies.
//
// A block of numbers stands apart from what is known of it, so that counts of references, which are never looked at by
// others, become constants where a function makes and gives up an array. The counts are not atomic: each call has its
// own. WITH_DESTRUCTORS: some blocks of the program have one. Names and parameters are those of Numba 0.68:
// numba/core/runtime/nrt.cpp, numba/_lapack.c.

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Destructor)(void *data, size_t size, void *info);

struct MemInfo {
  size_t references;
  Destructor destructor;
  void *info;
  void *data;
  size_t size;
  void *allocator;
};

// In the size of a block that was made here, so that one that Numba made is not taken for it (numba_calls.py).
static const size_t MADE_HERE = (size_t)1 << 63;

#define INLINE static inline __attribute__((always_inline))
#define BODY __attribute__((always_inline))

INLINE MemInfo *made(size_t size, Destructor destructor) {
  MemInfo *block = (MemInfo *)malloc(sizeof(MemInfo));
  if (block == nullptr) return nullptr;
  void *data = malloc(size);
  if (data == nullptr) {
    free(block);
    return nullptr;
  }
  block->references = 1;
  block->destructor = destructor;
  block->info = nullptr;
  block->data = data;
  block->size = size | MADE_HERE;
  block->allocator = nullptr;
  return block;
}

extern "C" {

void *NRT_Allocate(size_t size) { return malloc(size); }
void NRT_Free(void *block) { free(block); }

void *NRT_MemInfo_alloc(size_t size) { return made(size, nullptr); }
void *NRT_MemInfo_alloc_safe(size_t size) { return made(size, nullptr); }
void *NRT_MemInfo_alloc_aligned(size_t size, uint32_t) { return made(size, nullptr); }
void *NRT_MemInfo_alloc_safe_aligned(size_t size, uint32_t) { return made(size, nullptr); }
void *NRT_MemInfo_alloc_dtor(size_t size, void *destructor) { return made(size, (Destructor)destructor); }
void *NRT_MemInfo_alloc_dtor_safe(size_t size, void *destructor) { return made(size, (Destructor)destructor); }
void *NRT_MemInfo_new_varsize(size_t size) { return made(size, nullptr); }
void *NRT_MemInfo_new_varsize_dtor(size_t size, void *destructor) { return made(size, (Destructor)destructor); }

void *NRT_MemInfo_varsize_alloc(void *info, size_t size) {
  MemInfo *block = (MemInfo *)info;
  block->data = malloc(size);
  if (block->data == nullptr) return nullptr;
  block->size = size | (block->size & MADE_HERE);
  return block->data;
}

void *NRT_MemInfo_varsize_realloc(void *info, size_t size) {
  MemInfo *block = (MemInfo *)info;
  block->data = realloc(block->data, size);
  if (block->data == nullptr) return nullptr;
  block->size = size | (block->size & MADE_HERE);
  return block->data;
}

void NRT_MemInfo_varsize_free(void *info, void *data) {
  MemInfo *block = (MemInfo *)info;
  free(data);
  if (block->data == data) block->data = nullptr;
}

void *NRT_MemInfo_data_fast(void *info) { return ((MemInfo *)info)->data; }

void NRT_incref(void *info) {
  if (info != nullptr) ((MemInfo *)info)->references += 1;
}

void NRT_decref(void *info) {
  MemInfo *block = (MemInfo *)info;
  if (block == nullptr) return;
  block->references -= 1;
  if (block->references != 0) return;
#ifdef WITH_DESTRUCTORS
  if (block->destructor != nullptr) block->destructor(block->data, block->size & ~MADE_HERE, block->info);
#endif
  free(block->data);
  free(block);
}

// Strides of the same elements in another shape, where they need no copy: runs of old dimensions that lie one behind
// another are cut anew into runs of new ones. Dimensions of one element do not matter.
int numba_attempt_nocopy_reshape(intptr_t rank, const intptr_t *extents, const intptr_t *strides, intptr_t new_rank,
                                 const intptr_t *new_extents, intptr_t *new_strides, intptr_t item_size,
                                 int first_fastest) {
  intptr_t elements = 1, new_elements = 1;
  for (intptr_t i = 0; i < rank; i++) elements *= extents[i];
  for (intptr_t i = 0; i < new_rank; i++) new_elements *= new_extents[i];
  if (elements != new_elements) return 0;
  if (elements == 0) {
    for (intptr_t i = 0; i < new_rank; i++) new_strides[i] = item_size;
    return 1;
  }
  intptr_t from = 0, to = 0, last = item_size;
  for (;;) {
    while (from < rank && extents[from] == 1) from++;
    if (from == rank) break;
    intptr_t end = from + 1, new_end = to, there = extents[from], here = 1, behind = from;
    while (here != there || here == 1) {
      if (here < there || here == 1) {
        here *= new_extents[new_end++];
      } else {
        while (extents[end] == 1) end++;
        const intptr_t outer = first_fastest ? end : behind, inner = first_fastest ? behind : end;
        if (strides[outer] != extents[inner] * strides[inner]) return 0;
        there *= extents[end];
        behind = end++;
      }
    }
    if (first_fastest) {
      last = strides[from];
      for (intptr_t i = to; i < new_end; i++) {
        new_strides[i] = last;
        last *= new_extents[i];
      }
    } else {
      last = strides[behind];
      for (intptr_t i = new_end; i-- > to;) {
        new_strides[i] = last;
        last *= new_extents[i];
      }
      last = strides[behind];
    }
    from = end;
    to = new_end;
  }
  for (intptr_t i = to; i < new_rank; i++) new_strides[i] = last;
  return 1;
}

double numba_gamma(double x) { return tgamma(x); }
float numba_gammaf(float x) { return tgammaf(x); }
double numba_ldexp(double x, int exponent) { return ldexp(x, exponent); }
float numba_ldexpf(float x, int exponent) { return ldexpf(x, exponent); }
double numba_frexp(double x, int *exponent) { return frexp(x, exponent); }
float numba_frexpf(float x, int *exponent) { return frexpf(x, exponent); }

// --- linear algebra: kinds are s, d, c and z, as in the names of BLAS ------------------------------------------------

#define EACH_REAL(DO) DO(float, s) DO(double, d)
#define EACH_COMPLEX(DO) DO(float, c) DO(double, z)
#define DECLARED(T, k)                                                                                               \
  T k##dot_(const int *n, const T *x, const int *incx, const T *y, const int *incy);                                 \
  T k##nrm2_(const int *n, const T *x, const int *incx);                                                             \
  void k##gemv_(const char *trans, const int *m, const int *n, const T *alpha, const T *a, const int *lda,           \
                const T *x, const int *incx, const T *beta, T *y, const int *incy);                                  \
  void k##gemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k, const T *alpha,    \
                const T *a, const int *lda, const T *b, const int *ldb, const T *beta, T *c, const int *ldc);        \
  void k##getrf_(const int *m, const int *n, T *a, const int *lda, int *ipiv, int *info);                            \
  void k##getrs_(const char *trans, const int *n, const int *nrhs, const T *a, const int *lda, const int *ipiv,      \
                 T *b, const int *ldb, int *info);                                                                   \
  void k##gesv_(const int *n, const int *nrhs, T *a, const int *lda, int *ipiv, T *b, const int *ldb, int *info);    \
  void k##potrf_(const char *uplo, const int *n, T *a, const int *lda, int *info);
EACH_REAL(DECLARED)
}

namespace {

template <class T>
struct Complex {
  T re, im;
};

template <class T>
INLINE Complex<T> times(Complex<T> a, Complex<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <class T>
INLINE Complex<T> element(const Complex<T> *a, intptr_t lda, char trans, intptr_t row, intptr_t column) {
  Complex<T> found = trans == 'n' || trans == 'N' ? a[row + column * lda] : a[column + row * lda];
  if (trans == 'c' || trans == 'C') found.im = -found.im;
  return found;
}

template <class T>
INLINE int complex_dot(char conjugate, intptr_t n, const Complex<T> *x, const Complex<T> *y, Complex<T> *result) {
  Complex<T> sum = {0, 0};
  for (intptr_t i = 0; i < n; i++) {
    Complex<T> left = x[i];
    if (conjugate) left.im = -left.im;
    const Complex<T> product = times(left, y[i]);
    sum.re += product.re;
    sum.im += product.im;
  }
  *result = sum;
  return 0;
}

// c is one column of n = 1, or a matrix.
template <class T>
INLINE int complex_gemm(char transa, char transb, intptr_t m, intptr_t n, intptr_t k, const Complex<T> *alpha,
                        const Complex<T> *a, intptr_t lda, const Complex<T> *b, intptr_t ldb, const Complex<T> *beta,
                        Complex<T> *c, intptr_t ldc) {
  const bool keeps = beta->re != 0 || beta->im != 0;
  for (intptr_t j = 0; j < n; j++) {
    for (intptr_t i = 0; i < m; i++) {
      Complex<T> sum = {0, 0};
      for (intptr_t l = 0; l < k; l++) {
        const Complex<T> product = times(element(a, lda, transa, i, l), element(b, ldb, transb, l, j));
        sum.re += product.re;
        sum.im += product.im;
      }
      sum = times(*alpha, sum);
      if (keeps) {
        const Complex<T> old = times(*beta, c[i + j * ldc]);
        sum.re += old.re;
        sum.im += old.im;
      }
      c[i + j * ldc] = sum;
    }
  }
  return 0;
}

template <class T>
INLINE bool is_transposed(T flag) {
  return flag != 'n' && flag != 'N';
}

}  // namespace

extern "C" {

BODY int numba_xxdot(char kind, char conjugate, intptr_t n, void *x, void *y, void *result) {
  const int size = (int)n, one = 1;
#define CASE(T, k)                                                         \
  case #k[0]:                                                              \
    *(T *)result = k##dot_(&size, (T *)x, &one, (T *)y, &one);             \
    return 0;
  switch (kind) {
    EACH_REAL(CASE)
    case 'c':
      return complex_dot(conjugate, n, (Complex<float> *)x, (Complex<float> *)y, (Complex<float> *)result);
    default:
      return complex_dot(conjugate, n, (Complex<double> *)x, (Complex<double> *)y, (Complex<double> *)result);
  }
#undef CASE
}

BODY int numba_xxnrm2(char kind, intptr_t n, void *x, intptr_t incx, void *result) {
  const int size = (int)n, step = (int)incx;
#define CASE(T, k)                                    \
  case #k[0]:                                         \
    *(T *)result = k##nrm2_(&size, (T *)x, &step);    \
    return 0;
#define COMPLEX(T, k)                                                                   \
  case #k[0]: {                                                                         \
    T sum = 0;                                                                          \
    for (intptr_t i = 0; i < n; i++) {                                                  \
      const Complex<T> each = ((Complex<T> *)x)[i * incx];                              \
      sum += each.re * each.re + each.im * each.im;                                     \
    }                                                                                   \
    *(T *)result = (T)sqrt((double)sum);                                                \
    return 0;                                                                           \
  }
  switch (kind) {
    EACH_REAL(CASE)
    EACH_COMPLEX(COMPLEX)
  }
#undef CASE
#undef COMPLEX
  return -1;
}

BODY int numba_xxgemv(char kind, char trans, intptr_t m, intptr_t n, void *alpha, void *a, intptr_t lda, void *x,
                 void *beta, void *y) {
  const int rows = (int)m, columns = (int)n, leading = (int)lda, one = 1;
#define CASE(T, k)                                                                                                   \
  case #k[0]:                                                                                                        \
    k##gemv_(&trans, &rows, &columns, (T *)alpha, (T *)a, &leading, (T *)x, &one, (T *)beta, (T *)y, &one);          \
    return 0;
#define COMPLEX(T, k)                                                                                                \
  case #k[0]:                                                                                                        \
    return complex_gemm(trans, 'n', is_transposed(trans) ? n : m, 1, is_transposed(trans) ? m : n, (Complex<T> *)alpha, \
                        (Complex<T> *)a, lda, (Complex<T> *)x, 1, (Complex<T> *)beta, (Complex<T> *)y, 1);
  switch (kind) {
    EACH_REAL(CASE)
    EACH_COMPLEX(COMPLEX)
  }
#undef CASE
#undef COMPLEX
  return -1;
}

BODY int numba_xxgemm(char kind, char transa, char transb, intptr_t m, intptr_t n, intptr_t k, void *alpha, void *a,
                 intptr_t lda, void *b, intptr_t ldb, void *beta, void *c, intptr_t ldc) {
  const int rows = (int)m, columns = (int)n, inner = (int)k, leada = (int)lda, leadb = (int)ldb, leadc = (int)ldc;
#define CASE(T, k)                                                                                                   \
  case #k[0]:                                                                                                        \
    k##gemm_(&transa, &transb, &rows, &columns, &inner, (T *)alpha, (T *)a, &leada, (T *)b, &leadb, (T *)beta,       \
             (T *)c, &leadc);                                                                                        \
    return 0;
#define COMPLEX(T, kind)                                                                                             \
  case #kind[0]:                                                                                                     \
    return complex_gemm(transa, transb, m, n, k, (Complex<T> *)alpha, (Complex<T> *)a, lda, (Complex<T> *)b, ldb,    \
                        (Complex<T> *)beta, (Complex<T> *)c, ldc);
  switch (kind) {
    EACH_REAL(CASE)
    EACH_COMPLEX(COMPLEX)
  }
#undef CASE
#undef COMPLEX
  return -1;
}

// Factorisations of complex matrices have no derivative here: the engine refuses these names.
#define COMPLEX_DECLARED(T, k)                                                                                 \
  void k##getrf_(const int *m, const int *n, void *a, const int *lda, int *ipiv, int *info);                   \
  void k##getri_(const int *n, void *a, const int *lda, const int *ipiv, void *work, const int *lwork, int *info); \
  void k##gesv_(const int *n, const int *nrhs, void *a, const int *lda, int *ipiv, void *b, const int *ldb, int *info); \
  void k##potrf_(const char *uplo, const int *n, void *a, const int *lda, int *info);
EACH_COMPLEX(COMPLEX_DECLARED)

BODY int numba_xxgetrf(char kind, intptr_t m, intptr_t n, void *a, intptr_t lda, int *ipiv) {
  const int rows = (int)m, columns = (int)n, leading = (int)lda;
  int info = 0;
#define CASE(T, k)                                                 \
  case #k[0]:                                                      \
    k##getrf_(&rows, &columns, (T *)a, &leading, ipiv, &info);     \
    return info;
  switch (kind) { EACH_REAL(CASE) EACH_COMPLEX(CASE) }
#undef CASE
  return -1;
}

// The inverse from its factors: the columns of the unit matrix are solved for, one call for all of them.
BODY int numba_ez_xxgetri(char kind, intptr_t n, void *a, intptr_t lda, int *ipiv) {
  const int size = (int)n, leading = (int)lda;
  int info = 0;
#define CASE(T, k)                                                                           \
  case #k[0]: {                                                                              \
    T *inverse = (T *)malloc(sizeof(T) * n * n);                                             \
    if (inverse == nullptr) return -1;                                                       \
    for (intptr_t j = 0; j < n; j++)                                                         \
      for (intptr_t i = 0; i < n; i++) inverse[i + j * n] = i == j ? 1 : 0;                  \
    k##getrs_("N", &size, &size, (T *)a, &leading, ipiv, inverse, &size, &info);             \
    for (intptr_t j = 0; j < n; j++)                                                         \
      for (intptr_t i = 0; i < n; i++) ((T *)a)[i + j * lda] = inverse[i + j * n];           \
    free(inverse);                                                                           \
    return info;                                                                             \
  }
#define COMPLEX(T, k)                                                                        \
  case #k[0]: {                                                                              \
    void *work = malloc(sizeof(T) * 2 * n);                                                  \
    if (work == nullptr) return -1;                                                          \
    k##getri_(&size, a, &leading, ipiv, work, &size, &info);                                 \
    free(work);                                                                              \
    return info;                                                                             \
  }
  switch (kind) { EACH_REAL(CASE) EACH_COMPLEX(COMPLEX) }
#undef CASE
#undef COMPLEX
  return -1;
}

BODY int numba_xgesv(char kind, intptr_t n, intptr_t nrhs, void *a, intptr_t lda, int *ipiv, void *b, intptr_t ldb) {
  const int size = (int)n, sides = (int)nrhs, leada = (int)lda, leadb = (int)ldb;
  int info = 0;
#define CASE(T, k)                                                             \
  case #k[0]:                                                                  \
    k##gesv_(&size, &sides, (T *)a, &leada, ipiv, (T *)b, &leadb, &info);      \
    return info;
  switch (kind) { EACH_REAL(CASE) EACH_COMPLEX(CASE) }
#undef CASE
  return -1;
}

BODY int numba_xxpotrf(char kind, char uplo, intptr_t n, void *a, intptr_t lda) {
  const int size = (int)n, leading = (int)lda;
  int info = 0;
#define CASE(T, k)                                             \
  case #k[0]:                                                  \
    k##potrf_(&uplo, &size, (T *)a, &leading, &info);          \
    return info;
  switch (kind) { EACH_REAL(CASE) EACH_COMPLEX(CASE) }
#undef CASE
  return -1;
}
}
