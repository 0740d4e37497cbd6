#include "libsim/training/step/inner_collectives.hpp"

#include "libsim/training/layer_kinds.hpp"
#include "libsim/training/recomputation.hpp"
#include "libsim/training/tower.hpp"

#include <algorithm>
#include <optional>

namespace sim::training {

namespace {

// `heads`: an all-to-all of context parallelism is among the ranks that exchange heads, not among all (of a scan).
void add(std::vector<StepCollective>& list, std::vector<double>& exchanges, const Operator& op,
         std::optional<CollectiveKind> kind, double bytes, bool heads) {
    if (op.is_ring()) {
        exchanges.push_back(bytes);
    }
    if (op.kind == OperatorKind::context && kind) {
        list.push_back(
            {heads && kind == CollectiveKind::all_to_all ? RankGroup::heads : RankGroup::context, *kind, bytes});
    }
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
      tower_(tower()),
      output_(block(output_operators(plan.model, plan.layout), {})) {
    if (plan.model.mtp_layers > 0) {
        const std::vector<Operator> operators = prediction_operators(plan.model, plan.layout, 0);
        prediction_ = block(operators, recomputed(operators, plan.layout));
    }
    const auto first = first_layers_of_kinds(plan.model);
    for (std::size_t kind = 0; kind < first.size(); ++kind) {
        if (first[kind]) {
            const std::vector<Operator> operators = layer_operators(plan.model, plan.layout, *first[kind]);
            of_kinds_[kind] = block(operators, recomputed(operators, plan.layout));
        }
    }
}

InnerCollectives::Block InnerCollectives::block(const std::vector<Operator>& operators,
                                                const std::vector<Operator>& again) const {
    Block block;
    const bool heads = plan_->layout.head_ranks() > 1;
    for (const Operator& op : operators) {
        add(block.forward, block.forward_exchanges, op, op.forward_collective, op.forward_bytes, heads);
    }
    // A backward pass first repeats the forward operators that were not kept, with their collectives.
    for (const Operator& op : again) {
        add(block.backward, block.backward_exchanges, op, op.forward_collective, op.forward_bytes, heads);
    }
    for (auto op = operators.rbegin(); op != operators.rend(); ++op) {
        add(block.backward, block.backward_exchanges, *op, op->backward_collective, op->backward_bytes, heads);
    }
    return block;
}

InnerCollectives::Block InnerCollectives::tower() const {
    Block all;
    const auto append = [](std::vector<StepCollective>& to, const std::vector<StepCollective>& part) {
        to.insert(to.end(), part.begin(), part.end());
    };
    const std::vector<TowerPart> parts = tower_parts(plan_->model, plan_->layout);
    const auto of = [&](const TowerPart& part) {
        return block(part.operators,
                     part.is_layer ? recomputed(part.operators, plan_->layout) : std::vector<Operator>{});
    };
    for (const TowerPart& part : parts) {
        for (int time = 0; time < part.times; ++time) {
            append(all.forward, of(part).forward);
        }
    }
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        for (int time = 0; part->trained && time < part->times; ++time) {
            append(all.backward, of(*part).backward);
        }
    }
    return all;
}

std::vector<const InnerCollectives::Block*> InnerCollectives::blocks_of(const GradientBucket& bucket) const {
    std::vector<const Block*> blocks;
    if (bucket.with_embedding) {
        blocks.insert(blocks.end(), {&embedding_, &tower_});
    }
    for (int layer = bucket.first_layer; layer < bucket.first_layer + bucket.layers; ++layer) {
        blocks.push_back(&of_kinds_[plan_->model.kind_of(layer).index()]);
    }
    for (int number = 0; number < bucket.predictions; ++number) {
        blocks.insert(blocks.end(), {&embedding_, &prediction_});
    }
    for (int output = 0; bucket.with_output && output < 1 + plan_->model.mtp_layers; ++output) {
        blocks.push_back(&output_);
    }
    return blocks;
}

template <class Part>
std::vector<Part> InnerCollectives::all_of(const Piece& piece, std::vector<Part> Block::*forward,
                                           std::vector<Part> Block::*backward) const {
    std::vector<Part> all;
    if (piece.kind != PieceKind::compute || piece.bucket == nullptr || piece.work == StepWork::backward_weight) {
        return all;
    }
    std::vector<const Block*> blocks = blocks_of(*piece.bucket);
    if (!is_forward(piece.work)) {
        std::reverse(blocks.begin(), blocks.end());
    }
    for (const Block* block : blocks) {
        const std::vector<Part>& parts = block->*(is_forward(piece.work) ? forward : backward);
        all.insert(all.end(), parts.begin(), parts.end());
    }
    return all;
}

std::vector<StepCollective> InnerCollectives::of(const Piece& piece) const {
    return all_of(piece, &Block::forward, &Block::backward);
}

std::vector<double> InnerCollectives::exchanges_of(const Piece& piece) const {
    return all_of(piece, &Block::forward_exchanges, &Block::backward_exchanges);
}

}  // namespace sim::training
