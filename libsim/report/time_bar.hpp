// A time bar shows where an average rank's time went, a mark for each category. All text reports draw a step's time so.
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

}  // namespace sim::report
