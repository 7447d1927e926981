/* A matrix of one's own: storage in a vector, rule of five, products, a factorisation, a determinant. */
#include <cmath>
#include <initializer_list>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cpp_check.h"

class Matrix {
 public:
  Matrix(int rows, int columns) : rows_(rows), columns_(columns), data_((size_t)(rows * columns)) {}
  Matrix(std::initializer_list<std::initializer_list<double>> rows) : Matrix((int)rows.size(), (int)rows.begin()->size()) {
    int i = 0;
    for (const auto &row : rows) {
      int j = 0;
      for (double v : row) (*this)(i, j++) = v;
      i++;
    }
  }
  double &operator()(int i, int j) { return data_.at((size_t)(i * columns_ + j)); }
  double operator()(int i, int j) const { return data_.at((size_t)(i * columns_ + j)); }
  Matrix operator*(const Matrix &other) const {
    if (columns_ != other.rows_) throw std::invalid_argument("sizes");
    Matrix made(rows_, other.columns_);
    for (int i = 0; i < rows_; i++)
      for (int j = 0; j < other.columns_; j++)
        for (int k = 0; k < columns_; k++) made(i, j) += (*this)(i, k) * other(k, j);
    return made;
  }
  Matrix &operator+=(const Matrix &other) {
    for (size_t i = 0; i < data_.size(); i++) data_[i] += other.data_[i];
    return *this;
  }
  friend Matrix operator+(Matrix a, const Matrix &b) { return std::move(a += b); }
  Matrix transposed() const {
    Matrix made(columns_, rows_);
    for (int i = 0; i < rows_; i++)
      for (int j = 0; j < columns_; j++) made(j, i) = (*this)(i, j);
    return made;
  }
  double determinant() const {
    Matrix a = *this;
    double product = 1;
    for (int k = 0; k < rows_; k++) {
      int best = k;
      for (int i = k + 1; i < rows_; i++)
        if (std::fabs(a(i, k)) > std::fabs(a(best, k))) best = i;
      if (best != k) {
        for (int j = 0; j < columns_; j++) std::swap(a(k, j), a(best, j));
        product = -product;
      }
      product *= a(k, k);
      for (int i = k + 1; i < rows_; i++) {
        double factor = a(i, k) / a(k, k);
        for (int j = k; j < columns_; j++) a(i, j) -= factor * a(k, j);
      }
    }
    return product;
  }

 private:
  int rows_, columns_;
  std::vector<double> data_;
};

static double determined(const double *x) {
  Matrix a{{x[0], x[1], 1}, {x[2], 2, x[3]}, {0.5, x[0], x[2]}};
  Matrix b = a * a.transposed() + a;
  return b.determinant() + a.determinant() * 0.5;
}
ADAPTERS(determined)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(determined, x);
  return check_done();
}
