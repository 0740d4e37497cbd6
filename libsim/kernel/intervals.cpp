#include "libsim/kernel/intervals.hpp"

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
