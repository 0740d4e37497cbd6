#include "tools/torch/table/step_account.hpp"

#include "libsim/group.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace sim::torch {

namespace {

using prices::Category;

constexpr std::array precedence{Category::products, Category::attention, Category::passes, Category::optimizer,
                                Category::copies};
static_assert(precedence.size() == prices::categories);

// Work without a purpose of its own counts as a pass.
int place_of(int purpose) {
    const auto category = purpose == 0 ? Category::passes : static_cast<Category>(purpose - 1);
    return static_cast<int>(std::ranges::find(precedence, category) - precedence.begin());
}

constexpr std::size_t most_intervals = 1U << 16U;

}  // namespace

Category category_of(const Activity& activity) {
    return precedence[static_cast<std::size_t>(activity.place)];
}

std::uint32_t StepAccount::number_of(const trace::Span& span) {
    Activity activity;
    if (span.kind == OpKind::compute) {
        activity.place = place_of(span.purpose);
    } else {
        auto [known, is_new] = of_groups_.try_emplace(span.group);
        if (is_new) {
            const Group& all = span.group->whole();
            known->second.members = all.size();
            const int node = all.rank_at(0) / gpus_of_node_;
            for (int i = 1; i < all.size() && !known->second.crosses_nodes; ++i) {
                known->second.crosses_nodes = all.rank_at(i) / gpus_of_node_ != node;
            }
        }
        activity = known->second;
        activity.collective = static_cast<int>(span.collective);
    }
    const auto [number, is_new] = numbers_.try_emplace(activity, static_cast<std::uint32_t>(activities_.size()));
    if (is_new) {
        activities_.push_back(activity);
    }
    return number->second;
}

void StepAccount::add(const trace::Span& span) {
    const bool counts =
        span.kind == OpKind::compute || (span.kind == OpKind::collective && span.group->whole().size() > 1);
    if (!counts || span.begin == span.end) {
        return;
    }
    OfRank& rank = ranks_[static_cast<std::size_t>(span.rank)];
    const bool is_beside = span.stream != Stream::main;
    if (!is_beside && rank.of_optimizers.empty() && rank.ends.empty()) {
        return;  // before the first step
    }
    std::vector<Interval>& into = is_beside ? rank.beside : rank.program;
    into.push_back({std::max(span.begin, rank.counted), span.end, number_of(span), is_beside});
    if (rank.program.size() + rank.beside.size() >= most_intervals) {
        const std::vector<Interval>& half = rank.program.size() > 1 ? rank.program : rank.beside;
        count(rank, half[half.size() / 2].begin);
    }
}

void StepAccount::end_step(int rank, std::int64_t optimizer, Time at) {
    ranks_[static_cast<std::size_t>(rank)].ends.push_back({at, optimizer});
}

// Counts the time from rank.counted to `until`. `all` is sorted; `active` holds the intervals in progress.
void StepAccount::count_part(OfRank& rank, const std::vector<Interval>& all, std::size_t& next,
                             std::vector<Interval>& active, Time until) const {
    while (rank.counted < until) {
        while (next < all.size() && all[next].begin <= rank.counted) {
            active.push_back(all[next++]);
        }
        std::erase_if(active, [&](const Interval& each) { return each.end <= rank.counted; });
        Time to = next < all.size() ? std::min(until, all[next].begin) : until;
        const Interval* what = nullptr;
        for (const Interval& each : active) {
            to = std::min(to, each.end);
            if (what == nullptr || precedes(each.activity, what->activity)) {
                what = &each;
            }
        }
        if (what != nullptr) {
            rank.sum[what->activity] += to - rank.counted;
        }
        rank.counted = to;
    }
}

StepAccount::Sum StepAccount::sum_of(const OfRank& rank, Time at) const {
    Sum sum{.at = at, .of = {}};
    for (std::size_t i = 0; i < rank.sum.size(); ++i) {
        sum.of[activities_[i]] = rank.sum[i];
    }
    return sum;
}

void StepAccount::note_end(OfRank& rank, const StepEnd& end) const {
    Ends& ends = rank.of_optimizers[end.optimizer];
    ends.last = sum_of(rank, end.at);
    if (ends.count == 0) {
        ends.first = ends.last;
    } else if (ends.count == 1) {
        ends.second = ends.last;
    }
    ++ends.count;
}

void StepAccount::count(OfRank& rank, Time until) const {
    const auto by_begin = [](const Interval& a, const Interval& b) { return a.begin < b.begin; };
    std::ranges::sort(rank.beside, by_begin);
    std::vector<Interval> all;
    std::ranges::merge(rank.program, rank.beside, std::back_inserter(all), by_begin);
    rank.program.clear();
    rank.beside.clear();
    rank.sum.resize(activities_.size());
    std::size_t next = 0;
    std::vector<Interval> active;
    std::size_t ended = 0;
    for (; ended < rank.ends.size() && rank.ends[ended].at <= until; ++ended) {
        count_part(rank, all, next, active, rank.ends[ended].at);
        note_end(rank, rank.ends[ended]);
    }
    rank.ends.erase(rank.ends.begin(), rank.ends.begin() + static_cast<std::ptrdiff_t>(ended));
    count_part(rank, all, next, active, until);
    std::erase_if(active, [&](const Interval& each) { return each.end <= until; });
    active.insert(active.end(), all.begin() + static_cast<std::ptrdiff_t>(next), all.end());
    for (const Interval& each : active) {
        (each.is_beside ? rank.beside : rank.program).push_back(each);
    }
}

std::optional<SteadySteps> StepAccount::steady(int number) const {
    OfRank rank = ranks_[static_cast<std::size_t>(number)];
    count(rank, rank.ends.empty() ? rank.counted : rank.ends.back().at);
    const Ends* most = nullptr;
    for (const auto& [optimizer, ends] : rank.of_optimizers) {
        if (most == nullptr || ends.count > most->count) {
            most = &ends;
        }
    }
    if (most == nullptr || most->count < 2) {
        return {};
    }
    const bool has_set_up = most->count > 2;
    const Sum& begin = has_set_up ? most->second : most->first;
    SteadySteps steps{.steps = most->count - (has_set_up ? 2 : 1), .time = most->last.at - begin.at, .of = {}};
    for (const auto& [activity, time] : most->last.of) {
        const auto before = begin.of.find(activity);
        const Duration spent = before == begin.of.end() ? time : time - before->second;
        if (spent > Duration{0}) {
            steps.of[activity] = spent;
        }
    }
    return steps;
}

}  // namespace sim::torch
