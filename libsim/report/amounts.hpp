// Amounts are printed for people: three or four figures and a unit. GB is 10^9 bytes.
#pragma once

#include "libsim/time_units.hpp"
#include "libsim/units.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sim::report {

std::string time_text(double seconds);           // "4.123 s", "12.35 ms", "8.40 us"
std::string long_time_text(double seconds);      // "54.2 days", "3.50 h"
std::string bytes_text(double bytes);            // "61.30 GB", "512 B"
std::string rate_text(double bytes_per_second);  // "366.1 GB/s"
std::string count_text(double count);            // "1.02 M", "405 B"
std::string teraflops_text(
    double per_second);              // "548.4" for 548.4e12 FLOP/s; the heading or the text after it has the unit
std::string money_text(double usd);  // "$1.01", "$236 k"
std::string energy_text(double kilowatt_hours);  // "3.380 GWh", "512.4 kWh"
std::string power_text(double watts);            // "700.0 W", "5.600 kW"
std::string heat_text(double joules);            // "43.20 kJ"
std::string change_text(double share);           // "-6.1 %", "+0.0 %"
std::string signed_time_text(double seconds);    // "+29.14 ms", "-1.200 s"
// "1 micro-batch", "1024 micro-batches"
std::string number_text(std::int64_t count, const char* one, const char* several);
std::string percent_text(double share);  // "41.2 %"

// Always in the same unit, so that the cells of a column compare.
std::string in_seconds(double seconds);                              // "16.100 s"
std::string in_microseconds(double seconds);                         // "4.5 us"
std::string in_gigabytes_per_second(double bytes_per_second);        // "50 GB/s"
std::string time_text(const TimeUnit& unit, Time time, int digits);  // "0.5 ms"

// Without trailing zeros and with at most `digits` digits: "16.1 s", "20 us", in the largest unit that the time
// reaches.
std::string time_text(Time time, int digits);
// "1.5 MB", "64 kB": in the largest unit, up to GB, of which there are at least `least`. Pass 10 for amounts that
// people check by hand, so that 1536 B stays as it is.
std::string bytes_text(std::int64_t bytes, int digits, std::int64_t least = 1);

// Whole numbers in proportion to `values` that add up to `sum`, each within one of the exact value: the largest
// remainders are rounded up. All zero if the sum of `values` is not above 0.
std::vector<std::int64_t> in_proportion(std::span<const double> values, std::int64_t sum);
// Tenths of a percent that add up to 1000.
std::vector<int> tenths_of_percent(std::span<const double> values);

}  // namespace sim::report
