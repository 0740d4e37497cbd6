// Pass places tell which pass of its schedule each computing span of a step is: of which micro-batch and chunk, and of
// which bucket. The spans of a run do not say; their order in a rank's program does.
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
    std::size_t number = 0;  // of the pass in its stage's order
    const training::Piece* piece = nullptr;
    std::size_t computation = 0;   // of the pass, in its order
    std::size_t computations = 1;  // of the pass, of which each is one span
};

class PassPlaces {
public:
    // Refers to both, which outlive it.
    PassPlaces(const training::StepPlan& plan, const training::RankMap& map);

    // The pass of the rank's next span of such work. Requires: spans of one rank are asked for in the order of its
    // program.
    PassPlace next(int rank, training::StepWork work);

    const std::vector<PipelineStep>& order_of(int stage) const { return orders_[static_cast<std::size_t>(stage)]; }

private:
    using Computations = std::vector<training::Piece>;
    // Of a chunk, by the kind of pass.
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
