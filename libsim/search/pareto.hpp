// The Pareto front consists of the candidates that no other candidate beats in every respect.
#pragma once

#include "libsim/units.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace sim::search {

// Less is better for each member.
struct Tradeoff {
    Duration step{0};
    std::int64_t memory = 0;
    double cost = 0;
};
// True if `a` is no worse in any member; equal ones are no worse.
bool is_no_worse(const Tradeoff& a, const Tradeoff& b);

// Indices of the candidates that none beats, by step, then cost, then memory, then index; the first among equals. Cost:
// n log n, and n times the size of the front.
std::vector<std::size_t> pareto_front(std::span<const Tradeoff> all);

}  // namespace sim::search
