#include "libsim/units.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>

namespace sim {

namespace {

constexpr double max_count = 9.2e18;

// A decimal number of up to 15 significant digits as an exact fraction.
Pace fraction_of(double number) {
    if (!std::isfinite(number) || number < 0) {
        throw std::out_of_range("a rate must be a finite number, 0 or more");
    }
    if (number == 0) {
        return {0, 1};
    }
    if (number >= 1e15) {
        throw std::out_of_range("a rate this slow leaves the range of simulated time");
    }
    double digits = number;
    std::int64_t scale = 1;
    while (digits < 1e14 && scale < 1'000'000'000'000'000'000) {
        scale *= 10;
        digits = number * static_cast<double>(scale);
    }
    const auto whole = static_cast<std::int64_t>(std::llround(digits));
    const std::int64_t common = std::gcd(whole, scale);
    return {whole / common, scale / common};
}

}  // namespace

void throw_count_overflow() {
    throw std::overflow_error("a rank sends more than 64 bits can count");
}

void throw_time_overflow() {
    throw std::overflow_error("simulated time left its range of 106 days");
}

double seconds(Duration duration) {
    return static_cast<double>(duration.count()) / 1e12;
}

Units::Units(double units) {
    const double billionths = units * static_cast<double>(per_unit);
    if (!std::isfinite(billionths) || std::fabs(billionths) > max_count) {
        throw std::out_of_range("units must be finite and below 9.2e9");
    }
    billionths_ = std::llround(billionths);
}

double Units::value() const {
    return static_cast<double>(billionths_) / static_cast<double>(per_unit);
}

Pace pace_of(Bandwidth bandwidth) {
    if (bandwidth.bytes_per_second <= 0) {
        throw std::out_of_range("a bandwidth must be more than 0 bytes per second");
    }
    return {std::pico::den, bandwidth.bytes_per_second};
}

Pace pace_of(FlopRate rate) {
    if (rate.flops_per_second <= 0) {
        throw std::out_of_range("a compute rate must be more than 0 FLOPs per second");
    }
    return {std::pico::den, rate.flops_per_second};
}

Pace pace_of_unit(double seconds_per_unit) {
    // Units are counted in billionths, so 1 s per unit is 1,000 ps per billionth.
    return fraction_of(seconds_per_unit * 1e3);
}

Pace slowed(Pace pace, double factor) {
    const Pace times = fraction_of(factor);
    Wide picoseconds = static_cast<Wide>(pace.picoseconds) * times.picoseconds;
    Wide amount = static_cast<Wide>(pace.amount) * times.amount;
    for (Wide a = picoseconds, b = amount; b != 0;) {
        const Wide rest = a % b;
        a = b;
        b = rest;
        if (b == 0) {
            picoseconds /= a;
            amount /= a;
        }
    }
    // Fractions with many digits: the nearest result that fits is accurate to a relative 1e-18.
    while (picoseconds > INT64_MAX || amount > INT64_MAX) {
        picoseconds = (picoseconds + 1) / 2;
        amount = (amount + 1) / 2;
    }
    if (amount < 1'000'000'000 && picoseconds > INT64_MAX / 2) {
        throw std::out_of_range("a rate this slow leaves the range of simulated time");
    }
    return {static_cast<std::int64_t>(picoseconds), static_cast<std::int64_t>(amount)};
}

Duration time_for(std::int64_t amount, Pace pace) {
    std::int64_t product = 0;
    if (!__builtin_mul_overflow(amount, pace.picoseconds, &product)) {
        return Duration{ceil_div(product, pace.amount)};
    }
    const Wide wide = static_cast<Wide>(amount) * pace.picoseconds;
    const Wide result = wide / pace.amount + (wide % pace.amount > 0 ? 1 : 0);
    if (result > INT64_MAX) {
        throw_time_overflow();
    }
    return Duration{static_cast<std::int64_t>(result)};
}

Duration duration_of_seconds(double s) {
    const double picoseconds = s * 1e12;
    if (!std::isfinite(picoseconds) || picoseconds < 0 || picoseconds > max_count) {
        throw std::out_of_range("a duration must be finite, 0 or more, and below 106 days");
    }
    return Duration{std::llround(picoseconds)};
}

}  // namespace sim
