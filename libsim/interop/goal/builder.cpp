#include "libsim/interop/goal/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace sim::goal {

ScheduleBuilder::ScheduleBuilder(std::uint32_t ranks) {
    schedule_.ranks.resize(ranks);
}

void ScheduleBuilder::begin(std::uint32_t rank) {
    end_rank();
    rank_ = rank;
    began_ = true;
    const auto next = static_cast<OpIndex>(schedule_.ops.size());
    schedule_.ranks[rank] = {next, next};
}

OpIndex ScheduleBuilder::add(GoalOp op) {
    const std::size_t index = schedule_.ops.size();
    if (index >= most_ops) {
        throw std::length_error(fmt::format("more than {} operations", most_ops));
    }
    op.rank = rank_;
    schedule_.ops.push_back(op);
    schedule_.cpus = std::max(schedule_.cpus, op.cpu + 1);
    schedule_.nics = std::max(schedule_.nics, op.nic + 1);
    return static_cast<OpIndex>(index);
}

// Sorts the edges of one rank by the operation they start from: waits for its start first, else in insertion order.
void ScheduleBuilder::end_rank() {
    if (!began_) {
        return;
    }
    OpRange& range = schedule_.ranks[rank_];
    range.end = static_cast<OpIndex>(schedule_.ops.size());
    if (edges_.size() > UINT32_MAX - schedule_.dependents.size()) {
        throw std::length_error("more than 4294967295 dependencies");
    }
    const auto slot = [&](const Edge& edge) {
        return 2 * (edge.first - range.begin) + (edge.then.on_start() ? 0U : 1U);
    };
    next_.assign(2 * (range.end - range.begin), 0);
    for (const Edge& edge : edges_) {
        ++next_[slot(edge)];
    }
    auto at = static_cast<std::uint32_t>(schedule_.dependents.size());
    for (std::size_t i = 0; i < next_.size(); ++i) {
        GoalOp& op = schedule_.ops[range.begin + i / 2];
        if (i % 2 == 0) {
            op.first_dependent = at;
        }
        op.dependents += next_[i];
        at += std::exchange(next_[i], at);
    }
    schedule_.dependents.resize(at);
    for (const Edge& edge : edges_) {
        schedule_.dependents[next_[slot(edge)]++] = edge.then;
    }
    edges_.clear();
}

GoalSchedule ScheduleBuilder::build() && {
    end_rank();
    return std::move(schedule_);
}

}  // namespace sim::goal
