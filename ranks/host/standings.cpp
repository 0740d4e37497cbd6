#include "ranks/host/standings.hpp"

#include <algorithm>
#include <utility>

namespace sim::ranks {

Standings::Standings(int ranks, std::vector<Time> times)
    : ranks_(ranks), times_(std::move(times)), at_(times_.size()) {}

// The index of the first time that is not before this one; their number if there is none.
std::size_t Standings::first_from(Time time) const {
    return static_cast<std::size_t>(std::lower_bound(times_.begin(), times_.end(), time) - times_.begin());
}

bool Standings::wants(const kernel::StepsDone& reported) const {
    return reported.with_state && first_from(reported.end) < times_.size();
}

void Standings::add(const kernel::StepsDone& reported, std::vector<std::byte> state) {
    if (times_.empty()) {
        return;
    }
    if (reported.in_program) {
        add_steps(reported);
    }
    if (wants(reported)) {
        add_state(reported, std::move(state));
    }
}

void Standings::add_steps(const kernel::StepsDone& reported) {
    const std::size_t done = first_from(reported.begin);
    if (done < times_.size()) {
        std::vector<std::int64_t>& steps = at_[done].steps;
        steps.resize(static_cast<std::size_t>(ranks_));
        std::int64_t& most = steps[static_cast<std::size_t>(reported.rank)];
        most = std::max(most, reported.steps);
    }
    if (reported.rank != 0) {
        return;
    }
    const std::size_t ended = first_from(reported.end);
    for (std::size_t i = done; i < ended; ++i) {
        at_[i].stall_under_way = times_[i] - reported.begin;
    }
    if (ended < times_.size()) {
        at_[ended].stalls_ended += reported.end - reported.begin;
    }
    stalled_ += reported.end - reported.begin;
}

// If a rank reports the same steps several times, the first counts.
void Standings::add_state(const kernel::StepsDone& reported, std::vector<std::byte> state) {
    Parts& parts = parts_[reported.steps];
    const auto rank = static_cast<std::size_t>(reported.rank);
    parts.here.resize(static_cast<std::size_t>(ranks_));
    if (parts.here[rank]) {
        return;
    }
    parts.here[rank] = true;
    Checkpoint& checkpoint = *parts.checkpoint;
    checkpoint.steps = reported.steps;
    checkpoint.taken = std::max(checkpoint.taken, reported.in_program ? reported.end : reported.asked);
    checkpoint.complete = std::max(checkpoint.complete, reported.end);
    checkpoint.states.resize(static_cast<std::size_t>(ranks_));
    checkpoint.states[rank] = std::move(state);
    parts.stalled_before = reported.rank == 0 ? stalled_ : parts.stalled_before;
    if (++parts.count == ranks_) {
        forget_older();
    }
}

// Whether it is the last complete checkpoint at one of the times before `until`.
bool Standings::is_needed(const Checkpoint& checkpoint, Time until) const {
    const std::size_t first = first_from(checkpoint.complete);
    return first < times_.size() && times_[first] < until;
}

void Standings::forget_older() {
    const Parts* newer = nullptr;
    for (auto at = parts_.end(); at != parts_.begin();) {
        --at;
        if (at->second.count < ranks_) {
            continue;
        }
        if (newer != nullptr && !is_needed(*at->second.checkpoint, newer->checkpoint->complete)) {
            at = parts_.erase(at);
        } else {
            newer = &at->second;
        }
    }
}

std::vector<Standing> Standings::take() const {
    std::vector<Standing> standings;
    std::vector<std::int64_t> steps(static_cast<std::size_t>(ranks_));
    Duration ended{0};
    for (std::size_t i = 0; i < times_.size(); ++i) {
        for (std::size_t rank = 0; rank < at_[i].steps.size(); ++rank) {
            steps[rank] = std::max(steps[rank], at_[i].steps[rank]);
        }
        ended += at_[i].stalls_ended;
        Standing& standing = standings.emplace_back();
        standing.at = times_[i];
        standing.steps = *std::min_element(steps.begin(), steps.end());
        standing.stalled = ended + at_[i].stall_under_way;
        standing.stalled_since = standing.stalled;
        for (const auto& [done, parts] : parts_) {
            if (parts.count == ranks_ && parts.checkpoint->complete <= times_[i]) {
                standing.checkpoint = parts.checkpoint;
                standing.stalled_since = standing.stalled - parts.stalled_before;
            }
        }
    }
    return standings;
}

}  // namespace sim::ranks
