#include "tools/labs/factors.hpp"

#include "tools/labs/checks.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace sim::labs {

namespace {

constexpr double nearly = 1e-9;

struct Named {
    const char* given;
    const char* name;
};
// Given numbers that count something.
constexpr std::array counted{Named{"items", "the number of items"},
                             Named{"layers", "the number of layers"},
                             Named{"bucket_layers", "the layers of a bucket"},
                             Named{"micro_batches", "m, the number of micro-batches"},
                             Named{"chunks", "v, the number of chunks"},
                             Named{"samples", "the number of samples"},
                             Named{"batch", "the batch"},
                             Named{"tokens", "the number of tokens"},
                             Named{"units", "the units of an item"},
                             Named{"elements", "the number of elements"},
                             Named{"steps", "the number of steps"}};

// A power product of factors, by their places: x^a y^b.
struct Product {
    std::size_t x = 0;
    int a = 1;
    std::size_t y = 0;
    int b = 0;

    double of(const std::vector<Factor>& factors) const {
        return std::pow(factors[x].value, a) * std::pow(factors[y].value, b);
    }
    // The same for a ratio above 1.
    std::string told(const std::vector<Factor>& factors) const {
        const int sign = of(factors) < 1 ? -1 : 1;
        const auto power = [](const Factor& factor, int exponent) {
            return std::abs(exponent) == 2 ? factor.name + ", squared" : factor.name;
        };
        if (b == 0) {
            return power(factors[x], a);
        }
        return sign * a > 0
                   ? fmt::format("{}, {} {}", factors[x].name, sign * b > 0 ? "times" : "over", factors[y].name)
                   : fmt::format("{}, over {}", factors[y].name, factors[x].name);
    }
};

std::vector<Product> products_of(std::size_t factors) {
    std::vector<Product> all;
    for (const int a : {1, -1}) {
        for (std::size_t x = 0; x < factors; ++x) {
            all.push_back({.x = x, .a = a});
        }
    }
    for (const int a : {1, -1}) {
        for (std::size_t x = 0; x < factors; ++x) {
            for (std::size_t y = x + 1; y < factors; ++y) {
                all.push_back({.x = x, .a = a, .y = y, .b = a});
            }
        }
    }
    for (std::size_t x = 0; x < factors; ++x) {
        all.push_back({.x = x, .a = 2});
        all.push_back({.x = x, .a = -2});
        for (std::size_t y = 0; y < factors; ++y) {
            if (y != x) {
                all.push_back({.x = x, .a = 1, .y = y, .b = -1});
            }
        }
    }
    return all;
}

}  // namespace

std::vector<Factor> factors_of(const Lab& lab, const Case& played) {
    std::vector<Factor> factors;
    if (played.ranks > 1) {
        factors.push_back({"N, the number of ranks", static_cast<double>(played.ranks)});
    }
    if (lab.factors != nullptr) {
        const std::vector<Factor> more = lab.factors(played);
        factors.insert(factors.end(), more.begin(), more.end());
    }
    const auto& numbers = played.given.numbers();
    for (const Named& each : counted) {
        if (const auto given = numbers.find(each.given); given != numbers.end() && given->second > 1) {
            factors.push_back({each.name, given->second});
        }
    }
    factors.push_back({"8, the bytes of a number", 8});
    factors.push_back({"2", 2});
    return factors;
}

std::optional<std::string> told_by_factors(const Lab& lab, const std::vector<Case>& cases,
                                           const std::vector<std::optional<double>>& ratios) {
    std::vector<std::vector<Factor>> factors;
    std::size_t first = cases.size();
    int told = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        if (ratios[i] && same_number(*ratios[i], 1, nearly)) {
            return std::nullopt;
        }
        factors.push_back(factors_of(lab, cases[i]));
        first = ratios[i] && first == cases.size() ? i : first;
        told += ratios[i] ? 1 : 0;
        if (factors[i].size() != factors[0].size()) {
            return std::nullopt;
        }
    }
    if (first == cases.size()) {
        return std::nullopt;
    }
    for (const Product& product : products_of(factors[0].size())) {
        // One case alone is explained by too many products.
        bool is_it = told > 1 || product.b == 0;
        for (std::size_t i = 0; is_it && i < cases.size(); ++i) {
            is_it = !ratios[i] || same_number(product.of(factors[i]), *ratios[i], nearly);
        }
        if (is_it) {
            const double ratio = *ratios[first];
            const double times = ratio < 1 ? 1 / ratio : ratio;
            const std::string name = product.told(factors[first]);
            return fmt::format("{:.6g} times too {}{}", times, ratio < 1 ? "small" : "large",
                               name == "2" ? "" : fmt::format(", and {:.6g} is {}", times, name));
        }
    }
    return std::nullopt;
}

std::optional<double> ratio_of(const std::vector<double>& found, const std::vector<double>& right) {
    std::optional<double> ratio;
    for (std::size_t i = 0; i < right.size(); ++i) {
        if (found.size() != right.size() || std::isnan(found[i])) {
            return std::nullopt;
        }
        if (right[i] == 0 && found[i] == 0) {
            continue;
        }
        const double own = found[i] / right[i];
        if (right[i] == 0 || (ratio && !same_number(own, *ratio, nearly))) {
            return std::nullopt;
        }
        ratio = own;
    }
    return ratio;
}

}  // namespace sim::labs
