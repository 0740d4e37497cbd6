// One verdict for each layout of a search, by as many threads as there are: what search.cpp sums up.
#pragma once

#include "scenarios/prediction/plan/search.hpp"

#include <vector>

namespace sim::scenarios {

struct PlanVerdict {
    enum class Kind : std::uint8_t { not_reached, refused, too_large_at_least, too_large, feasible };
    Kind kind = Kind::not_reached;
    model::Misfit misfit{};     // where it is refused
    PlanOracle::Answer answer;  // memory alone where it is too large at least
};

// In the order of `points`. Those not reached when `should_stop` said so are the last ones, give or take a block.
// An exception of the oracle's ends it; of several the one of the first point is thrown.
std::vector<PlanVerdict> verdicts_of(const PlanQuestion& question, const std::vector<PlanPoint>& points,
                                     const PlanOptions& options);

// One of them. Without `oracle.step`, what may fit counts as feasible.
PlanVerdict verdict_of(const PlanQuestion& question, const PlanPoint& point, const PlanOracle& oracle);

}  // namespace sim::scenarios
