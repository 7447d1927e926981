/* Numbers looked at and changed as bits: sign, magnitude, exponent, NaN tests by hand. */
#include "scalar_table.h"
static uint64_t bits(double x) { uint64_t b; memcpy(&b, &x, 8); return b; }
static double number(uint64_t b) { double x; memcpy(&x, &b, 8); return x; }
static double magnitude(double x) { return number(bits(x) & 0x7fffffffffffffffull); }
static double negative(double x) { return number(bits(x) ^ 0x8000000000000000ull); }
static int exponent(double x) { return (int)((bits(x) >> 52) & 2047) - 1023; }
static int is_nan(double x) { return (bits(x) & 0x7fffffffffffffffull) > 0x7ff0000000000000ull; }
static float magnitude_f(float x) { uint32_t b; memcpy(&b, &x, 4); b &= 0x7fffffffu; memcpy(&x, &b, 4); return x; }
#define TABLE(row)                                                    \
  row(b_magnitude, magnitude(x) * y, -2.4, 1.3)                        \
  row(b_negative, negative(x) * y, -2.4, 1.3)                          \
  row(b_exponent, exponent(x) * y + x, 5.4, 1.3)                       \
  row(b_nan, is_nan(x) ? 0 : x * y, 5.4, 1.3)                          \
  row(b_float, (double)magnitude_f((float)-2) * y + x, 5.4, 1.3)
TABLE(DEFINE_ROW)
int main(void) { TABLE(RUN_ROW) return check_done(); }
