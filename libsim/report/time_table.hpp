// A time table shows where an average rank's time went, as a bar and as one line per category. All text reports show a
// step's time in this form.
#pragma once

#include "libsim/report/timeline.hpp"
#include "libsim/trace/time_category.hpp"

#include <array>
#include <span>
#include <string>

namespace sim::report {

// Seconds of each category, by TimeCategory, averaged over the timeline's ranks. Requires: it has an account.
std::array<double, time_categories> mean_time(const Timeline& timeline);
// "CCCCCCTTTD...", `width` columns. `seconds` is by TimeCategory.
std::string time_bar(std::span<const double> seconds, int width = 60);
// The bar in brackets, and a line for each category that took time. Lines end with "\n". The shares sum up to 100 %.
std::string time_table(std::span<const double> seconds);

}  // namespace sim::report
