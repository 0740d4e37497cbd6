#include "tools/python/amounts.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace sim::python {

namespace {

constexpr double most_seconds = 9'200'000;  // of simulated time

std::int64_t whole_number(double amount, const char* of) {
    constexpr double most = 9.2e18;
    if (!(std::fabs(amount) < most) || amount != std::floor(amount)) {
        throw ProgramError(fmt::format("{} must be a whole number, not {}", of, amount));
    }
    return static_cast<std::int64_t>(amount);
}

}  // namespace

std::optional<Size> size_given(std::optional<double> units, std::optional<double> bytes) {
    if (units && bytes) {
        throw ProgramError("units= and bytes= both set the size; give one of them");
    }
    if (units) {
        return Size(Units{*units});
    }
    return bytes ? std::optional<Size>(Bytes{whole_number(*bytes, "bytes")}) : std::nullopt;
}

Size size_needed(const char* what, std::optional<double> units, std::optional<double> bytes) {
    const std::optional<Size> size = size_given(units, bytes);
    if (!size) {
        throw ProgramError(fmt::format("{} needs data, or a size: units= or bytes=", what));
    }
    return *size;
}

Work work_needed(std::optional<double> units, std::optional<double> flops, std::optional<double> seconds) {
    const int given = (units ? 1 : 0) + (flops ? 1 : 0) + (seconds ? 1 : 0);
    if (given > 1) {
        throw ProgramError("units=, flops= and seconds= each set the amount of work; give one of them");
    }
    if (units) {
        return Units{*units};
    }
    if (seconds) {
        return duration_of("compute", *seconds);
    }
    if (!flops) {
        throw ProgramError("compute needs an amount: units=, flops= or seconds=");
    }
    return Flops{whole_number(*flops, "flops")};
}

Duration duration_of(const char* what, double seconds) {
    try {
        return duration_of_seconds(seconds);
    } catch (const std::out_of_range&) {
        throw ProgramError(fmt::format("{} needs seconds from 0 to {:.0f}, not {}", what, most_seconds, seconds));
    }
}

}  // namespace sim::python
