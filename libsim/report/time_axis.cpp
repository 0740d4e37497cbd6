#include "libsim/report/time_axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sim::report {

namespace {

struct TimeUnit {
    std::int64_t picoseconds;
    const char* name;
};
constexpr auto time_units = std::to_array<TimeUnit>(
    {{1'000'000'000'000, "s"}, {1'000'000'000, "ms"}, {1'000'000, "us"}, {1'000, "ns"}, {1, "ps"}});

const TimeUnit& unit_of(std::int64_t time) {
    const auto* const found = std::find_if(time_units.begin(), time_units.end(),
                                           [&](const TimeUnit& unit) { return unit.picoseconds <= time; });
    return found == time_units.end() ? time_units.front() : *found;
}

std::string in_unit(std::int64_t time, const TimeUnit& unit, int digits) {
    return fmt::format("{:.{}g} {}", static_cast<double>(time) / static_cast<double>(unit.picoseconds), digits,
                       unit.name);
}

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

std::vector<Tick> time_ticks(Time end, int most) {
    const std::int64_t last = end.time_since_epoch().count();
    std::vector<Tick> ticks;
    if (last <= 0) {
        return ticks;
    }
    const std::int64_t step = round_count((last - 1) / std::max(most, 1) + 1);
    const TimeUnit& unit = unit_of(last);
    for (std::int64_t at = 0; at < last; at += step) {
        ticks.push_back({Time{Duration{at}}, in_unit(at, unit, 12)});
        if (at > last - step) {
            break;
        }
    }
    return ticks;
}

Time round_time(Time time) {
    return Time{Duration{round_count(time.time_since_epoch().count())}};
}

std::string time_text(Time time, int digits) {
    const std::int64_t count = time.time_since_epoch().count();
    return in_unit(count, unit_of(count), digits);
}

}  // namespace sim::report
