#include "libsim/predict/step_timeline.hpp"

#include "libsim/check.hpp"
#include "libsim/predict/pass_kernels.hpp"
#include "libsim/training/memory.hpp"
#include "libsim/training/split.hpp"
#include "libsim/training/step/rank_map.hpp"
#include "libsim/training/step/stage_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

namespace sim::predict {

using training::GradientBucket;
using training::KernelSpan;
using training::MemoryAt;
using training::Piece;
using training::StepWork;

namespace {

// "Stage 1, ranks 32-63", of ranks that do the same; "Rank 33, stage 1".
std::string name_of_rank(const training::RankMap& map, const training::Layout& layout, int rank) {
    const int first = map.real_rank(rank);
    const int last = first + layout.ranks() / layout.parallelism.pp - 1;
    const bool staged = layout.parallelism.pp > 1;
    if (map.folded() && last > first) {
        return fmt::format("{}anks {}-{}", staged ? fmt::format("Stage {}, r", map.stage_of(rank)) : "R", first, last);
    }
    return fmt::format("Rank {}{}", first, staged ? fmt::format(", stage {}", map.stage_of(rank)) : "");
}

// The computations of a pass, of which each is one span.
std::vector<const Piece*> computations(const training::Pieces& pieces) {
    std::vector<const Piece*> result;
    for (const Piece& piece : pieces) {
        if (piece.kind == training::PieceKind::compute && is_pass(piece.work) && piece.time.count() > 0) {
            result.push_back(&piece);
        }
    }
    return result;
}

class StepTimeline {
public:
    StepTimeline(const TrainingCase& what, bool unfold)
        : what_(what),
          plan_(training::plan_step(what.model, what.machine, what.layout)),
          map_(what.layout, !unfold),
          kernels_(what),
          places_(static_cast<std::size_t>(map_.ranks())) {
        timeline_.ranks = map_.ranks();
        timeline_.stream_names = {"gradients and parameters", "collectives inside passes"};
        timeline_.inside = stream_within_passes;
        for (int rank = 0; rank < map_.ranks(); ++rank) {
            timeline_.rank_names.push_back(name_of_rank(map_, what.layout, rank));
        }
        for (int stage = 0; stage < what.layout.parallelism.pp; ++stage) {
            stages_.push_back({.step = training::stage_step(plan_, stage),
                               .order = what.layout.parallelism.schedule->steps(plan_.shape, stage),
                               .memory = training::memory_over_time(what.model, what.machine, what.layout, stage)});
        }
    }

    report::Timeline of(std::span<const Span> spans) {
        std::unordered_map<std::uint64_t, const Span*> sends;
        for (const Span& span : spans) {
            timeline_.end = std::max(timeline_.end, span.end);
            if (span.kind == OpKind::send && span.message != 0) {
                sends[span.message] = &span;
            }
        }
        for (int rank = 0; rank < timeline_.ranks; ++rank) {
            hold(rank, Time{}, stage_of(rank).memory.front());
        }
        for (const Span& span : spans) {
            const auto sent = span.kind == OpKind::receive ? sends.find(span.message) : sends.end();
            if (sent != sends.end()) {
                add_message(span, *sent->second);
            } else {
                add(span);
            }
        }
        return std::move(timeline_);
    }

private:
    struct Stage {
        training::StageStep step;
        std::vector<PipelineStep> order;
        std::vector<MemoryAt> memory;  // before the first, at each of `order`, in the optimizer's step
    };
    // How far a rank has come in its order, and in the computations of its next pass.
    struct Place {
        std::size_t pass = 0;
        std::size_t computation = 0;
    };

    const Stage& stage_of(int rank) const { return stages_[static_cast<std::size_t>(map_.stage_of(rank))]; }

    // A receive that does not wait takes no time: what is to be seen is the message's way.
    void add_message(Span receive, const Span& sent) {
        if (receive.begin >= sent.begin) {
            receive.begin = sent.begin;
            receive.end = sent.end;
        }
        timeline_.add(receive);
    }

    void add(const Span& span) {
        if (span.kind != OpKind::compute) {
            return timeline_.add(span);
        }
        const StepWork work = works_.of(*span.label);
        if (is_pass(work)) {
            return add_pass(span, work);
        }
        if (work == StepWork::optimizer) {
            hold(span.rank, span.begin, stage_of(span.rank).memory.back());
        }
        timeline_.add(span);
    }

