// This generator yields the same random numbers with every compiler and library, unlike std distributions.
//
// Source: SplitMix64, Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
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

private:
    std::uint64_t state_;
};

}  // namespace sim
