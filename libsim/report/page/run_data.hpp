// The parts of a page: its files, and the data of one run, a JSON header with names and sums, and columns for the
// spans.
#pragma once

#include "libsim/report/page/columns.hpp"
#include "libsim/report/timeline.hpp"

#include <string>
#include <string_view>

namespace sim::report {

// JSON made safe inside an HTML element: nothing in it ends the element or begins a comment.
inline std::string inert(std::string_view json) {
    std::string safe;
    safe.reserve(json.size());
    for (const char c : json) {
        c == '<' ? safe += "\\u003c" : safe += c;
    }
    return safe;
}

struct RunData {
    std::string header;  // a JSON object, safe within any element of HTML
    Columns columns;
};

RunData run_data(const Timeline& timeline, std::size_t most_spans);

// The files of a page, compiled in, because the libraries read no files. tools/report_page.sh makes the style and the
// script.
std::string page_template();  // HTML, with a line {{name}} for each insertion
std::string page_style();
std::string page_script();

}  // namespace sim::report
