#include "libsim/kernel/parts/intervals.hpp"

#include "libsim/faults/slowing.hpp"

#include <algorithm>

namespace sim::kernel {

void Intervals::note(Time begin, Time end) {
    if (begin == end) {
        return;
    }
    if (!all_.empty() && all_.back().end == begin) {
        all_.back().end = end;
    } else {
        all_.push_back({begin, end});
    }
}

Duration Intervals::covered(const Interval& interval) const {
    Duration sum{0};
    for (const Interval& part : all_) {
        sum += std::max(std::min(part.end, interval.end) - std::max(part.begin, interval.begin), Duration{0});
    }
    return sum;
}

// Called for every stream whenever a rank goes on; there is nearly always nothing to forget.
void Intervals::forget_until(Time time) {
    if (all_.empty() || all_.front().end > time) {
        return;
    }
    all_.erase(all_.begin(), all_.begin() + (after(time) - all_.begin()));
}

// Reserves twice the room needed, so the cost per interval stays constant.
void Intervals::make_room_after(Time past) {
    forget_until(past);
    all_.reserve(std::max(2 * all_.size(), all_.capacity()));
}

Duration covered_by_both(const Intervals& a, const Intervals& b, const Interval& interval) {
    Duration sum{0};
    auto one = a.after(interval.begin);
    auto other = b.after(interval.begin);
    while (one != a.end() && other != b.end()) {
        const Time begin = std::max({one->begin, other->begin, interval.begin});
        const Time end = std::min({one->end, other->end, interval.end});
        sum += std::max(end - begin, Duration{0});
        one->end < other->end ? ++one : ++other;
    }
    return sum;
}

Intervals joined(std::vector<Interval> parts) {
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
    Intervals all;
    Interval last{};
    for (const Interval& part : parts) {
        if (part.begin <= last.end) {
            last.end = std::max(last.end, part.end);
        } else {
            all.note(last.begin, last.end);
            last = part;
        }
    }
    all.note(last.begin, last.end);
    return all;
}

Time stretched_end(Time begin, Duration work, Pace pace, const Intervals& slow) {
    faults::Progress progress{begin, work};
    for (const Interval& part : slow) {
        if (part.end <= progress.at) {
            continue;
        }
        if (const auto end = end_by(progress, std::max(part.begin, progress.at), {})) {
            return *end;
        }
        if (const auto end = end_by(progress, part.end, {&pace, 1})) {
            return *end;
        }
    }
    return later(progress.at, progress.left);
}

}  // namespace sim::kernel
