// Containers, strings and callables of the standard library.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

using Table = std::map<std::string, std::vector<double>>;

double accumulate(const Table &table, const std::function<double(double)> &f) {
    double total = 0;
    for (const auto &[name, values] : table) {
        if (values.empty()) throw std::out_of_range("no values for " + name);
        total += std::accumulate(values.begin(), values.end(), 0.0, [&](double s, double v) { return s + f(v); });
    }
    return total;
}

std::string join(std::vector<std::string> words, char separator) {
    std::sort(words.begin(), words.end(), [](const auto &a, const auto &b) { return a.size() < b.size() || a < b; });
    std::string out;
    for (auto &word : words) out += std::move(word) + separator;
    return out;
}

std::unique_ptr<Table> build(int n) {
    auto table = std::make_unique<Table>();
    for (int i = 0; i < n; i++) (*table)[std::to_string(i % 7)].push_back(i * 0.5);
    try {
        accumulate(*table, [n](double x) { return n ? x / n : throw std::invalid_argument("zero"); });
    } catch (const std::exception &problem) {
        (*table)[problem.what()];
    }
    return table;
}
