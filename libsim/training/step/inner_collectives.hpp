// Inner collectives are those of tensor and expert parallelism, and the messages of context parallelism: they run
// inside the computing pieces of a training step, whose time holds what of them is exposed.
//
// A piece computes the blocks of its bucket: layers, and the embedding, predictions or outputs at the ends. A forward
// pass has the collectives of its blocks' operators; a backward pass of inputs has them again, of what is recomputed
// and of the gradients. Gradients of weights have none.
#pragma once

#include "libsim/training/operators.hpp"
#include "libsim/training/step/stage_step.hpp"
#include "libsim/training/step/step_plan.hpp"

#include <vector>

namespace sim::training {

class InnerCollectives {
public:
    // Cost: that of the operators of each sort of block, once. Refers to `plan`, which outlives it.
    explicit InnerCollectives(const StepPlan& plan);

    // Those of carrying out a piece once, in their order.
    std::vector<StepCollective> of(const Piece& piece) const;
    // The bytes of a message of each exchange of keys and values, in which a rank sends one in each of cp - 1 rounds.
    std::vector<double> exchanges_of(const Piece& piece) const;

private:
    struct Block {
        std::vector<StepCollective> forward;
        std::vector<StepCollective> backward;
        std::vector<double> forward_exchanges;
        std::vector<double> backward_exchanges;
    };
    static Block block(const std::vector<Operator>& operators, const std::vector<Operator>& again);
    template <class Part>
    std::vector<Part> all_of(const Piece& piece, std::vector<Part> Block::*forward,
                             std::vector<Part> Block::*backward) const;
    std::vector<const Block*> blocks_of(const GradientBucket& bucket) const;

    const StepPlan* plan_;
    Block embedding_;
    Block dense_;
    Block experts_;
    Block prediction_;
    Block output_;
};

}  // namespace sim::training
