// Jitter makes a rank's computations longer or shorter than their mean: seeded, and the same on every machine.
//
// A tensor-parallel group computes in lockstep, so its slowest member's draw applies to all of it.
#pragma once

#include "libsim/training/layout.hpp"
#include "libsim/units.hpp"

#include <cstdint>

namespace sim::training {

class Jitter {
public:
    Jitter(double deviation, std::uint64_t seed, const Layout& layout, int rank);

    // The factor of the next computation, around 1.
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
