#include "libsim/collectives/readers/ring_time.hpp"

#include "libsim/check.hpp"

#include <algorithm>
#include <deque>

namespace sim::collectives {

namespace {

std::int64_t picoseconds(Time time) {
    return time.time_since_epoch().count();
}

std::int64_t stay(const RingPlace& place) {
    return place.send.count() + place.acknowledgement.count();
}

// In ascending order.
std::vector<std::int64_t> stays_of(std::span<const RingPlace> places) {
    std::vector<std::int64_t> stays;
    stays.reserve(places.size());
    for (const RingPlace& place : places) {
        stays.push_back(stay(place));
    }
    std::sort(stays.begin(), stays.end());
    stays.erase(std::unique(stays.begin(), stays.end()), stays.end());
    return stays;
}

bool in_range(std::span<const RingPlace> places, std::span<const Time> arrivals, std::int64_t steps) {
    std::int64_t most_expensive = 0;
    std::int64_t latest = 0;
    for (std::size_t i = 0; i < places.size(); ++i) {
        // A move costs at most the largest send plus the largest acknowledgement.
        std::int64_t sum = 0;
        if (__builtin_add_overflow(places[i].send.count(), places[i].acknowledgement.count(), &sum)) {
            return false;
        }
        most_expensive = std::max(most_expensive, sum);
        latest = std::max(latest, picoseconds(arrivals[i]));
    }
    // The unrolled ring has at most 3 n places, so no sum has more terms than this.
    const Wide rounds = Wide{steps} + 8 * static_cast<Wide>(places.size());
    return rounds * most_expensive + latest < INT64_MAX / 2;
}

// The ring unrolled far enough that each place has before it all places from which a path may come.
class Unrolled {
public:
    Unrolled(std::span<const RingPlace> places, std::span<const Time> arrivals, std::int64_t steps)
        : places_(places), steps_(steps), ends_(places.size(), 0) {
        const auto n = static_cast<std::int64_t>(places.size());
        reach_ = std::min(steps, 2 * n - 1);
        first_ = (reach_ + n - 1) / n * n;
        const auto all = static_cast<std::size_t>(first_ + n);
        moves_.resize(all);
        starts_.resize(all);
        for (std::size_t p = 0; p < all; ++p) {
            const std::size_t here = p % places.size();
            if (p > 0) {
                const RingPlace& before = places[(p - 1) % places.size()];
                moves_[p] = moves_[p - 1] + before.send.count() + places[here].acknowledgement.count();
            }
            starts_[p] = picoseconds(arrivals[here]) - moves_[p];
        }
    }

    // Accounts for all paths that pass a place with a stay cost of at least `cost`, paying `cost` for each of their
    // stays.
    //
    // With q = i - k as the start, the longest path to place p is moves(p) + (s - p) cost + max over q of (start(q) + q
    // cost): the terms of the maximum do not depend on p, so one sliding window serves all places.
    void stay_for(std::int64_t cost) {
        best_.clear();
        std::size_t waiting = 0;  // the first start that has not yet passed such a place
        std::size_t place = 0;
        for (std::size_t p = 0; p < starts_.size(); ++p) {
            if (stay(places_[place]) >= cost) {
                for (; waiting <= p; ++waiting) {
                    enter({waiting, starts_[waiting] + static_cast<std::int64_t>(waiting) * cost});
                }
            }
            const auto at = static_cast<std::int64_t>(p);
            if (at >= first_) {
                leave_before(at - reach_);
                if (!best_.empty()) {
                    ends_[place] = std::max(ends_[place], moves_[p] + best_.front().value + (steps_ - at) * cost);
                }
            }
            place = place + 1 == places_.size() ? 0 : place + 1;
        }
    }

    std::vector<Time> ends() const {
        std::vector<Time> ends;
        ends.reserve(ends_.size());
        for (const std::int64_t end : ends_) {
            ends.emplace_back(Duration{end});
        }
        return ends;
    }

private:
    struct Start {
        std::size_t at;
        std::int64_t value;
    };

    // Values decrease from front to back: the front is the largest within reach.
    // A start that a later one equals or exceeds is dropped for good, since the later one also stays in reach for
    // longer.
    void enter(const Start& start) {
        while (!best_.empty() && best_.back().value <= start.value) {
            best_.pop_back();
        }
        best_.push_back(start);
    }
    void leave_before(std::int64_t at) {
        while (!best_.empty() && static_cast<std::int64_t>(best_.front().at) < at) {
            best_.pop_front();
        }
    }

    std::span<const RingPlace> places_;
    std::int64_t steps_;
    std::int64_t reach_ = 0;
    std::int64_t first_ = 0;            // the first place of the last lap
    std::vector<std::int64_t> moves_;   // from place 0 to here
    std::vector<std::int64_t> starts_;  // arrival - moves
    std::vector<std::int64_t> ends_;
    std::deque<Start> best_;
};

}  // namespace

std::int64_t different_stays(std::span<const RingPlace> places) {
    return static_cast<std::int64_t>(stays_of(places).size());
}

std::optional<std::vector<Time>> ring_ends(std::span<const RingPlace> places, std::span<const Time> arrivals,
                                           std::int64_t steps) {
    check(places.size() == arrivals.size(), "a ring of {} places has {} arrivals", places.size(), arrivals.size());
    if (steps == 0 || places.empty()) {
        return std::vector<Time>(arrivals.begin(), arrivals.end());
    }
    if (!in_range(places, arrivals, steps)) {
        return std::nullopt;
    }
    Unrolled ring(places, arrivals, steps);
    // A path with a more expensive place than `cost` is valued too low here, and exactly when its own cost comes; so
    // the maximum over all costs is right.
    for (const std::int64_t cost : stays_of(places)) {
        ring.stay_for(cost);
    }
    return ring.ends();
}

}  // namespace sim::collectives
