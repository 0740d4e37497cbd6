// A Bfloat16 is the upper half of a float: 8 bits of exponent and 8 of precision in 2 bytes, a common format for
// gradients.
//
// It converts to float, so arithmetic is float arithmetic; a value converted to Bfloat16, even from double, is rounded
// once, to nearest, ties to even. Infinities and NaN are preserved; values that are too large become infinite.
// A collective rounds after every addition, like hardware that reduces in bfloat16; an average is divided in double.
// Source: Wang & Kanwar, "BFloat16: The secret to high performance on Cloud TPUs" (2019); IEEE 754 rounding.
#pragma once

#include "libsim/collectives/number.hpp"
#include "libsim/namespaces.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace sim::collectives {

class Bfloat16 {
public:
    Bfloat16() = default;
    template <class Real>
    requires std::is_arithmetic_v<Real>
    explicit Bfloat16(Real value) : bits_(rounded(static_cast<double>(value))) {}
    static Bfloat16 of_bits(std::uint16_t bits) {
        Bfloat16 value;
        value.bits_ = bits;
        return value;
    }

    operator float() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits_) << 16U); }
    std::uint16_t bits() const { return bits_; }

private:
    static std::uint16_t rounded(double value) {
        std::uint32_t bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
        if (std::isnan(value)) {
            return static_cast<std::uint16_t>(bits >> 16U | 0x40U);  // made quiet, because its only set bit might be
                                                                     // cut off
        }
        // Rounds to odd on the way to float: a last bit of 1 marks a remainder, which prevents double rounding.
        const auto through = static_cast<double>(std::bit_cast<float>(bits));
        if (through != value) {
            bits = (std::abs(through) > std::abs(value) ? bits - 1 : bits) | 1U;
        }
        return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U);
    }

    std::uint16_t bits_ = 0;
};
static_assert(sizeof(Bfloat16) == 2 && std::is_trivially_copyable_v<Bfloat16>);

template <>
inline constexpr bool is_number<Bfloat16> = true;

}  // namespace sim::collectives
