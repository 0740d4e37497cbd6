// This generator yields the same random numbers with every compiler and library, unlike std distributions.
//
// Sources: SplitMix64, Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014. Exponential
// numbers by comparisons alone: von Neumann, "Various techniques used in connection with random digits", 1951.
#pragma once

#include <cstdint>

namespace sim {

inline constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15U;  // 2^64 / 1.618…, odd

// Every bit of the input reaches every bit of the result; no two inputs have the same.
constexpr std::uint64_t split_mix(std::uint64_t x) {
    x += golden_ratio;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
}

// In [0, 1), from the upper 53 bits.
constexpr double unit_interval(std::uint64_t x) {
    return static_cast<double>(x >> 11U) * 0x1p-53;
}

class Random {
public:
    // Streams of one seed begin far from each other.
    Random(std::uint64_t seed, std::uint64_t stream) : state_(seed ^ split_mix(stream - golden_ratio)) {}

    std::uint64_t next() {
        const std::uint64_t number = split_mix(state_);
        state_ += golden_ratio;
        return number;
    }

    // In [low, high).
    double between(double low, double high) { return low + (high - low) * unit_interval(next()); }

    // In [0, count), each with the same chance to within 2^-64 x count. Requires: count > 0.
    std::int64_t below(std::int64_t count) {
        __extension__ using Product = unsigned __int128;
        return static_cast<std::int64_t>((Product{next()} * static_cast<std::uint64_t>(count)) >> 64U);
    }

    // The time to an event that has the same chance at every moment, 1 on average. No logarithm: std::log may differ.
    double exponential() {
        for (double whole = 0;; ++whole) {
            const double first = unit_interval(next());
            double least = first;
            bool odd = true;  // numbers in the falling run so far
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
