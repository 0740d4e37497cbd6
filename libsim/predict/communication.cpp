#include "libsim/predict/time_budget.hpp"

#include "libsim/network/bus_bandwidth.hpp"
#include "libsim/network/nccl.hpp"
#include "libsim/training/step/inner_collectives.hpp"
#include "libsim/training/step/stage_step.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sim::predict {

namespace {

using training::Layout;
using training::Piece;
using training::PieceKind;
using training::Pieces;
using training::RankGroup;
using training::StageStep;
using training::StepPlan;
using training::StepWork;

// The title of a collective of this group in the list: "all-gather of parameters".
std::string title_of(RankGroup group, CollectiveKind kind) {
    const bool gathers = kind == CollectiveKind::all_gather;
    switch (group) {
        case RankGroup::tensor: return std::string(name_of(kind)) + " of tensor parallelism";
        case RankGroup::heads: return "all-to-all of attention heads";
        case RankGroup::context: return std::string(name_of(kind)) + " of keys and values";
        case RankGroup::expert: return "all-to-all of tokens";
        case RankGroup::expert_tensor: return std::string(name_of(kind)) + " of experts' tokens";
        case RankGroup::shards:
        case RankGroup::replicas: return gathers ? "all-gather of parameters" : "reduction of gradients";
        case RankGroup::expert_shards:
        case RankGroup::expert_replicas: return gathers ? "all-gather of experts" : "reduction of experts' gradients";
        case RankGroup::shard_copies: return "all-reduce of gradients' shards over their copies";
        case RankGroup::expert_shard_copies: return "all-reduce of experts' gradients' shards over their copies";
        case RankGroup::ends: return std::string(label_of(StepWork::all_reduce_embedding));
        case RankGroup::everyone: return std::string(label_of(StepWork::all_reduce_norm));
    }
    return name_of(kind);
}

class Uses {
public:
    explicit Uses(const StepPlan& plan) : plan_(plan) {}

    std::vector<CommunicationUse> take() { return std::move(uses_); }

    // `title`: that of the group, if it is empty.
    void add(RankGroup group, CollectiveKind kind, std::int64_t count, double bytes, std::string_view title = {}) {
        const Footprint members = footprint_of(group, plan_.layout, plan_.machine.gpus_per_node);
        if (members.members < 2 || count == 0 || bytes <= 0) {
            return;
        }
        const Sort sort{group, kind, static_cast<std::int64_t>(bytes), title};
        const auto same = std::find(sorts_.begin(), sorts_.end(), sort);
        if (same != sorts_.end()) {
            uses_[static_cast<std::size_t>(same - sorts_.begin())].count += count;
            return;
        }
        const NcclChoice choice = nccl_choice(plan_.machine.network, kind, sort.bytes, members);
        const bool across = members.on_node < members.members;
        const double rate = bytes / choice.seconds * bus_factor(kind, members.members);
        const double link = across ? across_link(kind, members) : plan_.machine.scale_up;
        sorts_.push_back(sort);
        uses_.push_back({.what = title.empty() ? title_of(group, kind) : std::string(title),
                         .group = training::category_of(group),
                         .count = count,
                         .bytes = sort.bytes,
                         .members = members.members,
                         .across_nodes = across,
                         .algorithm = nccl_name(choice.algorithm, choice.protocol),
                         .seconds_alone = choice.seconds,
                         .bus_bandwidth = rate,
                         .link_share = link > 0 ? rate / link : 0});
    }

