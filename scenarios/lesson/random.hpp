// Random numbers that are the same with every compiler and library, unlike those of std distributions.
//
// SplitMix64: Steele, Lea & Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
#pragma once

#include <cstdint>

namespace sim::training {

class Random {
public:
    // Streams of one seed begin far from each other.
    Random(std::uint64_t seed, std::uint64_t stream) : state_(seed ^ mixed(stream)) {}

    std::uint64_t next() {
        state_ += golden_ratio;
        return mixed(state_);
    }

    // In [low, high), from the upper 53 bits.
    double between(double low, double high) {
        return low + (high - low) * (static_cast<double>(next() >> 11U) * 0x1p-53);
    }

private:
    static std::uint64_t mixed(std::uint64_t x) {
        x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
        x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
        return x ^ (x >> 31U);
    }

    static constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15U;
    std::uint64_t state_;
};

}  // namespace sim::training
