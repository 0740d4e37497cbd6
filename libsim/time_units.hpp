// These are the units in which times are typed and printed, longest first.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace sim {

struct TimeUnit {
    std::string_view name;
    std::int64_t picoseconds;
};

inline constexpr std::array<TimeUnit, 7> time_units{{{"h", 3'600'000'000'000'000},
                                                     {"min", 60'000'000'000'000},
                                                     {"s", 1'000'000'000'000},
                                                     {"ms", 1'000'000'000},
                                                     {"us", 1'000'000},
                                                     {"ns", 1'000},
                                                     {"ps", 1}}};

// Minutes and hours are only typed: simulated times are printed in seconds at most.
inline constexpr std::span<const TimeUnit> printed_time_units = std::span(time_units).subspan(2);

// The largest printed unit that `picoseconds` reaches; seconds if it reaches none.
inline const TimeUnit& time_unit_of(std::int64_t picoseconds) {
    const auto found = std::find_if(printed_time_units.begin(), printed_time_units.end(),
                                    [&](const TimeUnit& unit) { return unit.picoseconds <= picoseconds; });
    return found == printed_time_units.end() ? printed_time_units.front() : *found;
}

}  // namespace sim
