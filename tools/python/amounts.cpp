#include "tools/python/amounts.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <cmath>

namespace sim::python {

namespace {

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
        throw ProgramError("units= and bytes= both say what it costs; give one of them");
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

Work work_needed(std::optional<double> units, std::optional<double> flops) {
    if (units && flops) {
        throw ProgramError("units= and flops= both say how much is computed; give one of them");
    }
    if (units) {
        return Units{*units};
    }
    if (!flops) {
        throw ProgramError("compute needs an amount: units= or flops=");
    }
    return Flops{whole_number(*flops, "flops")};
}

}  // namespace sim::python
