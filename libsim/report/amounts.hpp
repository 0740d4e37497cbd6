// Amounts are printed as people read them: three or four figures and a unit. GB is 10^9 bytes.
#pragma once

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
std::string money_text(double usd);              // "$1.01", "$236 k"
std::string energy_text(double kilowatt_hours);  // "3.380 GWh", "512.4 kWh"
std::string power_text(double watts);            // "700.0 W", "5.600 kW"
std::string heat_text(double joules);            // "43.20 kJ"
std::string change_text(double share);           // "-6.1 %", "+0.0 %"
// "1 micro-batch", "1024 micro-batches"
std::string number_text(std::int64_t count, const char* one, const char* several);
std::string percent_text(double share);  // "41.2 %"

// Whole numbers in proportion to `values` that add up to `sum`, each within one of the exact value: the largest
// remainders are rounded up. All zero where the sum of `values` is not above 0.
std::vector<std::int64_t> in_proportion(std::span<const double> values, std::int64_t sum);
// Tenths of a percent, which add up to 1000.
std::vector<int> tenths_of_percent(std::span<const double> values);

}  // namespace sim::report
