// This header defines time, sizes and rates as types. Simulated time is a whole number of picoseconds, so that ties are
// exact.
//
// Only time_for() rounds: up, once per kernel or transfer, so that any non-empty work takes time. Range: 2^63 ps, about
// 106 days. Leaving it throws std::overflow_error.
#pragma once

#include "libsim/namespaces.hpp"

#include <chrono>
#include <compare>
#include <concepts>
#include <cstdint>
#include <ratio>
#include <type_traits>

namespace sim {

using Duration = std::chrono::duration<std::int64_t, std::pico>;

// The clock has no now(): simulated time belongs to the kernel.
struct SimulatedClock {
    using duration = Duration;
    using rep = duration::rep;
    using period = duration::period;
    using time_point = std::chrono::time_point<SimulatedClock>;
    static constexpr bool is_steady = true;
};
using Time = SimulatedClock::time_point;

// Throws std::overflow_error if the sum leaves the range of simulated time.
[[noreturn]] void throw_time_overflow();
inline Time later(Time at, Duration by) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(at.time_since_epoch().count(), by.count(), &sum)) {
        throw_time_overflow();
    }
    return Time{Duration{sum}};
}

// sum += amount. Throws std::overflow_error if that leaves 64 bits.
[[noreturn]] void throw_count_overflow();
inline void add_checked(std::int64_t& sum, std::int64_t amount) {
    if (__builtin_add_overflow(sum, amount, &sum)) {
        throw_count_overflow();
    }
}

// For output and statistics: a double resolves picoseconds only up to about 2 hours.
double seconds(Duration duration);
inline double seconds(Time time) {
    return seconds(time.time_since_epoch());
}

// A whole number of one kind of thing. The tag prevents adding bytes to FLOPs.
template <class Tag>
struct Quantity {
    std::int64_t count = 0;

    constexpr Quantity() = default;
    constexpr explicit Quantity(std::int64_t n) : count(n) {}
    // Overflow is not detected; use add_checked() for sums that may overflow.
    friend constexpr auto operator<=>(Quantity, Quantity) = default;
    friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity{a.count + b.count}; }
    friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity{a.count - b.count}; }
    friend constexpr Quantity operator*(std::int64_t k, Quantity a) { return Quantity{k * a.count}; }
};
// Wide enough for any product of two counts.
__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

using Bytes = Quantity<struct BytesTag>;
using Flops = Quantity<struct FlopsTag>;

// The abstract unit of work or data of the `gpu-py` profile. Stored in billionths, so that a third of 500 units is
// exact to 1e-9 unit and still an integer. Range: +-9.2e9 units; a number outside throws std::out_of_range.
class Units {
public:
    static constexpr std::int64_t per_unit = 1'000'000'000;

    constexpr Units() = default;
    explicit Units(double units);
    template <std::integral Integer>
    explicit Units(Integer units) : Units(static_cast<double>(units)) {}
    static constexpr Units from_billionths(std::int64_t n) {
        Units units;
        units.billionths_ = n;
        return units;
    }
    constexpr std::int64_t billionths() const { return billionths_; }
    double value() const;
    friend constexpr auto operator<=>(Units, Units) = default;
    friend constexpr Units operator+(Units a, Units b) { return from_billionths(a.billionths_ + b.billionths_); }
    friend constexpr Units operator-(Units a, Units b) { return from_billionths(a.billionths_ - b.billionths_); }
    friend constexpr Units operator*(std::int64_t k, Units a) { return from_billionths(k * a.billionths_); }

private:
    std::int64_t billionths_ = 0;
};

// The unit of an amount. Amounts of different measures never compare equal.
enum class Measure : std::uint8_t { bytes, units, flops, picoseconds };

// Converts from another unit of time. Throws std::overflow_error outside the range of simulated time.
template <class Rep, class Period>
requires std::convertible_to<std::chrono::duration<Rep, Period>, Duration>
constexpr Duration checked_duration(std::chrono::duration<Rep, Period> time) {
    std::int64_t picoseconds = 0;
    if (__builtin_mul_overflow(time.count(), std::ratio_divide<Period, Duration::period>::num, &picoseconds)) {
        throw_time_overflow();
    }
    return Duration{picoseconds};
}

// A number without a unit. Used as an amount, it does not compile, and the compiler says why.
template <class T>
concept BareNumber = std::is_arithmetic_v<T>;

// The size of a message: bytes, or units of data.
struct Size {
    std::int64_t amount = 0;
    Measure measure = Measure::bytes;

    constexpr Size(Bytes bytes) : amount(bytes.count) {}
    constexpr Size(Units units) : amount(units.billionths()), measure(Measure::units) {}
    constexpr Size(std::int64_t n, Measure m) : amount(n), measure(m) {}
    template <BareNumber Number>
    Size(Number) {
        static_assert(!BareNumber<Number>, "a size needs its unit: 100_MB, sim::Bytes{100} or sim::Units{100}");
    }
    friend constexpr bool operator==(Size, Size) = default;
};

