#include "libsim/predict/step_timeline.hpp"

#include "libsim/predict/pass_kernels.hpp"
#include "libsim/predict/time_budget.hpp"
#include "libsim/report/mesh_axes.hpp"
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
using training::StepWork;

namespace {

// "Stage 1, ranks 32-63" if one rank stands for several; otherwise "Rank 33, stage 1".
std::string name_of_rank(const training::RankMap& map, const training::Layout& layout, int rank) {
    const int first = map.real_rank(rank);
    const int last = first + layout.ranks() / layout.parallelism.pp - 1;
    const bool staged = layout.parallelism.pp > 1;
    if (map.folded() && last > first) {
        return fmt::format("{}anks {}-{}", staged ? fmt::format("Stage {}, r", map.stage_of(rank)) : "R", first, last);
    }
    return fmt::format("Rank {}{}", first, staged ? fmt::format(", stage {}", map.stage_of(rank)) : "");
}

class StepTimeline {
public:
    StepTimeline(const TrainingCase& what, bool unfold)
        : what_(what),
          plan_(training::plan_step(what.model, what.machine, what.layout)),
          map_(what.layout, !unfold),
          kernels_(what),
          budget_(plan_, map_),
          accounts_(static_cast<std::size_t>(map_.ranks())) {
        timeline_.ranks = map_.ranks();
        timeline_.stream_names = {"gradients and parameters", "collectives inside passes"};
        timeline_.inside = stream_within_passes;
        for (int rank = 0; rank < map_.ranks(); ++rank) {
            timeline_.rank_names.push_back(name_of_rank(map_, what.layout, rank));
        }
        report::add_axes(timeline_, {"pp", "dp", "cp", "tp"},
                         [&](int rank, const char* axis) { return map_.coordinate(rank, axis); });
        for (int stage = 0; stage < what.layout.parallelism.pp; ++stage) {
            memories_.push_back(training::memory_over_time(what.model, what.machine, what.layout, stage));
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
            hold(rank, Time{}, memory_of(rank).front());
        }
        for (const Span& span : spans) {
            const auto sent = span.kind == OpKind::receive ? sends.find(span.message) : sends.end();
            add(span, sent == sends.end() ? span : on_its_way(span, *sent->second));
        }
        close_accounts();
        return std::move(timeline_);
    }

private:
    // Before the first pass, during each pass in the stage's order, and in the optimizer's step.
    const std::vector<MemoryAt>& memory_of(int rank) const {
        return memories_[static_cast<std::size_t>(map_.stage_of(rank))];
    }

    // A receive that does not wait takes no time, so the message's transmission is drawn instead.
    static Span on_its_way(Span receive, const Span& sent) {
        if (receive.begin >= sent.begin) {
            receive.begin = sent.begin;
            receive.end = sent.end;
        }
        return receive;
    }

    // `drawn`: the span as it is drawn.
    void add(const Span& span, Span drawn) {
        const std::optional<SpentTime> spent = budget_.take(span);
        if (spent && spent->begins_step) {
            accounts_[static_cast<std::size_t>(span.rank)].clear();
        }
        if (spent && spent->work == StepWork::optimizer) {
            hold(span.rank, span.begin, memory_of(span.rank).back());
        }
        if (spent && spent->place) {
            const PassPlace& place = *spent->place;
            if (place.computation == 0) {
                hold(span.rank, span.begin, memory_of(span.rank)[1 + place.number]);
            }
            drawn.label = timeline_.labels.keep_text(parallel::describe(plan_.shape, *place.step));
            timeline_.add(drawn, *span.label);
        } else {
            timeline_.add(drawn);
        }
        if (spent) {
            account(span.rank, spent->waited);
            account(span.rank, spent->own);
        }
        if (spent && spent->place) {
            add_collectives(span, *spent);
        }
    }