    // Messages of one size, between two ranks of a group of `members`.
    struct Messages {
        std::string what;
        TimeCategory group;
        std::int64_t count;
        std::int64_t bytes;
        int members;
        bool across;
    };
    void messages(const Messages& sort) {
        const auto same = std::find_if(uses_.begin(), uses_.end(), [&](const CommunicationUse& use) {
            return use.what == sort.what && use.bytes == sort.bytes;
        });
        if (same != uses_.end()) {
            same->count += sort.count;
            return;
        }
        sorts_.push_back({RankGroup::context, CollectiveKind::all_reduce, -1});  // equal to no collective
        const double time = seconds(nccl_message_time(plan_.machine.network, sort.bytes, sort.across));
        const double rate = static_cast<double>(sort.bytes) / time;
        const double link = sort.across ? plan_.machine.scale_out : plan_.machine.scale_up;
        uses_.push_back({.what = sort.what,
                         .group = sort.group,
                         .count = sort.count,
                         .bytes = sort.bytes,
                         .members = sort.members,
                         .across_nodes = sort.across,
                         .algorithm = "send and receive",
                         .seconds_alone = time,
                         .bus_bandwidth = rate,
                         .link_share = link > 0 ? rate / link : 0});
    }

    // Distributes each group's exposed time over its sorts, in proportion to their time alone.
    void expose(const Budget& budget) {
        Budget alone{};
        for (const CommunicationUse& use : uses_) {
            alone[static_cast<std::size_t>(use.group)] += use.seconds_alone * static_cast<double>(use.count);
        }
        for (CommunicationUse& use : uses_) {
            const auto group = static_cast<std::size_t>(use.group);
            const double own = use.seconds_alone * static_cast<double>(use.count);
            // This category also has the time of the optimizer's update.
            use.exposed_seconds = use.group == TimeCategory::optimizer ? std::min(own, budget[group])
                                  : alone[group] > 0                   ? budget[group] * own / alone[group]
                                                                       : 0;
        }
    }

private:
    struct Sort {
        RankGroup group;
        CollectiveKind kind;
        std::int64_t bytes;
        std::string_view title = {};
        friend bool operator==(const Sort&, const Sort&) = default;
    };

    // The bus bandwidth that saturates the links between nodes. A ring enters a node once, over all of its network
    // cards; in an all-to-all each rank sends its own inter-node traffic over its own card.
    double across_link(CollectiveKind kind, const Footprint& members) const {
        const double out = plan_.machine.scale_out;
        const double of_own = static_cast<double>(members.members - 1) / (members.members - members.on_node);
        const double cards = kind == CollectiveKind::all_to_all ? of_own : members.on_node;
        return std::min(plan_.machine.scale_up, out * cards);
    }

    const StepPlan& plan_;
    std::vector<Sort> sorts_;
    std::vector<CommunicationUse> uses_;
};

// Calls `count(pieces, times)` for the passes of each chunk of a stage, with their number of executions per step.
class PassCounts {
public:
    PassCounts(const StepPlan& plan, int stage) : counts_(plan.stages.front().chunks.size()) {
        for (const PipelineStep& step : plan.layout.parallelism.schedule->steps(plan.shape, stage)) {
            const auto kind = training::kind_of(step, micro_batches_of(plan));
            ++counts_[static_cast<std::size_t>(step.chunk)][static_cast<std::size_t>(kind)];
        }
    }

