#include "libsim/predict/time_budget.hpp"

#include <algorithm>

namespace sim::predict {

namespace {

using training::StepWork;

// Waits of a rank that may belong to another step, in the order in which they are reduced.
constexpr std::array waits{TimeCategory::bubble, TimeCategory::straggler, TimeCategory::pipeline, TimeCategory::data};

}  // namespace

TimeBudget::TimeBudget(const training::StepPlan& plan, const training::RankMap& map)
    : plan_(&plan), map_(&map), accounts_(static_cast<std::size_t>(map.ranks())), places_(plan, map) {}

TimeCategory TimeBudget::waiting_for_ranks() const {
    return plan_->layout.parallelism.pp > 1 ? TimeCategory::bubble : TimeCategory::straggler;
}

// Between two spans the program waits for its outstanding communication.
TimeParts TimeBudget::waited_for(const Account& account, const Span& span, StepWork work) const {
    TimeParts parts;
    const training::Layout& layout = plan_->layout;
    const bool within_passes =
        layout.parallelism.zero == 3 || (layout.parallelism.zero == 2 && !layout.framework.overlap_gradients);
    const bool for_messages =
        layout.parallelism.pp > 1 && (!layout.framework.overlap_pipeline || work == StepWork::begin_gradients ||
                                      (span.kind == OpKind::receive && !within_passes));
    parts[for_messages ? TimeCategory::pipeline : TimeCategory::data] = std::max(span.begin - account.at, Duration{0});
    return parts;
}

TimeParts TimeBudget::own_parts(const Span& span, SpentTime& spent) {
    const Duration time = span.end - span.begin;
    if (training::is_pass(spent.work)) {
        spent.place = places_.next(span.rank, spent.work);
        return trace::divided(time, training::parts_of(*spent.place->piece));
    }
    TimeParts parts;
    if (span.kind == OpKind::receive || span.kind == OpKind::collective) {
        parts[span.kind == OpKind::receive ? TimeCategory::bubble : waiting_for_ranks()] = span.idle;
    }
    parts[training::category_of(spent.work)] += time - parts.total();
    return parts;
}

std::optional<SpentTime> TimeBudget::take(const Span& span) {
    if (span.stream != Stream::main || span.kind == OpKind::send || span.kind == OpKind::allocate) {
        return std::nullopt;
    }
    Account& account = accounts_[static_cast<std::size_t>(span.rank)];
    SpentTime spent;
    spent.work = works_.of(*span.label);
    if (spent.work == StepWork::begin) {
        spent.begins_step = true;
        account = {.at = span.begin, .begin = span.begin, .steps = account.steps + 1, .parts = {}};
        return spent;
    }
    spent.waited = waited_for(account, span, spent.work);
    spent.own = own_parts(span, spent);
    account.parts += spent.waited;
    account.parts += spent.own;
    account.at = std::max(account.at, span.end);
    return spent;
}

Time TimeBudget::before_last() const {
    Time latest;
    for (const Account& account : accounts_) {
        latest = std::max(latest, account.steps > 1 ? account.begin : Time{});
    }
    return latest;
}

TimeParts TimeBudget::rest_of(int rank, Duration step) const {
    const Account& account = accounts_[static_cast<std::size_t>(rank)];
    TimeParts rest;
    Duration left = step - account.parts.total();
    if (left.count() >= 0) {
        rest[waiting_for_ranks()] = left;
        return rest;
    }
    for (const TimeCategory waiting : waits) {
        rest[waiting] = -std::min(-left, account.parts[waiting]);
        left -= rest[waiting];
    }
    return rest;
}

std::vector<Budget> TimeBudget::of_stages(Duration step) const {
    std::vector<Budget> stages(plan_->stages.size());
    for (int rank = 0; rank < map_->ranks(); ++rank) {
        TimeParts parts = accounts_[static_cast<std::size_t>(rank)].parts;
        parts += rest_of(rank, step);
        for (std::size_t kind = 0; kind < time_categories; ++kind) {
            stages[static_cast<std::size_t>(map_->stage_of(rank))][kind] += seconds(parts.of[kind]);
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
