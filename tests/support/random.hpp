// Random numbers from a seed that a failing test can print, the same on every machine.
#pragma once

#include <cstdint>
#include <random>

namespace sim::test {

class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}
    // 0 … bound-1. Requires: bound > 0.
    int below(int bound) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(bound)); }

private:
    std::mt19937_64 engine_;
};

}  // namespace sim::test
