#include "libsim/kernel/intervals.hpp"

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

void Intervals::forget_until(Time time) {
    const auto ended = [&](const Interval& part) { return part.end <= time; };
    all_.erase(all_.begin(), std::find_if_not(all_.begin(), all_.end(), ended));
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
    Time at = begin;
    for (const Interval& part : slow) {
        if (part.end <= at) {
            continue;
        }
        const Time from = std::max(part.begin, at);
        if (work <= from - at) {
            break;
        }
        work -= from - at;
        const Duration slowed_work = time_for(work.count(), pace);
        if (slowed_work <= part.end - from) {
            return later(from, slowed_work);
        }
        // Rounded down: a computation never gains from being slowed down.
        const Wide done = Wide{(part.end - from).count()} * pace.amount / pace.picoseconds;
        work -= Duration{static_cast<std::int64_t>(done)};
        at = part.end;
    }
    return later(at, work);
}

}  // namespace sim::kernel
