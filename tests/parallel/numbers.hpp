// Test data for parallel building blocks: the same on every rank and machine, without a pattern that could hide a
// mistake.
#pragma once

#include <gmock/gmock.h>

#include <cmath>
#include <cstddef>
#include <vector>

namespace sim::test {

// `which` selects one of several different arrays.
inline std::vector<double> numbers(std::size_t count, int which) {
    std::vector<double> result(count);
    for (std::size_t i = 0; i < count; ++i) {
        result[i] = std::sin(1.0 + 2.3 * which + 0.7 * static_cast<double>(i));
    }
    return result;
}

inline auto near_to(const std::vector<double>& expected) {
    return testing::Pointwise(testing::DoubleNear(1e-12), expected);
}

}  // namespace sim::test
