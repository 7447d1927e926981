/* Trees of variants: numbers, indices, and nodes whose children are a vector that moves in blocks as it grows. */
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "cpp_check.h"

struct Node;
struct Number {
  double value;
};
struct Variable {
  int index;
};
using Term = std::variant<Number, Variable, std::unique_ptr<Node>>;
struct Node {
  char op;
  std::vector<Term> args;
};

static double evaluate(const Term &term, const double *x) {
  if (auto *number = std::get_if<Number>(&term)) return number->value;
  if (auto *variable = std::get_if<Variable>(&term)) return x[variable->index];
  const Node &node = *std::get<2>(term);
  double result = node.op == '+' ? 0 : 1;
  for (auto &each : node.args) {
    double value = evaluate(each, x);
    result = node.op == '+' ? result + value : result * value;
  }
  return result;
}

static Term make(char op, Term a, Term b) {
  auto node = std::make_unique<Node>();
  node->op = op;
  node->args.push_back(std::move(a));
  node->args.push_back(std::move(b));
  return node;
}

static double tree(const double *x) {
  Term product = make('*', Number{x[0] * x[1]}, make('+', Variable{1}, Number{x[2]}));
  return evaluate(make('+', std::move(product), Variable{3}), x);
}
ADAPTERS(tree)

int main(void) {
  const double x[] = {0.7, -1.1, 1.9, 0.4};
  CHECK_BOTH(tree, x);
  return check_done();
}