// The size of a computation: floating-point operations, units of compute, or its duration at full speed.
struct Work {
    std::int64_t amount = 0;
    Measure measure = Measure::flops;

    constexpr Work(Flops flops) : amount(flops.count) {}
    constexpr Work(Units units) : amount(units.billionths()), measure(Measure::units) {}
    template <class Rep, class Period>
    requires std::convertible_to<std::chrono::duration<Rep, Period>, Duration>
    constexpr Work(std::chrono::duration<Rep, Period> time)
        : amount(checked_duration(time).count()), measure(Measure::picoseconds) {}
    constexpr Work(std::int64_t n, Measure m) : amount(n), measure(m) {}
    template <BareNumber Number>
    Work(Number) {
        static_assert(!BareNumber<Number>, "work needs its unit: 2_TFLOP, sim::Units{80} or 3ms");
    }
};

// One of `parts` equal shares, rounded up: every chunk of a collective costs this much.
constexpr std::int64_t ceil_div(std::int64_t amount, std::int64_t parts) {
    return amount / parts + (amount % parts > 0 ? 1 : 0);
}
constexpr Size ceil_div(Size size, std::int64_t parts) {
    return {ceil_div(size.amount, parts), size.measure};
}
constexpr Bytes ceil_div(Bytes bytes, std::int64_t parts) {
    return Bytes{ceil_div(bytes.count, parts)};
}

struct Bandwidth {
    std::int64_t bytes_per_second = 0;
    friend constexpr Bandwidth operator*(std::int64_t k, Bandwidth b) { return {k * b.bytes_per_second}; }
};
struct FlopRate {
    std::int64_t flops_per_second = 0;
    friend constexpr FlopRate operator*(std::int64_t k, FlopRate r) { return {k * r.flops_per_second}; }
};

// Time per amount, as an exact fraction: `picoseconds` for every `amount`. {0, 1} costs nothing.
struct Pace {
    std::int64_t picoseconds = 0;
    std::int64_t amount = 1;
    friend constexpr bool operator==(Pace, Pace) = default;
};
// Both throw std::out_of_range for a rate of 0 or less.
Pace pace_of(Bandwidth bandwidth);
Pace pace_of(FlopRate rate);
// Takes the seconds for one unit; decimal fractions of up to 15 digits and 21 places are exact. Throws
// std::out_of_range if negative or not finite.
Pace pace_of_unit(double seconds_per_unit);
// `pace` multiplied by a factor: exact if the product is a fraction that fits in 63 bits, else accurate to 1e-18.
Pace slowed(Pace pace, double factor);

// The time that `amount` takes at `pace`, rounded up. Requires: amount >= 0.
Duration time_for(std::int64_t amount, Pace pace);

// A duration from the configuration, rounded to the nearest picosecond. Throws std::out_of_range if negative or not
// finite.
Duration duration_of_seconds(double s);

// KB, MB, GB, TB are powers of 1000; KiB, MiB, GiB powers of 1024. A literal beyond 64 bits is not detected.
inline namespace literals {
constexpr Bytes operator""_B(unsigned long long n) {
    return Bytes{static_cast<std::int64_t>(n)};
}
constexpr Bytes operator""_KB(unsigned long long n) {
    return Bytes{static_cast<std::int64_t>(n) * 1'000};
}
constexpr Bytes operator""_MB(unsigned long long n) {
    return Bytes{static_cast<std::int64_t>(n) * 1'000'000};
}
constexpr Bytes operator""_GB(unsigned long long n) {
    return Bytes{static_cast<std::int64_t>(n) * 1'000'000'000};
}
constexpr Bytes operator""_TB(unsigned long long n) {
    return Bytes{static_cast<std::int64_t>(n) * 1'000'000'000'000};
}
constexpr Bytes operator""_KiB(unsigned long long n) {
    return Bytes{static_cast<std::int64_t>(n) << 10U};
}
constexpr Bytes operator""_MiB(unsigned long long n) {
    return Bytes{static_cast<std::int64_t>(n) << 20U};
}
constexpr Bytes operator""_GiB(unsigned long long n) {
    return Bytes{static_cast<std::int64_t>(n) << 30U};
}
constexpr Flops operator""_MFLOP(unsigned long long n) {
    return Flops{static_cast<std::int64_t>(n) * 1'000'000};
}
constexpr Flops operator""_GFLOP(unsigned long long n) {
    return Flops{static_cast<std::int64_t>(n) * 1'000'000'000};
}
constexpr Flops operator""_TFLOP(unsigned long long n) {
    return Flops{static_cast<std::int64_t>(n) * 1'000'000'000'000};
}
constexpr Flops operator""_PFLOP(unsigned long long n) {
    return Flops{static_cast<std::int64_t>(n) * 1'000'000'000'000'000};
}
inline constexpr Bandwidth MB_per_s{1'000'000};
inline constexpr Bandwidth GB_per_s{1'000'000'000};
inline constexpr FlopRate GFLOP_per_s{1'000'000'000};
inline constexpr FlopRate TFLOP_per_s{1'000'000'000'000};
}  // namespace literals

}  // namespace sim
