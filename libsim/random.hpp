// This generator yields the same random numbers with every compiler and library, unlike std distributions.
//
// Sources: SplitMix64, Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. Exponential
// variates by comparisons alone: von Neumann, "Various techniques used in connection with random digits", 1951.
#pragma once

#include <cstdint>

namespace sim {

inline constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15U;  // 2^64 / 1.618…, odd

// Every input bit affects every bit of the result, and no two inputs give the same result.
constexpr std::uint64_t split_mix(std::uint64_t x) {
    x += golden_ratio;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

// Uniform in [0, 1), from the upper 53 bits.
constexpr double unit_interval(std::uint64_t x) {
    return static_cast<double>(x >> 11U) * 0x1p-53;
}

class Random {
public:
    // Streams of one seed start far apart.
    Random(std::uint64_t seed, std::uint64_t stream) : state_(seed ^ split_mix(stream - golden_ratio)) {}

    std::uint64_t next() {
        const std::uint64_t number = split_mix(state_);
        state_ += golden_ratio;
        return number;
    }

    // Uniform in [low, high).
    double between(double low, double high) { return low + (high - low) * unit_interval(next()); }

    // Uniform in [0, count), to within 2^-64 x count. Requires: count > 0.
    std::int64_t below(std::int64_t count) {
        __extension__ using Product = unsigned __int128;
        return static_cast<std::int64_t>((Product{next()} * static_cast<std::uint64_t>(count)) >> 64U);
    }

    // An exponential variate of mean 1. Uses no logarithm, because std::log may differ between libraries.
    double exponential() {
        for (double whole = 0;; ++whole) {
            const double first = unit_interval(next());
            double least = first;
            bool odd = true;  // the falling run so far has an odd length
            for (double number = unit_interval(next()); number < least; number = unit_interval(next())) {
                least = number;
                odd = !odd;
            }
            if (odd) {
                return whole + first;
            }
        }
    }

private:
    std::uint64_t state_;
};

}  // namespace sim
