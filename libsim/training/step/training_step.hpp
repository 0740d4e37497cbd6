// This rank program runs one training step: it executes the pieces of its stage (stage_step.hpp) in the order of the
// pipeline schedule.
//
// Costs are those of the plan: computation in units of time (step_cluster() prices a unit as a millisecond), messages
// and collectives in bytes. The same program runs as every rank of a layout or, folded, as one rank of each stage.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/gpu.hpp"
#include "libsim/training/step/rank_map.hpp"
#include "libsim/training/step/stage_step.hpp"
#include "libsim/training/step/step_plan.hpp"

#include <vector>

namespace sim::training {

struct StepOptions {
    double jitter = 0;  // standard deviation of a micro-batch's computation time, relative to its mean; 0: none
    std::uint64_t seed = 1;
};

// The program of every rank. It keeps references to `plan` and `map`, which must outlive it.
class TrainingStep {
public:
    // Describes each stage's step once, for all of its ranks.
    TrainingStep(const StepPlan& plan, const RankMap& map, const StepOptions& options = {});
    // Returns when the step is done. Requires: as many ranks as map.ranks(), all of which run it.
    void operator()(GPU& gpu) const;

private:
    const StepPlan* plan_;
    const RankMap* map_;
    StepOptions options_;
    std::vector<StageStep> stages_;  // one for each group of like stages: the first one's
};

// The cluster on which the step runs.
Cluster step_cluster(const StepPlan& plan, const RankMap& map);

}  // namespace sim::training
