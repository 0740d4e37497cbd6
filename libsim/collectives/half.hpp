// A Half is IEEE 754's number of 16 bits: 5 bits of exponent and 11 of precision in 2 bytes, NumPy's float16.
//
// It converts to float, so arithmetic is that of float; a value converted to Half is rounded once, to the nearest, ties
// to even, also from double. Infinities and NaN are preserved; what is 65520 or larger becomes infinite.
// A collective rounds after every addition, as hardware that reduces in half precision does; an average is divided in
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
        if (exponent == 0x1fU) {  // infinite, or not a number
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
        if (magnitude >= 65520.0) {  // half-way between the largest and what would be the next
            return static_cast<std::uint16_t>(sign | 0x7c00U);
        }
        // The distance between neighbours there, 2^-24 at least, divides exactly; nearbyint rounds ties to even.
        const int exponent = std::max(magnitude > 0 ? std::ilogb(magnitude) : -14, -14);
        const auto steps = static_cast<unsigned>(std::nearbyint(std::ldexp(magnitude, 10 - exponent)));
        // From the smallest normal number on, steps have 11 bits, of which the first counts into the exponent.
        return static_cast<std::uint16_t>(sign | ((static_cast<unsigned>(exponent + 14) << 10U) + steps));
    }

    std::uint16_t bits_ = 0;
};
static_assert(sizeof(Half) == 2 && std::is_trivially_copyable_v<Half>);

template <>
inline constexpr bool is_number<Half> = true;

}  // namespace sim::collectives
