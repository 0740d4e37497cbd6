// Pass places assign each compute span of a step to a pass of the schedule: its micro-batch, chunk and bucket. The
// spans of a run do not contain this; it follows from their order in a rank's program.
#pragma once

#include "libsim/parallel/pipeline/schedule.hpp"
#include "libsim/training/step/rank_map.hpp"
#include "libsim/training/step/stage_step.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace sim::predict {

struct PassPlace {
    const PipelineStep* step = nullptr;
    std::size_t number = 0;  // index of the pass in its stage's order
    const training::Piece* piece = nullptr;
    std::size_t computation = 0;   // index within the pass
    std::size_t computations = 1;  // number of computations of the pass; each is one span
};

class PassPlaces {
public:
    // Keeps references to both, which must outlive it.
    PassPlaces(const training::StepPlan& plan, const training::RankMap& map);

    // The pass of the rank's next span of this work. Requires: a rank's spans are requested in the order of its
    // program.
    PassPlace next(int rank, training::StepWork work);

    const std::vector<PipelineStep>& order_of(int stage) const { return orders_[static_cast<std::size_t>(stage)]; }

private:
    using Computations = std::vector<training::Piece>;
    // The computations of a chunk, by kind of pass.
    using ChunkComputations = std::array<Computations, training::pass_kinds>;
    struct Place {
        std::size_t pass = 0;
        std::size_t computation = 0;
    };
    const Computations& computations_of(int stage, const PipelineStep& step) const;

    const training::StepPlan* plan_;
    const training::RankMap* map_;
    std::vector<std::vector<PipelineStep>> orders_;     // of each stage
    std::vector<std::vector<ChunkComputations>> done_;  // of each stage, by chunk
    std::vector<Place> places_;                         // of each rank
};

}  // namespace sim::predict
