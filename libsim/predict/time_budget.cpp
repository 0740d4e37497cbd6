#include "libsim/predict/time_budget.hpp"

#include <algorithm>
#include <cmath>

namespace sim::predict {

namespace {

using training::Parts;
using training::StepWork;

// `time` in the proportions of `parts`, to the picosecond: what rounding leaves goes to the largest.
void spread(Parts& budget, Duration time, const Parts& parts) {
    const auto total = static_cast<double>(parts.total().count());
    const auto largest = std::max_element(parts.of.begin(), parts.of.end()) - parts.of.begin();
    Duration rest = time;
    for (std::size_t kind = 0; kind < training::time_categories && total > 0; ++kind) {
        const double share = static_cast<double>(parts.of[kind].count()) / total;
        const Duration part{std::llround(static_cast<double>(time.count()) * share)};
        budget.of[kind] += part;
        rest -= part;
    }
    budget.of[static_cast<std::size_t>(largest)] += rest;
}

// Of steps that overlap, a rank's own may be longer than the time from one step's end to the next: what it waited for
// then is time of the other step.
void take_from_waiting(Parts& budget, Duration excess) {
    for (const training::TimeCategory waiting : {training::TimeCategory::bubble, training::TimeCategory::straggler,
                                                 training::TimeCategory::pipeline, training::TimeCategory::data}) {
        const Duration part = std::min(excess, budget[waiting]);
        budget[waiting] -= part;
        excess -= part;
    }
}

Parts sum_of(const training::StagePlan& stage, Parts training::GradientBucket::*parts) {
    Parts sum;
    for (const training::ChunkPlan& chunk : stage.chunks) {
        sum += chunk.whole.*parts;
    }
    return sum;
}

}  // namespace

Duration& TimeBudget::Passes::operator[](StepWork work) {
    switch (work) {
        case StepWork::backward: return backward;
        case StepWork::backward_input: return backward_input;
        case StepWork::backward_weight: return backward_weight;
        case StepWork::paired_forward: return paired_forward;
        case StepWork::paired_backward: return paired_backward;
        default: return forward;
    }
}

TimeBudget::TimeBudget(const training::StepPlan& plan, const training::RankMap& map)
    : plan_(&plan), map_(&map), accounts_(static_cast<std::size_t>(map.ranks())) {}

// Between two spans the program waits for what it has under way.
void TimeBudget::wait(Account& account, const Span& span, StepWork work) const {
    const Duration waited = span.begin - account.at;
    if (waited.count() <= 0) {
        return;
    }
    const training::Layout& layout = plan_->layout;
    const bool within_passes =
        layout.parallelism.zero == 3 || (layout.parallelism.zero == 2 && !layout.framework.overlap_gradients);
    const bool for_messages =
        layout.parallelism.pp > 1 && (!layout.framework.overlap_pipeline || work == StepWork::begin_gradients ||
                                      (span.kind == OpKind::receive && !within_passes));
    account.other[for_messages ? training::TimeCategory::pipeline : training::TimeCategory::data] += waited;
}

void TimeBudget::take(const Span& span) {
    if (span.stream != Stream::main || span.kind == OpKind::send || span.kind == OpKind::allocate) {
        return;
    }
    Account& account = accounts_[static_cast<std::size_t>(span.rank)];
    const StepWork work = works_.of(*span.label);
    if (work == StepWork::begin) {
        const int steps = account.steps;
        account = {.at = span.begin, .begin = span.begin, .steps = steps + 1};
        return;
    }
    wait(account, span, work);
    const Duration time = span.end - span.begin;
    if (span.kind == OpKind::receive) {
        account.other[training::TimeCategory::bubble] += span.idle;
        account.other[training::category_of(work)] += time - span.idle;
    } else if (span.kind == OpKind::collective) {
        account.other[plan_->layout.parallelism.pp > 1 ? training::TimeCategory::bubble
                                                       : training::TimeCategory::straggler] += span.idle;
        account.other[training::category_of(work)] += time - span.idle;
    } else if (training::is_pass(work)) {
        account.passes[work] += time;
    } else {
        account.other[training::category_of(work)] += time;
    }
    account.at = std::max(account.at, span.end);
}

Time TimeBudget::before_last() const {
    Time latest;
    for (const Account& account : accounts_) {
        latest = std::max(latest, account.steps > 1 ? account.begin : Time{});
    }
    return latest;
}

Parts TimeBudget::budget_of(int stage, const Account& account, Duration step) const {
    const training::StagePlan& plan = plan_->stages[static_cast<std::size_t>(stage)];
    Parts budget = account.other;
    const Parts input = sum_of(plan, &training::GradientBucket::backward_input);
    const Parts weight = sum_of(plan, &training::GradientBucket::backward_weight);
    Parts backward = input;
    backward += weight;
    spread(budget, account.passes.forward, sum_of(plan, &training::GradientBucket::forward));
    spread(budget, account.passes.backward, backward);
    spread(budget, account.passes.backward_input, input);
    spread(budget, account.passes.backward_weight, weight);
    spread(budget, account.passes.paired_forward, sum_of(plan, &training::GradientBucket::paired_forward));
    spread(budget, account.passes.paired_backward, sum_of(plan, &training::GradientBucket::paired_backward));
    // Until the last rank has ended, too.
    const Duration rest = step - budget.total();
    if (rest.count() >= 0) {
        budget[plan_->layout.parallelism.pp > 1 ? training::TimeCategory::bubble : training::TimeCategory::straggler] +=
            rest;
    } else {
        take_from_waiting(budget, -rest);
    }
    return budget;
}

std::vector<Budget> TimeBudget::of_stages(Duration step) const {
    std::vector<Budget> stages(plan_->stages.size());
    for (std::size_t rank = 0; rank < accounts_.size(); ++rank) {
        const int stage = map_->stage_of(static_cast<int>(rank));
        const Parts budget = budget_of(stage, accounts_[rank], step);
        for (std::size_t kind = 0; kind < training::time_categories; ++kind) {
            stages[static_cast<std::size_t>(stage)][kind] += seconds(budget.of[kind]);
        }
    }
    const double ranks_of_stage = static_cast<double>(accounts_.size()) / static_cast<double>(stages.size());
    for (Budget& stage : stages) {
        for (double& each : stage) {
            each /= ranks_of_stage;
        }
    }
    return stages;
}

}  // namespace sim::predict
