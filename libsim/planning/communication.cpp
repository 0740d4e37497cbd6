#include "libsim/planning/communication.hpp"

#include "libsim/network/bus_bandwidth.hpp"
#include "libsim/training/operators.hpp"
#include "libsim/training/split.hpp"
#include "libsim/training/step/footprint.hpp"

#include <algorithm>
#include <cmath>

namespace sim::scenarios {

namespace {

using model::Layout;
using model::Operator;
using model::OperatorKind;
using model::StepPlan;

class Uses {
public:
    explicit Uses(const StepPlan& plan) : plan_(plan) {}

    std::vector<CommunicationUse> take() { return std::move(uses_); }

    void add(const char* what, Spent group, CollectiveKind kind, std::int64_t count, double bytes,
             const Footprint& members) {
        if (members.members < 2 || count == 0 || bytes <= 0) {
            return;
        }
        const auto whole = static_cast<std::int64_t>(bytes);
        for (CommunicationUse& use : uses_) {
            if (use.what == what && use.bytes == whole && use.members == members.members) {
                use.count += count;
                return;
            }
        }
        const NcclChoice choice = nccl_choice(plan_.machine.network, kind, whole, members);
        const bool across = members.on_node < members.members;
        const double rate = bytes / choice.seconds * bus_factor(kind, members.members);
        const double link = across ? across_link(kind, members) : plan_.machine.scale_up;
        uses_.push_back({.what = what,
                         .group = group,
                         .count = count,
                         .bytes = whole,
                         .members = members.members,
                         .across_nodes = across,
                         .algorithm = std::string(choice.algorithm) + "/" + choice.protocol,
                         .seconds_alone = choice.seconds,
                         .bus_bandwidth = rate,
                         .link_share = link > 0 ? rate / link : 0});
    }

    void message(const char* what, std::int64_t count, std::int64_t bytes, bool across) {
        const double time = seconds(nccl_message_time(plan_.machine.network, bytes, across));
        const double rate = static_cast<double>(bytes) / time;
        const double link = across ? plan_.machine.scale_out : plan_.machine.scale_up;
        uses_.push_back({.what = what,
                         .group = Spent::pipeline,
                         .count = count,
                         .bytes = bytes,
                         .members = 2,
                         .across_nodes = across,
                         .algorithm = "send and receive",
                         .seconds_alone = time,
                         .bus_bandwidth = rate,
                         .link_share = link > 0 ? rate / link : 0});
    }

    // Each sort's part of its group's exposed time, by what it would take alone.
    void expose(const Budget& budget) {
        Budget alone{};
        for (const CommunicationUse& use : uses_) {
            alone[static_cast<std::size_t>(use.group)] += use.seconds_alone * static_cast<double>(use.count);
        }
        for (CommunicationUse& use : uses_) {
            const auto group = static_cast<std::size_t>(use.group);
            const double own = use.seconds_alone * static_cast<double>(use.count);
            use.exposed_seconds = alone[group] > 0 ? budget[group] * own / alone[group] : 0;
        }
    }

private:
    // The bus bandwidth at which the links between nodes are full. A ring enters a node once, over all of its network
    // cards; in an all-to-all each rank sends by its own one what goes to other nodes.
    double across_link(CollectiveKind kind, const Footprint& members) const {
        const double out = plan_.machine.scale_out;
        const double of_own = static_cast<double>(members.members - 1) / (members.members - members.on_node);
        const double cards = kind == CollectiveKind::all_to_all ? of_own : members.on_node;
        return std::min(plan_.machine.scale_up, out * cards);
    }

