// Jitter makes a rank's computations take longer or shorter than their mean: seeded, the same on every machine.
//
// A tensor-parallel group computes in lock step, so that its slowest member's draw is that of all.
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/units.hpp"

#include <cstdint>

namespace sim::training {

class Jitter {
public:
    Jitter(double deviation, std::uint64_t seed, const Layout& layout, int rank);

    // The factor of the next computation: about 1.
    double next();
    static Duration scaled(Duration time, double factor);

private:
    double deviation_;
    std::uint64_t seed_;
    std::uint64_t first_;  // of the group's members
    int members_;
    std::uint64_t number_ = 0;
};

}  // namespace sim::training
