// A page shows timelines in a browser: one HTML file that needs no network and runs no code but its own.
//
// It holds the files of libsim/report/page, which tools/report_page.sh makes, and the timelines as data. Its
// content-security policy forbids every other script, style and request. Names, labels and facts may hold any bytes:
// they are shown as text. Cost: sorts the spans; about 3 bytes of file for each.
#pragma once

#include "libsim/report/comparison.hpp"
#include "libsim/report/page/detail.hpp"
#include "libsim/report/timeline.hpp"

#include <ostream>
#include <span>

namespace sim::report {

// If a timeline has more than `most_spans` spans, short neighbours are drawn as one bar, and the page says so.
void write_page(std::ostream& out, const Timeline& timeline, std::size_t most_spans = most_page_spans);
// Shows several runs on one time axis. For two runs, `comparison` is the page's account of their difference; null:
// none.
void write_page(std::ostream& out, std::span<const Timeline* const> timelines, std::size_t most_spans = most_page_spans,
                const Comparison* comparison = nullptr);

}  // namespace sim::report
