// The data of one run on a page: a JSON header for people's names and for sums, and columns for the spans.
#pragma once

#include "libsim/report/page/columns.hpp"
#include "libsim/report/timeline.hpp"

#include <string>

namespace sim::report {

struct RunData {
    std::string header;  // a JSON object, safe within any element of HTML
    Columns columns;
};

RunData run_data(const Timeline& timeline, std::size_t most_spans);

}  // namespace sim::report
