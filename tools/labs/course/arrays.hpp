// These functions do arithmetic on arrays of numbers: labs expect sums of them, and mistaken programs make such sums.
#pragma once

#include "libsim/check.hpp"

#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <vector>

namespace sim::labs {

// The labs' numbers are doubles.
inline constexpr std::int64_t bytes_of_number = 8;

// Adds element by element. Requires: both have the same length.
inline void add_to(std::span<double> sum, std::span<const double> more) {
    check(sum.size() == more.size(), "{} numbers to add to {}", more.size(), sum.size());
    for (std::size_t i = 0; i < sum.size(); ++i) {
        sum[i] += more[i];
    }
}

// The report of an array that is too long to report in full: its first and last number, and the sum.
inline std::vector<double> glance_at(const std::vector<double>& numbers) {
    return {numbers.front(), numbers.back(), std::accumulate(numbers.begin(), numbers.end(), 0.0)};
}

// The same for the sum over ranks 0 to n - 1, in which element i of rank r is factor (r + 1) + i.
inline std::vector<double> glance_at_sum_of_ramps(int ranks, double factor, std::int64_t elements) {
    const double first = factor * ranks * (ranks + 1) / 2;
    const auto last = static_cast<double>(elements - 1);
    return {first, first + ranks * last, static_cast<double>(elements) * (first + ranks * last / 2)};
}

// The same for the array of one rank.
inline std::vector<double> glance_at_ramp(int rank, double factor, std::int64_t elements) {
    const double first = factor * (rank + 1);
    const auto last = static_cast<double>(elements - 1);
    return {first, first + last, static_cast<double>(elements) * (first + last / 2)};
}

// The expected report of every rank.
inline std::map<int, std::vector<double>> on_every_rank(int ranks, const std::vector<double>& values) {
    std::map<int, std::vector<double>> everywhere;
    for (int rank = 0; rank < ranks; ++rank) {
        everywhere[rank] = values;
    }
    return everywhere;
}

}  // namespace sim::labs
