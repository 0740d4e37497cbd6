// A search has one verdict for each layout; search.cpp summarises them.
#pragma once

#include "libsim/search/search.hpp"

#include <vector>

namespace sim::search {

struct PlanVerdict {
    enum class Kind : std::uint8_t {
        not_reached,
        refused,
        too_large_at_least,  // found without a simulation
        may_fit,             // the bounds are known, the simulation is not
        pruned,              // by its bounds: a simulated layout is no worse in any respect
        too_large,
        feasible,
    };
    Kind kind = Kind::not_reached;
    training::Misfit misfit{};  // if it is refused
    PlanOracle::Answer answer;  // the bounds until it is simulated
};

// USD of a step, or GPU-hours if no price is known.
double cost_of_step(const PlanQuestion& question, const PlanPoint& point, Duration step);

// Both require a question with the point's number of GPUs. This one checks only legality and bounds: refused,
// too_large_at_least or may_fit.
PlanVerdict bounds_of(const PlanQuestion& question, const PlanPoint& point, const PlanOracle& oracle);
// Simulates a layout that may fit.
PlanVerdict simulated(const PlanQuestion& question, const PlanPoint& point, const PlanOracle& oracle);

// In the order of `points`; none is left as may_fit unless the search was stopped.
std::vector<PlanVerdict> verdicts_of(const PlanQuestion& question, const std::vector<PlanPoint>& points,
                                     const SearchOptions& options);

}  // namespace sim::search
