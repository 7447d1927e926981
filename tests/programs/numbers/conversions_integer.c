/* Integers and numbers: conversions both ways, of all widths and signs, saturating, through booleans and enums. */
#include "scalar_table.h"
static double table(int i) { static const double t[] = {1.5, -2.5, 0.25, 4}; return t[i & 3]; }
enum level { LOW = 1, HIGH = 7 };
#define TABLE(row)                                                    \
  row(c_int, (int)(x * 3) * y + (double)(int)(y * 5) * x, 2.45, 1.33)  \
  row(c_signs, (short)(x * 3) * y + (unsigned char)(y * 50) * x + (signed char)(-x * 9) * y, 2.45, 1.33) \
  row(c_wide, (long long)(x * 7) * y, 2.4507, 1.33)   \
  row(c_unsigned, (unsigned long)(x * 5) * y + (unsigned)(y * 7) * x, 2.4507, 1.33) \
  row(c_index, table((int)(x * 4)) * y + table((int)y) * x, 2.45, 1.33) \
  row(c_bool, (x > y) * y + !(x < 1) * x + (_Bool)x * y, 2.45, 1.33)    \
  row(c_enum, (enum level)(int)(x * 3) * y + HIGH * x, 2.45, 1.33)      \
  row(c_float, (double)(float)x * 0 + (float)2.5 * y, 2.45, 1.33)       \
  row(c_128, (double)(__int128)(x * 5) * y, 2.45, 1.33)                 \
  row(c_loop, ({ double s = 0; for (int i = 0; i < (int)(x * 3); i++) s += y * i + x; s; }), 2.45, 1.33)
TABLE(DEFINE_ROW)
int main(void) { TABLE(RUN_ROW) return check_done(); }