    void add_pass(Span span, StepWork work) {
        const Stage& stage = stage_of(span.rank);
        Place& place = places_[static_cast<std::size_t>(span.rank)];
        const auto computations_of = [&](const PipelineStep& step) {
            const auto chunk = static_cast<std::size_t>(step.chunk);
            return computations(stage.step.chunks[chunk].of(step, micro_batches_of(plan_)));
        };
        const auto next = [&]() -> const PipelineStep& { return stage.order[place.pass % stage.order.size()]; };
        while (computations_of(next()).empty()) {
            ++place.pass;  // a chunk without layers computes nothing, which leaves no span
        }
        const PipelineStep& step = next();
        const auto all = computations_of(step);
        check(place.computation < all.size() && all[place.computation]->work == work,
              "rank {} is not where its schedule is", span.rank);
        if (place.computation == 0) {
            hold(span.rank, span.begin, stage.memory[1 + place.pass % stage.order.size()]);
        }
        span.label = timeline_.labels.keep_text(parallel::describe(plan_.shape, step));
        timeline_.add(span);
        add_collectives(span, work, step, all.size() == 1 ? -1 : static_cast<int>(place.computation));
        if (++place.computation == all.size()) {
            place = {place.pass + 1, 0};
        }
    }

    // `part`: which of the pass's buckets, in the order of the pass; -1: all.
    void add_collectives(const Span& pass, StepWork work, const PipelineStep& step, int part) {
        Duration whole{0};
        const std::vector<KernelSpan>& kernels = kernels_of(pass.rank, work, step, part);
        for (const KernelSpan& kernel : kernels) {
            whole += kernel.time;
        }
        const double scale = static_cast<double>((pass.end - pass.begin).count()) /
                             static_cast<double>(std::max<std::int64_t>(whole.count(), 1));
        const auto at = [&](Duration since) {
            return pass.begin + Duration{static_cast<std::int64_t>(static_cast<double>(since.count()) * scale)};
        };
        Duration since{0};
        for (const KernelSpan& kernel : kernels) {
            if (is_exposed(kernel) && kernel.time.count() > 0) {
                timeline_.add({.rank = pass.rank,
                               .kind = OpKind::collective,
                               .stream = stream_within_passes,
                               .op_number = pass.op_number,
                               .label = timeline_.labels.keep_text(kernel.name),
                               .begin = at(since),
                               .end = at(since + kernel.time)});
            }
            since += kernel.time;
        }
    }

    // Every pass of a chunk has the same: they are looked up, not computed again.
    const std::vector<KernelSpan>& kernels_of(int rank, StepWork work, const PipelineStep& step, int part) {
        const int stage = map_.stage_of(rank);
        auto [known, is_new] = known_.try_emplace({stage, step.chunk, static_cast<int>(work), part});
        if (!is_new) {
            return known->second;
        }
        const int virtual_stage = training::virtual_stage_of(what_.layout, stage, step.chunk);
        int first = training::first_layer_of(what_.model, what_.layout, virtual_stage);
        const training::ChunkPlan& chunk =
            plan_.stages[static_cast<std::size_t>(stage)].chunks[static_cast<std::size_t>(step.chunk)];
        const GradientBucket* bucket = &chunk.whole;
        if (part >= 0) {
            const std::size_t last = chunk.buckets.size() - 1;
            const auto index = static_cast<std::size_t>(part);
            const std::size_t number = is_forward(work) ? index : last - index;
            bucket = &chunk.buckets[number];
            for (std::size_t i = 0; i < number; ++i) {
                first += chunk.buckets[i].layers;
            }
        }
        known->second = kernels_.of(work, first, *bucket);
        return known->second;
    }

    void hold(int rank, Time at, const MemoryAt& memory) {
        timeline_.add({.rank = rank,
                       .kind = OpKind::allocate,
                       .label = timeline_.labels.keep_text(memory.step),
                       .measure = Measure::bytes,
                       .amount = memory.use.total(),
                       .begin = at,
                       .end = at});
    }

    const TrainingCase& what_;
    training::StepPlan plan_;
    training::RankMap map_;
    PassKernels kernels_;
    training::StepWorks works_;
    std::vector<Stage> stages_;
    std::vector<Place> places_;                                    // of each rank
    std::map<std::array<int, 4>, std::vector<KernelSpan>> known_;  // by stage, chunk, work, part
    report::Timeline timeline_;
};

}  // namespace

report::Timeline step_timeline(const TrainingCase& what, std::span<const Span> spans, bool unfold) {
    return StepTimeline(what, unfold).of(spans);
}

}  // namespace sim::predict
