// The Pareto front holds the candidates that no other candidate beats in every respect.
#pragma once

#include "libsim/units.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace sim::search {

// Less is better, of each.
struct Tradeoff {
    Duration step{0};
    std::int64_t memory = 0;
    double cost = 0;
};
// In anything: an equal one is.
bool is_no_worse(const Tradeoff& a, const Tradeoff& b);

// Numbers of those that none beats, by step, then cost, then memory, then number. Of equal ones the first.
// Cost: n log n, and n times the front's size.
std::vector<std::size_t> pareto_front(std::span<const Tradeoff> all);

}  // namespace sim::search
