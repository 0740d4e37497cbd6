// A Half is an IEEE 754 16-bit number: 5 bits of exponent and 11 of precision in 2 bytes, NumPy's float16.
//
// It converts to float, so arithmetic is float arithmetic; a value converted to Half, even from double, is rounded
// once, to nearest, ties to even. Infinities and NaN are preserved; values of 65520 or more become infinite.
// A collective rounds after every addition, like hardware that reduces in half precision; an average is divided in
// double. Source: IEEE 754-2019, binary16.
#pragma once

#include "libsim/collectives/number.hpp"
#include "libsim/namespaces.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace sim::collectives {

class Half {
public:
    Half() = default;
    template <class Real>
    requires std::is_arithmetic_v<Real>
    explicit Half(Real value) : bits_(rounded(static_cast<double>(value))) {}
    static Half of_bits(std::uint16_t bits) {
        Half value;
        value.bits_ = bits;
        return value;
    }

    operator float() const {
        const auto exponent = static_cast<unsigned>(bits_ >> 10U & 0x1fU);
        const auto fraction = static_cast<unsigned>(bits_ & 0x3ffU);
        const unsigned sign = static_cast<unsigned>(bits_ & 0x8000U) << 16U;
        if (exponent == 0x1fU) {  // infinity or NaN
            return std::bit_cast<float>(sign | 0x7f800000U | fraction << 13U);
        }
        if (exponent == 0) {
            const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
            return sign != 0 ? -magnitude : magnitude;
        }
        return std::bit_cast<float>(sign | (exponent + 112U) << 23U | fraction << 13U);
    }
    std::uint16_t bits() const { return bits_; }

private:
    static std::uint16_t rounded(double value) {
        const auto sign = static_cast<unsigned>(std::signbit(value) ? 0x8000U : 0U);
        if (std::isnan(value)) {
            return static_cast<std::uint16_t>(sign | 0x7e00U);
        }
        const double magnitude = std::abs(value);
        if (magnitude >= 65520.0) {  // half-way between the largest value and the next step
            return static_cast<std::uint16_t>(sign | 0x7c00U);
        }
        // Dividing by the spacing there, at least 2^-24, is exact; nearbyint rounds ties to even.
        const int exponent = std::max(magnitude > 0 ? std::ilogb(magnitude) : -14, -14);
        const auto steps = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
        // For normal numbers the step count has 11 bits, and its top bit adds to the exponent.
        return static_cast<std::uint16_t>(sign | ((static_cast<unsigned>(exponent + 14) << 10U) + steps));
    }

    std::uint16_t bits_ = 0;
};
static_assert(sizeof(Half) == 2 && std::is_trivially_copyable_v<Half>);

template <>
inline constexpr bool is_number<Half> = true;

}  // namespace sim::collectives
