#include "libsim/faults/slowing.hpp"

#include <algorithm>
#include <vector>

namespace sim::faults {

Around around(const Window& window, Time at) {
    if (window.every.count() == 0 || at < window.until) {
        return {window.from, window.until};
    }
    const Duration span = window.until - window.from;
    const std::int64_t times = (at - window.from) / window.every;
    const Time from = later(window.from, window.every * times);
    if (at < later(from, span)) {
        return {from, later(from, span)};
    }
    const Time next = later(from, window.every);
    return {next, later(next, span)};
}

namespace {

// A stretch of constant speed from a given time, and what slows work down in it.
struct Stretch {
    Time until = Time::max();
    bool stopped = false;
    std::vector<Pace> paces;
};

Stretch stretch_at(Time at, std::span<const Slowing> slowings) {
    Stretch stretch;
    for (const Slowing& slowing : slowings) {
        const Around part = around(slowing.window, at);
        if (part.covers(at)) {
            stretch.until = std::min(stretch.until, part.until);
            stretch.stopped = stretch.stopped || slowing.stops();
            stretch.paces.push_back(slowing.pace);
        } else if (part.from > at) {
            stretch.until = std::min(stretch.until, part.from);
        }
    }
    return stretch;
}

}  // namespace

std::optional<Time> end_by(Progress& work, Time until, std::span<const Pace> paces) {
    Duration needed = work.left;
    for (const Pace& pace : paces) {
        needed = time_for(needed.count(), pace);
    }
    if (needed <= until - work.at) {
        return later(work.at, needed);
    }
    Wide done = (until - work.at).count();
    for (const Pace& pace : paces) {
        done = done * pace.amount / pace.picoseconds;  // rounded down
    }
    work = {until, work.left - Duration{static_cast<std::int64_t>(done)}};
    return std::nullopt;
}

Time end_under(Time begin, Duration work, std::span<const Slowing> slowings) {
    Progress progress{begin, work};
    while (true) {
        const Stretch stretch = stretch_at(progress.at, slowings);
        if (!stretch.stopped) {
            if (const auto end = end_by(progress, stretch.until, stretch.paces)) {
                return *end;
            }
        } else if (progress.left.count() == 0) {
            return progress.at;
        } else if (stretch.until == Time::max()) {
            throw_time_overflow();
        } else {
            progress.at = stretch.until;
        }
    }
}

}  // namespace sim::faults
