#include "libsim/parallel/divide.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

namespace sim::parallel {

namespace {

// The nearest values below and above; 0: none.
struct Neighbours {
    std::int64_t below = 0;
    std::int64_t above = 0;
};

std::string either(const Neighbours& fits) {
    if (fits.below == 0 || fits.above == 0) {
        return fmt::format("{}", std::max(fits.below, fits.above));
    }
    return fmt::format("{} or {}", fits.below, fits.above);
}

Neighbours multiples_of(std::int64_t parts, std::int64_t around) {
    const std::int64_t below = around - around % parts;
    const bool ends = below > std::numeric_limits<std::int64_t>::max() - parts;
    return {below, ends ? 0 : below + parts};
}

Neighbours divisors_of(std::int64_t amount, std::int64_t around) {
    Neighbours nearest;
    const auto offer = [&](std::int64_t divisor) {
        if (divisor < around) {
            nearest.below = std::max(nearest.below, divisor);
        } else if (nearest.above == 0 || divisor < nearest.above) {
            nearest.above = divisor;
        }
    };
    for (std::int64_t d = 1; d <= amount / d; ++d) {
        if (amount % d == 0) {
            offer(d);
            offer(amount / d);
        }
    }
    return nearest;
}

}  // namespace

void check_divides(std::string_view what, std::int64_t amount, std::string_view by_what, std::int64_t parts) {
    if (parts < 1) {
        throw ProgramError(fmt::format("{} {}: there must be at least 1", by_what, parts));
    }
    if (amount < 0) {
        throw ProgramError(fmt::format("{} {}: there cannot be less than none", amount, what));
    }
    if (amount % parts != 0) {
        throw ProgramError(fmt::format("{} {} cannot be split over {} {}; {} {}, or {} {}, would fit", amount, what,
                                       by_what, parts, either(multiples_of(parts, amount)), what, by_what,
                                       either(divisors_of(amount, parts))));
    }
}

}  // namespace sim::parallel
