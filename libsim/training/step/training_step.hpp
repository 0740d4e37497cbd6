// This rank program runs one training step: it carries out the pieces of its stage (stage_step.hpp) in the order of the
// pipeline schedule.
//
// Costs are those of the plan: computations in units of time (step_cluster() prices a unit as a millisecond), messages
// and collectives in bytes. The same program runs as every rank of a layout, or folded, as one of each stage.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/gpu.hpp"
#include "libsim/training/step/rank_map.hpp"
#include "libsim/training/step/step_plan.hpp"

namespace sim::training {

struct StepOptions {
    double jitter = 0;  // standard deviation of a micro-batch's computation, of its mean; 0: none
    std::uint64_t seed = 1;
};

// Returns when the step is done. Requires: as many ranks as map.ranks(), all of which run it.
void training_step(GPU& gpu, const StepPlan& plan, const RankMap& map, const StepOptions& options = {});

// The cluster on which the step runs.
Cluster step_cluster(const StepPlan& plan, const RankMap& map);

}  // namespace sim::training