    template <class Count>
    void for_each(const StageStep& step, std::size_t chunk, const Count& count) const {
        for (std::size_t kind = 0; kind < training::pass_kinds; ++kind) {
            if (counts_[chunk][kind] > 0) {
                count(step.chunks[chunk].of(static_cast<training::PassKind>(kind)), counts_[chunk][kind]);
            }
        }
    }

private:
    std::vector<std::array<std::int64_t, training::pass_kinds>> counts_;  // by chunk
};

// In layer order.
void add_inside_passes(Uses& uses, const StepPlan& plan, const StageStep& step, const PassCounts& counts) {
    const training::InnerCollectives inner(plan);
    const Footprint context = footprint_of(RankGroup::context, plan.layout, plan.machine.gpus_per_node);
    for (std::size_t chunk = 0; chunk < step.chunks.size(); ++chunk) {
        counts.for_each(step, chunk, [&](const Pieces& pieces, std::int64_t times) {
            for (const Piece& piece : pieces) {
                for (const training::StepCollective& one : inner.of(piece)) {
                    uses.add(one.group, one.kind, times, one.bytes);
                }
                for (const double bytes : inner.exchanges_of(piece)) {
                    uses.messages({.what = "keys and values of context parallelism",
                                   .group = TimeCategory::context,
                                   .count = times * (plan.layout.ring_ranks() - 1),
                                   .bytes = std::llround(bytes),
                                   .members = context.members,
                                   .across = context.on_node < context.members});
                }
            }
        });
    }
}

// Collectives of the whole step: the embedding's gradient, which the first and the last stage share, and the norm.
void add_of_step(Uses& uses, const StepPlan& plan) {
    for (const Piece& piece : training::stage_step(plan, 0).after) {
        if (piece.kind != PieceKind::collect || piece.bucket != nullptr) {
            continue;
        }
        for (const training::StepCollective& one : piece.collectives) {
            uses.add(one.group, one.kind, piece.times, one.bytes);
        }
    }
}

// Counts how often each bucket is gathered and reduced in a step.
class BucketUses {
public:
    void count(const Pieces& pieces, std::int64_t times) {
        for (const Piece& piece : pieces) {
            if (piece.kind != PieceKind::collect || piece.bucket == nullptr) {
                continue;
            }
            const auto same = std::find_if(uses_.begin(), uses_.end(), [&](const Use& use) {
                return use.piece->bucket == piece.bucket && use.piece->work == piece.work &&
                       use.piece->collectives == piece.collectives;
            });
            if (same == uses_.end()) {
                uses_.push_back({&piece, times});
            } else {
                same->times += times;
            }
        }
    }

    void list(const training::GradientBucket& bucket, Uses& list) const {
        for (const bool gathers : {true, false}) {
            for (const Use& use : uses_) {
                if (use.piece->bucket == &bucket && (use.piece->work == StepWork::gather_parameters) == gathers) {
                    const bool updates = use.piece->work == StepWork::gather_matrices;
                    for (const training::StepCollective& one : use.piece->collectives) {
                        list.add(one.group, one.kind, use.piece->times * use.times, one.bytes,
                                 updates ? label_of(use.piece->work) : "");
                    }
                }
            }
        }
    }

private:
    struct Use {
        const Piece* piece;
        std::int64_t times;
    };
    std::vector<Use> uses_;
};

// Bucket by bucket, in layer order.
void add_of_buckets(Uses& uses, const StepPlan& plan, int stage, const StageStep& step, const PassCounts& passes) {
    for (std::size_t number = 0; number < step.chunks.size(); ++number) {
        BucketUses counts;
        counts.count(step.before, 1);
        passes.for_each(step, number, [&](const Pieces& pieces, std::int64_t times) { counts.count(pieces, times); });
        counts.count(step.after, 1);
        const training::ChunkPlan& chunk = plan.stages[static_cast<std::size_t>(stage)].chunks[number];
        for (const training::GradientBucket& bucket : chunk.buckets) {
            counts.list(bucket, uses);
        }
        counts.list(chunk.whole, uses);
    }
}

}  // namespace

std::vector<CommunicationUse> communication_of(const StepPlan& plan, const Prediction& prediction) {
    const Layout& layout = plan.layout;
    const int stage = layout.parallelism.pp / 2;
    Uses uses(plan);
    const StageStep step = training::stage_step(plan, stage);
    const PassCounts passes(plan, stage);
    add_inside_passes(uses, plan, step, passes);
    add_of_buckets(uses, plan, stage, step, passes);
    add_of_step(uses, plan);
    if (layout.parallelism.pp > 1) {
        const int apart = layout.parallelism.dp * layout.parallelism.cp * layout.parallelism.tp;
        uses.messages({.what = "messages between stages",
                       .group = training::category_of(StepWork::activation),
                       .count = 2L * layout.micro_batches() * layout.parallelism.interleave,
                       .bytes = plan.boundary_bytes,
                       .members = 2,
                       .across = apart >= plan.machine.gpus_per_node || layout.ranks() > plan.machine.gpus_per_node});
    }
    uses.expose(prediction.budget);
    return uses.take();
}

}  // namespace sim::predict
