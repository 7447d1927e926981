// Compiles without any header, for any target.
struct Point { float x, y, z; };
struct Pair { double a; int b; };
extern "C" double sqrt(double);
extern "C" void may_throw(int *);
struct Guard { int *p; ~Guard() { ++*p; } };
double norm(const double *x, long n) { double s = 0; for (long i = 0; i < n; i++) s += x[i] * x[i]; return sqrt(s); }
void saxpy(float *y, const float *x, float a, int n) { for (int i = 0; i < n; i++) y[i] += a * x[i]; }
Pair pass(Point p, Pair q, bool flip, signed char c) { return {p.x + q.a, flip ? q.b : c}; }
int guarded(int n) {
    int count = 0;
    Guard g{&count};
    try { may_throw(&n); } catch (int e) { return e; } catch (...) { count++; }
    return count + n;
}
double virtual_call(int k) {
    struct B { virtual double f(int i) { return i; } virtual ~B() {} };
    struct D : B { double f(int i) override { return i * 2.5; } };
    B b; D d; B *p = k ? &d : &b;
    return p->f(k);
}
