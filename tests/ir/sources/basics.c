/* Everything of C that gives an instruction or constant of its own. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct point { double x, y; };
struct mixed { char tag; int count; double value; char tail[3]; };
#pragma pack(push, 1)
struct packed { char a; int64_t b; short c[3]; };
#pragma pack(pop)
struct bits { unsigned a : 3; int b : 17; unsigned long c : 40; };
union pun { double d; uint64_t u; float f[2]; struct point *p; };
struct list { struct list *next; union pun item; };
enum color { RED, GREEN = 7, BLUE = -2 };
typedef float v4 __attribute__((vector_size(16)));
typedef int i8v __attribute__((vector_size(32)));
typedef double (*unary)(double);

static const unary table[] = {sin, cos, exp, 0};
static const char text[] = "tab\there \"quoted\" \x01\xff end";
const struct mixed initial = {'x', -3, 0x1.8p-3, {1, 2, 3}};
struct packed packed_global = {1, INT64_MIN, {4, 5, 6}};
int *pointer_inside = &((struct { int a[4]; }){{1, 2, 3, 4}}).a[2];
double weights[3][4] = {{1, 2}, {0.1, INFINITY}, {-0.0}};
_Thread_local int per_thread = 4;
__attribute__((weak)) int weak_global;
__attribute__((section(".custom"), aligned(64))) int sectioned = 9;
long double extended = 1.25L;
_Float16 half_global = 1.5f16;
__int128 wide = ((__int128)1 << 100) + 7;
double _Complex z0 = 1.0 + 2.0 * I;

double sum(const double *restrict x, size_t n, struct mixed m) {
    double total = 0;
    for (size_t i = 0; i < n; i++) {
        total += x[i] * m.value;
        if (total > 100) total = sqrt(total);
        else if (isnan(total)) return NAN;
    }
    return total;
}

int variadic(int count, ...) {
    va_list list, copy;
    va_start(list, count);
    va_copy(copy, list);
    long double wide_total = 0;
    for (int i = 0; i < count; i++) wide_total += va_arg(list, double) + va_arg(list, int);
    struct point p = va_arg(copy, struct point);
    va_end(copy);
    va_end(list);
    return (int)(wide_total + p.x);
}

int dispatch(enum color c, long big) {
    switch (c) {
    case RED: return 1;
    case GREEN: big *= 3; /* falls through */
    case BLUE: return (int)big;
    default:
        switch (big) { case -9000000000L: return 4; case 12 ... 15: return 5; case 1L << 40: return 6; }
    }
    return 0;
}

int computed(const unsigned char *code) {
    static const void *const labels[] = {&&push, &&add, &&halt};
    int acc = 0;
    goto *labels[*code++];
push: acc += *code++; goto *labels[*code++];
add: acc += acc; goto *labels[*code++];
halt: return acc;
}

int assembly(int x, uint64_t *hi) {
    int y, z;
    uint32_t lo;
    __asm__ volatile("mov %1, %0\n\t# {brace} \"quote\" %%" : "=r"(y) : "r"(x) : "cc", "memory");
    __asm__("cpuid" : "=a"(z), "=b"(lo) : "a"(0), "c"(0) : "edx");
    *hi = lo;
    __asm__ goto("test %0, %0\n\tjz %l1" : : "r"(x) : "cc" : out);
    return y + z;
out:
    return -1;
}

int shared;
_Bool flag;
int atomics(int v, int *p, double *d) {
    int expected = 1;
    __atomic_compare_exchange_n(&shared, &expected, v, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(p, 3, __ATOMIC_RELEASE);
    int old = __atomic_fetch_add(&shared, v, __ATOMIC_RELAXED) + __atomic_exchange_n(p, v, __ATOMIC_ACQ_REL);
    old += __atomic_fetch_nand(p, 7, __ATOMIC_SEQ_CST) + __sync_fetch_and_max(p, v) + __atomic_test_and_set(&flag, 5);
    *d += old;
    return __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
}

v4 vectors(v4 a, v4 b, i8v m, float s) {
    v4 c = a * b + s;
    c[2] = s;
    v4 d = __builtin_shufflevector(a, c, 0, 5, 2, 7);
    i8v k = m > 3;
    c += __builtin_convertvector((int __attribute__((vector_size(16)))){k[0], k[1], m[2], m[7]}, v4);
    return a[1] > 0 ? d / c : -d;
}

double _Complex complexes(double _Complex z, float _Complex w) { return z * z0 + cexp(z) / w - ~w; }
long double longs(long double x, double y) { return fabsl(x * 1e4000L) + y - (float)x; }
_Float16 halves(_Float16 a, __fp16 *b) { return a * *b + (_Float16)2.5; }
__bf16 brains(__bf16 *b) { return b[0] + b[1]; }
__int128 wides(__int128 a, unsigned __int128 b) { return a / 3 + (__int128)(b >> 65) - (__int128)1e20; }
int conversions(double d, float f, unsigned u, signed char c, uint64_t l) {
    return (int)d + (unsigned char)f + (int)(float)u + (int)(double)c + (int)(float)l + (c < 0) + (d != d) + (u >> 3) / 5 + c % 3;
}
int overflow(int a, int b, unsigned long n) {
    int r;
    if (__builtin_mul_overflow(a, b, &r)) return __builtin_popcountl(n) + __builtin_clzl(n | 1);
    return r + __builtin_bswap32(a) + (a ? b : r) + __builtin_expect(a == b, 0);
}

struct point by_value(struct point p, struct mixed big, union pun u) {
    struct bits f = {1, -5, 77};
    f.b += (int)u.u;
    memcpy(&p.x, &u, sizeof u);
    memset(big.tail, f.c, 3);
    return (struct point){p.y + big.count, f.a + f.b + big.tail[1]};
}
struct mixed large(int n) { struct mixed m = initial; m.count = n; return m; }
double walk(struct list *l, unary f) {
    double best = 0;
    while (l) { best = fmax(best, f ? f(l->item.d) : table[l->item.u & 3](l->item.f[0])); l = l->next; }
    return best + text[3] + per_thread + weights[1][1] + (double)extended + half_global;
}
int dynamic(int n, jmp_buf env) {
    int scratch[n];
    char *heap = __builtin_alloca(n);
    for (int i = 0; i < n; i++) { scratch[i] = i * i; heap[i] = (char)i; }
    if (setjmp(env)) return scratch[n - 1];
    int tail = scratch[n / 2] + heap[n / 3];
    for (;;) { if (tail-- < 0) break; if (tail == 7) continue; if (tail == 3) longjmp(env, 1); }
    return tail;
}
__attribute__((noinline, cold, malloc, returns_nonnull)) void *attributed(size_t n) __attribute__((alloc_size(1)));
void *attributed(size_t n) { static char pool[64]; __builtin_assume(n < 64); return __builtin_assume_aligned(pool + n, 1); }
static int resolver_target(void) { return 3; }
static void *resolve(void) { return (void *)resolver_target; }
int indirect(void) __attribute__((ifunc("resolve")));
extern int aliased(int, double) __attribute__((alias("variadic_alias")));
int variadic_alias(int a, double b) { return a + (int)b + indirect(); }
