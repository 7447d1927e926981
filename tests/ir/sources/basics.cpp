// Everything of C++ that gives IR of its own, without the library.
extern "C" int puts(const char *);
namespace {
struct Guard { int *p; explicit Guard(int *q) : p(q) { ++*p; } ~Guard() { --*p; } };
int counter;
}
struct Base { virtual ~Base() {} virtual double value(double) const = 0; int tag = 1; };
struct Mixin { virtual int id() { return 2; } long pad = 3; };
struct Left : virtual Base { double a; Left(double a) : a(a) {} double value(double x) const override { return a * x; } };
struct Right final : Left, Mixin {
    Right(double a) : Left(a) {}
    double value(double x) const override { if (x < 0) throw *this; return Left::value(x) + tag; }
    int id() override { return 5; }
};
struct Failure { const char *what; int code; };
template <class T, int N> struct Array {
    T items[N];
    T &operator[](int i) { if (i >= N) throw Failure{"range", i}; return items[i]; }
    template <class F> auto map(F f) -> Array<decltype(f(items[0])), N> {
        Array<decltype(f(items[0])), N> out{};
        for (int i = 0; i < N; i++) out[i] = f(items[i]);
        return out;
    }
};
template <class T> T clamp(T x, T lo, T hi) { return x < lo ? lo : hi < x ? hi : x; }
static double helper(double x) noexcept { static Guard once(&counter); return x + counter; }
thread_local Guard per_thread(&counter);
inline namespace v1 { inline int shared_inline = 4; }
int member_pointers(Mixin &m, int (Mixin::*f)(), long Mixin::*d) { return (m.*f)() + (int)(m.*d); }

double exceptions(const Base &b, double x) {
    Guard g(&counter);
    try {
        Guard inner(&counter);
        return b.value(x);
    } catch (const Failure &f) {
        return f.code;
    } catch (Left l) {
        try { throw; } catch (...) { puts("again"); }
        return l.a;
    } catch (int) {
        throw Failure{"int", 3};
    }
}
double casts(Base *b) {
    if (auto *r = dynamic_cast<Right *>(b)) return r->id();
    return static_cast<double>(reinterpret_cast<unsigned long>(b) & 7);
}
double lambdas(int n, double x) {
    Array<double, 5> a{{1, 2, 3, x, helper(x)}};
    auto scaled = a.map([=, &a](double y) { return y * n + a[1]; });
    auto chosen = scaled.map([](double y) -> float { return (float)clamp(y, 0.0, 10.0); });
    auto recursive = [](auto &self, int k) -> int { return k < 2 ? 1 : self(self, k - 1) + self(self, k - 2); };
    return chosen[n % 6] + recursive(recursive, n) + shared_inline;
}
Base *make(double a) { return a > 0 ? static_cast<Base *>(new Right(a)) : new Left(a); }
void destroy(Base *b) { delete b; }
int *grow(int *old, unsigned long n) { delete[] old; return new int[n]{1, 2, 3}; }
struct Literal { int x; constexpr Literal operator+(Literal o) const { return {x + o.x}; } };
constexpr Literal operator""_lit(unsigned long long v) { return {(int)v}; }
int constants() { constexpr Literal l = 3_lit + 4_lit; return l.x; }
int never(bool b) noexcept { if (b) exceptions(Right(1), 2); return 0; }
