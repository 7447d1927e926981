/* Members that are arrays of one element, beside pointers to numbers, indexed by what nothing is known of: the strides of
 * an expression over arrays of any number of dimensions, of which there is one. */
#include <array>
#include <memory>

#include "cpp_check.h"

template <int N> struct block {
  double *numbers;
  std::array<long, N> lengths;
};

template <int N> struct expression {
  std::array<long, N> strides;
  std::array<long, N> kernel_strides;
  const block<N> *of;
  block<N> kernel;
  const double *weights;

  double at(long first, long from, int dimension) const __attribute__((noinline)) {
    double sum = 0.0;
    for (long i = 0; i < kernel.lengths[dimension]; i++) {
      const long place = first + i * strides[dimension], other = from + i * kernel_strides[dimension];
      if (dimension > 0) {
        sum += at(place, other, dimension - 1);
      } else {
        sum += of->numbers[place] * kernel.numbers[other] * weights[i];
      }
    }
    return sum;
  }

  double total(long n) const {
    long starts[2] = {0, 0};
    double sum = 0.0;
    for (long i = 0; i < n; i++) {
      for (int d = N - 1; d > 0; d--) {
        starts[0] += i / of->lengths[d - 1] * strides[d];
        starts[1] += i / of->lengths[d - 1] * kernel_strides[d];
      }
      sum += at(starts[0] + i % of->lengths[0], starts[1] % 2, N - 1) * at(starts[0], 0, N - 1);
    }
    return sum;
  }
};

template <int N> static double convolved(const double *x) {
  std::unique_ptr<double[]> numbers(new double[24]), kernel(new double[24]);
  for (int i = 0; i < 24; i++) {
    numbers[i] = x[i % 4] * x[i % 3];
    kernel[i] = 1.0 / (x[i % 2] + 2.0 + i);
  }
  block<N> of = {numbers.get(), {}}, small = {kernel.get(), {}};
  of.lengths.fill(4);
  small.lengths.fill(2);
  expression<N> made = {{}, {}, &of, small, x};
  for (int d = 0; d < N; d++) {
    made.strides[d] = d == 0 ? 1 : made.strides[d - 1] * 4;
    made.kernel_strides[d] = d == 0 ? 1 : made.kernel_strides[d - 1] * 2;
  }
  const expression<N> copy = made;
  return copy.total(3);
}

static double one_dimension(const double *x) { return convolved<1>(x); }
static double two_dimensions(const double *x) { return convolved<2>(x); }
ADAPTERS(one_dimension)
ADAPTERS(two_dimensions)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(one_dimension, x);
  CHECK_BOTH(two_dimensions, x);
  return check_done();
}
