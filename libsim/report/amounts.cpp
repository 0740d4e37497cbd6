#include "libsim/report/amounts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace sim::report {

namespace {

struct Scale {
    double unit;
    const char* name;
};

// Four figures, in the largest unit that the amount reaches.
template <std::size_t N>
std::string scaled(double x, const std::array<Scale, N>& scales) {
    const auto fits = [&](const Scale& scale) { return std::fabs(x) >= 0.99995 * scale.unit; };
    const auto found = std::find_if(scales.begin(), scales.end(), fits);
    const Scale& scale = found == scales.end() ? scales.back() : *found;
    const double value = x / scale.unit;
    const double size = std::fabs(value);
    const int decimals = x == 0 || size >= 999.95 ? 0 : size >= 99.995 ? 1 : size >= 9.9995 ? 2 : 3;
    const std::string text = fmt::format("{:.{}f}", value, decimals);
    return *scale.name == 0 ? text : fmt::format("{} {}", text, scale.name);
}

}  // namespace

std::string time_text(double seconds) {
    return scaled(seconds, std::array{Scale{1, "s"}, Scale{1e-3, "ms"}, Scale{1e-6, "us"}});
}

std::string long_time_text(double seconds) {
    return seconds < 60 ? time_text(seconds)
                        : scaled(seconds, std::array{Scale{86400, "days"}, Scale{3600, "h"}, Scale{60, "min"}});
}

std::string bytes_text(double bytes) {
    return scaled(bytes, std::array{Scale{1e15, "PB"}, Scale{1e12, "TB"}, Scale{1e9, "GB"}, Scale{1e6, "MB"},
                                    Scale{1e3, "kB"}, Scale{1, "B"}});
}

std::string rate_text(double bytes_per_second) {
    return fmt::format("{}/s", bytes_text(bytes_per_second));
}

std::string count_text(double count) {
    return scaled(count, std::array{Scale{1e12, "T"}, Scale{1e9, "B"}, Scale{1e6, "M"}, Scale{1e3, "k"}, Scale{1, ""}});
}

std::string teraflops_text(double per_second) {
    return fmt::format("{:#.4g}", per_second / 1e12);
}

std::string money_text(double usd) {
    if (usd < 1000) {
        return fmt::format("${:.{}f}", usd, usd < 0.1 ? 4 : 2);
    }
    return fmt::format("${}", count_text(usd));
}

std::string energy_text(double kilowatt_hours) {
    return scaled(kilowatt_hours, std::array{Scale{1e6, "GWh"}, Scale{1e3, "MWh"}, Scale{1, "kWh"}, Scale{1e-3, "Wh"}});
}

std::string power_text(double watts) {
    return scaled(watts, std::array{Scale{1e6, "MW"}, Scale{1e3, "kW"}, Scale{1, "W"}});
}

std::string heat_text(double joules) {
    return scaled(joules, std::array{Scale{1e9, "GJ"}, Scale{1e6, "MJ"}, Scale{1e3, "kJ"}, Scale{1, "J"}});
}

std::string number_text(std::int64_t count, const char* one, const char* several) {
    return fmt::format("{} {}", count, count == 1 ? one : several);
}

std::string percent_text(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

std::string change_text(double share) {
    return fmt::format("{:+.1f} %", 100 * share);
}

std::string signed_time_text(double seconds) {
    return fmt::format("{}{}", seconds < 0 ? "-" : "+", time_text(std::fabs(seconds)));
}

std::string in_seconds(double seconds) {
    return fmt::format("{:.3f} s", seconds);
}

std::string in_microseconds(double seconds) {
    return fmt::format("{:.6g} us", seconds * 1e6);
}

std::string in_gigabytes_per_second(double bytes_per_second) {
    return fmt::format("{:.6g} GB/s", bytes_per_second / 1e9);
}

std::string time_text(const TimeUnit& unit, Time time, int digits) {
    const std::int64_t picoseconds = time.time_since_epoch().count();
    return fmt::format("{:.{}g} {}", static_cast<double>(picoseconds) / static_cast<double>(unit.picoseconds), digits,
                       unit.name);
}

std::string time_text(Time time, int digits) {
    return time_text(time_unit_of(time.time_since_epoch().count()), time, digits);
}

std::string bytes_text(std::int64_t bytes, int digits, std::int64_t least) {
    struct Unit {
        std::int64_t bytes;
        const char* name;
    };
    for (const Unit& unit : {Unit{1'000'000'000, "GB"}, Unit{1'000'000, "MB"}, Unit{1'000, "kB"}}) {
        if (bytes >= least * unit.bytes) {
            return fmt::format("{:.{}g} {}", static_cast<double>(bytes) / static_cast<double>(unit.bytes), digits,
                               unit.name);
        }
    }
    return fmt::format("{} B", bytes);
}

std::vector<std::int64_t> in_proportion(std::span<const double> values, std::int64_t sum) {
    const double all = std::accumulate(values.begin(), values.end(), 0.0);
    std::vector<std::int64_t> parts(values.size(), 0);
    if (!(all > 0)) {
        return parts;
    }
    std::vector<double> rest(values.size());
    std::int64_t missing = sum;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double exact = static_cast<double>(sum) * values[i] / all;
        parts[i] = static_cast<std::int64_t>(std::floor(exact));
        rest[i] = exact - static_cast<double>(parts[i]);
        missing -= parts[i];
    }
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rest[a] > rest[b]; });
    for (std::size_t i = 0; i < order.size() && missing > 0; ++i, --missing) {
        ++parts[order[i]];
    }
    return parts;
}

std::vector<int> tenths_of_percent(std::span<const double> values) {
    const std::vector<std::int64_t> parts = in_proportion(values, 1000);
    return {parts.begin(), parts.end()};
}

}  // namespace sim::report
