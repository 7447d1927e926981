/* What the kernels of this folder share: they are C for NVPTX, so that no CUDA is needed to compile them.
 *
 * A kernel is `static void NAME(double *x, double *y, int n)`, and DERIVED(NAME) defines three kernels around it:
 * the function itself, its reverse derivative and its forward derivative. All take x, dx, y, dy and n. x and y may both
 * be read and written; their shadows are adjoints of what they hold at the end, and become those of the beginning.
 */
extern void __enzyme_autodiff(void *, ...);
extern void __enzyme_fwddiff(void *, ...);
extern int enzyme_dup, enzyme_const;

#define NOINLINE __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))
#define KERNEL __attribute__((nvptx_kernel))
#define SHARED static __attribute__((address_space(3)))
#define THREAD (__nvvm_read_ptx_sreg_tid_x())
#define BLOCK (__nvvm_read_ptx_sreg_ctaid_x())
#define THREADS (__nvvm_read_ptx_sreg_ntid_x())
#define HERE ((int)(BLOCK * THREADS + THREAD))
#define WAIT() __nvvm_bar_sync(0)
#define ATOMIC_ADD(place, amount) __atomic_fetch_add(place, amount, __ATOMIC_RELAXED)

double __nv_sin(double), __nv_cos(double), __nv_exp(double), __nv_log(double), __nv_sqrt(double), __nv_pow(double, double);
float __nv_expf(float), __nv_sinf(float), __nv_tanhf(float);

#define DERIVED(name)                                                                                        \
  KERNEL void primal_##name(double *x, double *dx, double *y, double *dy, int n) { name(x, y, n); }          \
  KERNEL void reverse_##name(double *x, double *dx, double *y, double *dy, int n) {                          \
    __enzyme_autodiff((void *)name, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);                  \
  }                                                                                                          \
  KERNEL void forward_##name(double *x, double *dx, double *y, double *dy, int n) {                          \
    __enzyme_fwddiff((void *)name, enzyme_dup, x, dx, enzyme_dup, y, dy, enzyme_const, n);                   \
  }