    const StepPlan& plan_;
    std::vector<CommunicationUse> uses_;
};

Footprint footprint(const StepPlan& plan, int stride, int count) {
    return model::spaced_footprint(stride, count, plan.machine.gpus_per_node);
}

// `again`: the backward pass computes them once more.
void add_of_operators(Uses& uses, const StepPlan& plan, const std::vector<Operator>& operators, bool again) {
    const Layout& layout = plan.layout;
    const std::int64_t times = layout.micro_batches();
    const Footprint tensor = footprint(plan, 1, layout.tp);
    for (const Operator& op : operators) {
        if (op.kind == OperatorKind::tensor) {
            const auto add = [&](CollectiveKind kind, std::int64_t count) {
                if (kind != CollectiveKind::barrier) {
                    const std::string what = std::string(name_of(kind)) + " of tensor parallelism";
                    uses.add(what.c_str(), Spent::tensor, kind, count, op.forward_bytes, tensor);
                }
            };
            add(op.forward_collective, again ? 2 * times : times);
            add(op.backward_collective, times);
        } else if (op.kind == OperatorKind::expert) {
            uses.add("all-to-all of tokens", Spent::expert, CollectiveKind::all_to_all, (again ? 3 : 2) * times,
                     op.forward_bytes, footprint(plan, layout.expert_tp, layout.ep));
        }
    }
}

void add_of_layers(Uses& uses, const StepPlan& plan, int stage) {
    const Layout& layout = plan.layout;
    const bool again = layout.recompute == model::Recompute::full;
    for (int chunk = 0; chunk < layout.interleave; ++chunk) {
        const int at = virtual_stage_of(layout, stage, chunk);
        if (at == 0) {
            add_of_operators(uses, plan, embedding_operators(plan.model, layout), false);
        }
        const int first = first_layer_of(plan.model, layout, at);
        for (int layer = first; layer < first + layers_of(plan.model, layout, at); ++layer) {
            add_of_operators(uses, plan, layer_operators(plan.model, layout, layer), again);
        }
        if (at == virtual_stages(layout) - 1) {
            add_of_operators(uses, plan, output_operators(plan.model, layout), false);
        }
    }
}

// Dense parameters and those of experts, in as many collectives as a layer's are sharded into.
void add_of_parameters(Uses& uses, const StepPlan& plan, const model::Bucket& bucket, bool gather, std::int64_t count) {
    const Layout& layout = plan.layout;
    const int pieces = layout.zero == 3 ? layout.gathers_per_layer : 1;
    const Footprint replicas = footprint(plan, layout.tp, layout.replicas());
    const Footprint experts = footprint(plan, layout.ep * layout.expert_tp, layout.expert_replicas());
    const CollectiveKind reduction = layout.zero > 0 ? CollectiveKind::reduce_scatter : CollectiveKind::all_reduce;
    const CollectiveKind kind = gather ? CollectiveKind::all_gather : reduction;
    const double each = (gather ? plan.parameter_bytes : plan.gradient_bytes) / pieces;
    uses.add(gather ? "all-gather of parameters" : "reduction of gradients", Spent::data, kind, pieces * count,
             static_cast<double>(bucket.dense_parameters) * each, replicas);
    uses.add(gather ? "all-gather of experts" : "reduction of experts' gradients", Spent::data, kind, pieces * count,
             static_cast<double>(bucket.expert_parameters) * each, experts);
}

// As training_step() does: full sharding gathers every bucket for each pass, but the last one of a chunk once for both;
// what is not overlapped is reduced in one piece.
void add_of_buckets(Uses& uses, const StepPlan& plan, int stage) {
    const Layout& layout = plan.layout;
    const std::int64_t m = layout.micro_batches();
    const bool sharded = layout.zero == 3;
    const bool recomputed =
        sharded && layout.framework == model::Framework::deepspeed && layout.recompute == model::Recompute::full;
    for (const model::Chunk& chunk : plan.stages[static_cast<std::size_t>(stage)].chunks) {
        for (const model::Bucket& bucket : chunk.buckets) {
            const bool again = sharded && layout.reshard_after_forward && &bucket != &chunk.buckets.back();
            if (layout.zero > 0) {
                const int times = 1 + (again ? 1 : 0) + (recomputed ? 1 : 0);
                add_of_parameters(uses, plan, bucket, true, (sharded ? m : 1) * times);
            }
            if (sharded || layout.overlap_gradients) {
                add_of_parameters(uses, plan, bucket, false, sharded ? m : 1);
            }
        }
        if (!sharded && !layout.overlap_gradients) {
            add_of_parameters(uses, plan, chunk.whole, false, 1);
        }
    }
}

}  // namespace

std::vector<CommunicationUse> communication_of(const StepPlan& plan, const Prediction& prediction) {
    const Layout& layout = plan.layout;
    const int stage = layout.pp / 2;
    Uses uses(plan);
    add_of_layers(uses, plan, stage);
    add_of_buckets(uses, plan, stage);
    if (layout.pp > 1) {
        const int apart = layout.dp * layout.cp * layout.tp;
        uses.message("messages between stages", 2L * layout.micro_batches() * layout.interleave, plan.boundary_bytes,
                     apart >= plan.machine.gpus_per_node || layout.ranks() > plan.machine.gpus_per_node);
    }
    uses.expose(prediction.budget);
    return uses.take();
}

}  // namespace sim::scenarios
