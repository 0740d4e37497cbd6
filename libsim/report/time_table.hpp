// A time table shows where an average rank's time went, as a bar and as a line for each category. Every account of a
// step's time in text is this one.
#pragma once

#include "libsim/report/timeline.hpp"
#include "libsim/trace/time_category.hpp"

#include <array>
#include <span>
#include <string>

namespace sim::report {

// Of each category, by TimeCategory, in seconds: the average over the timeline's ranks. Requires: it has an account.
std::array<double, time_categories> mean_time(const Timeline& timeline);
// "CCCCCCTTTD...", `width` columns. `seconds`: by TimeCategory.
std::string time_bar(std::span<const double> seconds, int width = 60);
// The bar in brackets, and a line for each category that took time. Lines end with "\n". They sum up to 100 %.
std::string time_table(std::span<const double> seconds);

}  // namespace sim::report
