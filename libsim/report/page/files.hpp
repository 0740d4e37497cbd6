// The files of a page are compiled in, because the libraries read no files. tools/report_page.sh makes the style and
// the script.
#pragma once

#include <string>

namespace sim::report {

std::string page_template();  // HTML, with a line {{name}} for each insertion
std::string page_style();
std::string page_script();

}  // namespace sim::report
