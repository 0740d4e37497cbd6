// The files that a page consists of are compiled in: the libraries read no files. tools/report_page.sh makes the
// style and the script.
#pragma once

#include <string>

namespace sim::report {

std::string page_template();  // HTML, with a line {{name}} wherever something is put in
std::string page_style();
std::string page_script();

}  // namespace sim::report
