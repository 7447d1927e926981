// A translation unit as users have them: one small objective, and behind it the C++ library in 25,000 lines of IR.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

extern int enzyme_const, enzyme_dup;
double __enzyme_autodiff(void *, ...);

static double objective(const double *x, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += std::exp(-x[i] * x[i]) * std::sin(x[i]);
    return std::log1p(sum * sum);
}

extern "C" double objective_and_gradient(const double *x, double *dx, int n) {
    __enzyme_autodiff((void *)objective, enzyme_dup, x, dx, enzyme_const, n);
    return objective(x, n);
}

namespace {

struct Term {
    virtual ~Term() = default;
    virtual double value(double x) const = 0;
};

struct Scaled final : Term {
    double factor;
    explicit Scaled(double factor) : factor(factor) {}
    double value(double x) const override { return factor * x; }
};

struct Any final : Term {
    std::function<double(double)> function;
    explicit Any(std::function<double(double)> function) : function(std::move(function)) {}
    double value(double x) const override {
        if (x < 0) throw std::runtime_error("negative");
        return function(x);
    }
};

}  // namespace

extern "C" int read_configuration(const char *text, char *out, int size) {
    static const std::regex assignment("\\s*([A-Za-z_][A-Za-z0-9_]*)\\s*=\\s*([-+0-9.eE]+|\"[^\"]*\")\\s*(#.*)?");
    std::map<std::string, std::string> settings;
    std::map<int, std::vector<std::string>> by_length;
    std::unordered_map<std::string, std::unique_ptr<Term>> terms;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (!std::regex_match(line, match, assignment)) {
            std::cerr << "not an assignment: " << std::regex_replace(line, std::regex("\\t"), " ") << std::endl;
            continue;
        }
        settings[match[1]] = match[2];
        by_length[static_cast<int>(line.size())].push_back(line);
    }
    for (auto &[name, value] : settings) {
        try {
            double number = std::stod(value);
            if (name.front() == 'f') {
                terms[name] = std::make_unique<Any>([number](double x) { return x + number; });
            } else {
                terms[name] = std::make_unique<Scaled>(number);
            }
        } catch (const std::exception &error) {
            std::cerr << name << ": " << error.what() << std::endl;
        }
    }
    std::vector<std::pair<std::string, double>> values;
    for (auto &[name, term] : terms) values.emplace_back(name, term->value(1.0));
    std::sort(values.begin(), values.end());
    std::stable_sort(values.begin(), values.end(), [](auto &a, auto &b) { return a.second < b.second; });
    std::ostringstream written;
    for (auto &[name, value] : values) written << name << '=' << value << '\n';
    for (auto &[length, group] : by_length) {
        std::partial_sort(group.begin(), group.begin() + 1, group.end());
        written << length << ':' << group.front() << '\n';
    }
    std::string result = written.str();
    int count = std::min(size, static_cast<int>(result.size()));
    std::copy_n(result.begin(), count, out);
    return count;
}
