// Failures at random become failures at times that are drawn from their seed.
#pragma once

#include "libsim/faults/injection.hpp"
#include "libsim/network/network.hpp"

#include <span>
#include <vector>

namespace sim::faults {

// At most so many of each, the first ones.
inline constexpr int most_drawn = 1'000;

// The injections, without any RandomFailures. Throws ProgramError where there is no such part.
std::vector<Injection> drawn(std::span<const Injection> injections, int ranks, const Network& network);

}  // namespace sim::faults
