#include "libsim/config/whole_numbers.hpp"
#include "libsim/split.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sim::config {

namespace {

constexpr double most = 1e15;

std::vector<std::int64_t> range(const std::vector<std::string>& parts) {
    const auto low = whole_number(parts[0]);
    const auto high = whole_number(parts[1]);
    const auto wide = low && high && *high / std::max<std::int64_t>(*low, 1) >= 100;
    const auto factor = parts.size() == 3 ? whole_number(parts[2]) : std::int64_t{wide ? 10 : 2};
    if (!low || !high || !factor || *low < 1 || *high < *low || *factor < 2) {
        return {};
    }
    std::vector<std::int64_t> numbers{*low};
    while (numbers.back() <= *high / *factor) {
        numbers.push_back(numbers.back() * *factor);
    }
    return numbers;
}

}  // namespace

std::optional<std::int64_t> whole_number(const std::string& text) {
    double x = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    if (error != std::errc{} || end != text.data() + text.size() || std::fabs(x) > most || x != std::floor(x)) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(x);
}

std::vector<std::int64_t> whole_numbers(const std::string& text) {
    if (const auto parts = split(text, ':'); parts.size() == 2 || parts.size() == 3) {
        return range(parts);
    }
    std::vector<std::int64_t> numbers;
    for (const std::string& part : split(text, ',')) {
        const auto number = whole_number(part);
        if (!number) {
            return {};
        }
        numbers.push_back(*number);
    }
    return numbers;
}

}  // namespace sim::config
