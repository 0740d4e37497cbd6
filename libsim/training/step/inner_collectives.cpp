#include "libsim/training/step/inner_collectives.hpp"

#include "libsim/training/recomputation.hpp"

#include <optional>
#include <utility>

namespace sim::training {

namespace {

void add(std::vector<StepCollective>& list, const Operator& op, std::optional<CollectiveKind> kind, double bytes) {
    if (op.kind == OperatorKind::tensor && kind) {
        list.push_back({RankGroup::tensor, *kind, bytes});
    } else if (op.kind == OperatorKind::expert) {
        list.push_back(kind ? StepCollective{RankGroup::expert_tensor, *kind, bytes}
                            : StepCollective{RankGroup::expert, CollectiveKind::all_to_all, bytes});
    }
}

}  // namespace

InnerCollectives::InnerCollectives(const StepPlan& plan)
    : plan_(&plan),
      embedding_(block(embedding_operators(plan.model, plan.layout), {})),
      output_(block(output_operators(plan.model, plan.layout), {})) {
    if (plan.model.mtp_layers > 0) {
        const std::vector<Operator> operators = prediction_operators(plan.model, plan.layout, 0);
        prediction_ = block(operators, recomputed(operators, plan.layout));
    }
    bool has_dense = false;
    bool has_experts = false;
    for (int layer = 0; layer < plan.model.layers; ++layer) {
        bool& known = plan.model.has_experts(layer) ? has_experts : has_dense;
        if (!std::exchange(known, true)) {
            const std::vector<Operator> operators = layer_operators(plan.model, plan.layout, layer);
            (plan.model.has_experts(layer) ? experts_ : dense_) = block(operators, recomputed(operators, plan.layout));
        }
    }
}

InnerCollectives::Block InnerCollectives::block(const std::vector<Operator>& operators,
                                                const std::vector<Operator>& again) {
    Block block;
    for (const Operator& op : operators) {
        add(block.forward, op, op.forward_collective, op.forward_bytes);
    }
    for (const Operator& op : again) {
        add(block.backward, op, op.forward_collective, op.forward_bytes);
    }
    for (auto op = operators.rbegin(); op != operators.rend(); ++op) {
        add(block.backward, *op, op->backward_collective, op->backward_bytes);
    }
    return block;
}

std::vector<const InnerCollectives::Block*> InnerCollectives::blocks_of(const GradientBucket& bucket) const {
    std::vector<const Block*> blocks;
    if (bucket.with_embedding) {
        blocks.push_back(&embedding_);
    }
    for (int layer = bucket.first_layer; layer < bucket.first_layer + bucket.layers; ++layer) {
        blocks.push_back(plan_->model.has_experts(layer) ? &experts_ : &dense_);
    }
    for (int number = 0; number < bucket.predictions; ++number) {
        blocks.insert(blocks.end(), {&embedding_, &prediction_});
    }
    for (int output = 0; bucket.with_output && output < 1 + plan_->model.mtp_layers; ++output) {
        blocks.push_back(&output_);
    }
    return blocks;
}

std::vector<StepCollective> InnerCollectives::of(const Piece& piece) const {
    std::vector<StepCollective> all;
    if (piece.kind != PieceKind::compute || piece.bucket == nullptr) {
        return all;
    }
    const std::vector<const Block*> blocks = blocks_of(*piece.bucket);
    if (is_forward(piece.work)) {
        for (const Block* block : blocks) {
            all.insert(all.end(), block->forward.begin(), block->forward.end());
        }
    } else if (piece.work != StepWork::backward_weight) {
        for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
            all.insert(all.end(), (*block)->backward.begin(), (*block)->backward.end());
        }
    }
    return all;
}

}  // namespace sim::training
