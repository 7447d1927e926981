// refused: numbers are made of text that was written with active numbers
#include "check.h"
#include <fstream>

double by_file_stream(const double *x) {
  {
    std::ofstream out("/tmp/enzyme-program-stream");
    out.precision(17);
    out << x[0] * x[1];
  }
  std::ifstream in("/tmp/enzyme-program-stream");
  double v = 0;
  in >> v;
  return v * x[2] + x[3];
}
DERIVED(by_file_stream)

int main(void) {
  double x[] = {1.3, -0.7, 2.1, 0.4};
  CHECK_DERIVED(by_file_stream, x);
  return check_done();
}