    // Adds to the span that was added last.
    void account(int rank, const TimeParts& parts) {
        for (std::size_t kind = 0; kind < time_categories; ++kind) {
            if (parts.of[kind].count() != 0) {
                accounts_[static_cast<std::size_t>(rank)].push_back(
                    {timeline_.spans.size() - 1, static_cast<TimeCategory>(kind), parts.of[kind]});
            }
        }
    }

    // Assigns the time of the step that is in no span to the rank's last span, or subtracts it from its last waits.
    void close_accounts() {
        const Duration step = timeline_.end - budget_.before_last();
        for (int rank = 0; rank < timeline_.ranks; ++rank) {
            std::vector<trace::Spent>& spent = accounts_[static_cast<std::size_t>(rank)];
            const TimeParts rest = budget_.rest_of(rank, step);
            for (std::size_t kind = 0; kind < time_categories && !spent.empty(); ++kind) {
                Duration left = rest.of[kind];
                if (left.count() > 0) {
                    spent.push_back({spent.back().span, static_cast<TimeCategory>(kind), left});
                }
                for (auto one = spent.rbegin(); one != spent.rend() && left.count() < 0; ++one) {
                    const bool is_kind = one->category == static_cast<TimeCategory>(kind);
                    const Duration part = is_kind ? std::min(-left, one->time) : Duration{0};
                    one->time -= part;
                    left += part;
                }
            }
            timeline_.account.insert(timeline_.account.end(), spent.begin(), spent.end());
        }
        std::erase_if(timeline_.account, [](const trace::Spent& one) { return one.time.count() == 0; });
        std::stable_sort(timeline_.account.begin(), timeline_.account.end(),
                         [](const trace::Spent& a, const trace::Spent& b) { return a.span < b.span; });
    }

    // Adds the exposed collectives, which together take the time in the account: each category of the pass is divided
    // in proportion to its kernels.
    void add_collectives(const Span& pass, const SpentTime& spent) {
        const PassPlace& place = *spent.place;
        const std::vector<KernelSpan>& kernels = kernels_of(
            pass.rank, spent.work, *place.step, place.computations == 1 ? -1 : static_cast<int>(place.computation));
        TimeParts all;
        for (const KernelSpan& kernel : kernels) {
            all[kernel.category] += kernel.time;
        }
        TimeParts come;   // kernel time so far
        TimeParts shown;  // the pass's time so far
        Time at = pass.begin;
        for (const KernelSpan& kernel : kernels) {
            come[kernel.category] += kernel.time;
            const Wide product = Wide{spent.own[kernel.category].count()} * come[kernel.category].count();
            const std::int64_t whole = std::max<std::int64_t>(all[kernel.category].count(), 1);
            const Duration until{static_cast<std::int64_t>(product / whole)};
            const Time end = at + (until - shown[kernel.category]);
            shown[kernel.category] = until;
            if (is_exposed(kernel) && end > at) {
                add_collective(pass, kernel, at, end);
            }
            at = end;
        }
    }

    void add_collective(const Span& pass, const KernelSpan& kernel, Time begin, Time end) {
        timeline_.add({.rank = pass.rank,
                       .kind = OpKind::collective,
                       .stream = stream_within_passes,
                       .op_number = pass.op_number,
                       .label = timeline_.labels.keep_text(kernel.name),
                       .begin = begin,
                       .end = end},
                      title_of(kernel.category));
    }

    // All passes of a chunk have the same kernels, which are cached.
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
    TimeBudget budget_;
    std::vector<std::vector<MemoryAt>> memories_;                  // by stage
    std::vector<std::vector<trace::Spent>> accounts_;              // by rank, of the last step
    std::map<std::array<int, 4>, std::vector<KernelSpan>> known_;  // by stage, chunk, work, part
    report::Timeline timeline_;
};

}  // namespace

report::Timeline step_timeline(const TrainingCase& what, std::span<const Span> spans, bool unfold) {
    return StepTimeline(what, unfold).of(spans);
}

}  // namespace sim::predict
