#include "libsim/explain/figure.hpp"

#include "libsim/report/amounts.hpp"

#include <fmt/format.h>

#include <array>

namespace sim::explain {

using namespace report;

namespace {

std::string times_text(double times) {
    return fmt::format("{:.2f} x", times);
}
std::string gigabytes_text(double bytes) {
    return fmt::format("{:.2f}", bytes / 1e9);
}
std::string flops_text(double rate) {
    return fmt::format("{:.4g} TFLOP/s", rate / 1e12);  // a peak is often a round number
}
std::string tokens_text(double rate) {
    return count_text(rate) + " tokens/s";
}
std::string plain_count(double count) {
    return count < 1e6 ? fmt::format("{:.6g}", count) : count_text(count);
}

struct UnitRow {
    const char* name;
    std::string (*text)(double);  // null: its values are texts
};
// In the order of Unit.
constexpr std::array unit_rows{
    UnitRow{"words", nullptr},
    UnitRow{"command", nullptr},
    UnitRow{"count", plain_count},
    UnitRow{"seconds", time_text},
    UnitRow{"seconds", long_time_text},
    UnitRow{"bytes", bytes_text},
    UnitRow{"bytes", gigabytes_text},
    UnitRow{"bytes per second", rate_text},
    UnitRow{"share of 1", percent_text},
    UnitRow{"change, of 1", change_text},
    UnitRow{"times", times_text},
    UnitRow{"tokens per second", tokens_text},
    UnitRow{"FLOP per second", flops_text},
    UnitRow{"USD", money_text},
    UnitRow{"watts", power_text},
    UnitRow{"joules", heat_text},
    UnitRow{"kilowatt-hours", energy_text},
};

const UnitRow& row_of(Unit unit) {
    return unit_rows.at(static_cast<std::size_t>(unit));
}

}  // namespace

const char* name_of(Unit unit) {
    return row_of(unit).name;
}

std::string shown(const Value& value, Unit unit) {
    if (const auto* text = std::get_if<std::string>(&value)) {
        return *text;
    }
    const UnitRow& row = row_of(unit);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        return row.text == nullptr || (unit == Unit::count && *whole < 1'000'000)
                   ? std::to_string(*whole)
                   : row.text(static_cast<double>(*whole));
    }
    if (const auto* real = std::get_if<double>(&value)) {
        return row.text == nullptr ? fmt::format("{:.6g}", *real) : row.text(*real);
    }
    return "-";
}

}  // namespace sim::explain
