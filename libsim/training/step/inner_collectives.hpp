// Inner collectives are those of tensor and expert parallelism, and the messages of context parallelism: they run
// inside the compute pieces of a training step, whose time includes their exposed part.
//
// A piece computes the blocks of its bucket: layers, and the embedding, predictions or outputs at the ends. A forward
// pass has the collectives of its blocks' operators; an input-gradient pass has those of the recomputed operators and
// of the gradients. Weight gradients have none.
#pragma once

#include "libsim/training/operators.hpp"
#include "libsim/training/step/stage_step.hpp"
#include "libsim/training/step/step_plan.hpp"

#include <array>
#include <vector>

namespace sim::training {

class InnerCollectives {
public:
    // Cost: that of the operators of each sort of block, once. Keeps a reference to `plan`, which must outlive it.
    explicit InnerCollectives(const StepPlan& plan);

    // The collectives of executing a piece once, in order.
    std::vector<StepCollective> of(const Piece& piece) const;
    // The message bytes of each exchange of keys and values around a ring; a rank sends one such message in each round.
    std::vector<double> exchanges_of(const Piece& piece) const;

private:
    struct Block {
        std::vector<StepCollective> forward;
        std::vector<StepCollective> backward;
        std::vector<double> forward_exchanges;
        std::vector<double> backward_exchanges;
    };
    Block tower() const;
    Block block(const std::vector<Operator>& operators, const std::vector<Operator>& again) const;
    template <class Part>
    std::vector<Part> all_of(const Piece& piece, std::vector<Part> Block::*forward,
                             std::vector<Part> Block::*backward) const;
    std::vector<const Block*> blocks_of(const GradientBucket& bucket) const;

    const StepPlan* plan_;
    Block embedding_;
    Block tower_;
    std::array<Block, LayerKind::count> of_kinds_;  // layers of one kind have the same collectives
    Block prediction_;
    Block output_;
};

}  // namespace sim::training
