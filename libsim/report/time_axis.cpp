#include "libsim/report/time_axis.hpp"

#include "libsim/report/amounts.hpp"

#include <algorithm>

namespace sim::report {

namespace {

std::int64_t round_count(std::int64_t at_least) {
    for (std::int64_t power = 1; power <= INT64_MAX / 10; power *= 10) {
        for (const std::int64_t times : {1, 2, 5}) {
            if (at_least <= times * power) {
                return times * power;
            }
        }
    }
    return at_least;
}

}  // namespace

std::vector<Tick> time_ticks(Time end, int most, Time begin) {
    const std::int64_t first = begin.time_since_epoch().count();
    const std::int64_t last = end.time_since_epoch().count();
    std::vector<Tick> ticks;
    if (last <= first) {
        return ticks;
    }
    const std::int64_t step = round_count((last - first - 1) / std::max(most, 1) + 1);
    const TimeUnit& unit = time_unit_of(last);
    for (std::int64_t at = (first / step + (first % step == 0 ? 0 : 1)) * step; at < last; at += step) {
        const Time time{Duration{at}};
        ticks.push_back({time, time_text(unit, time, 12)});
        if (at > last - step) {
            break;
        }
    }
    return ticks;
}

Time round_time(Time time) {
    return Time{Duration{round_count(time.time_since_epoch().count())}};
}

}  // namespace sim::report
