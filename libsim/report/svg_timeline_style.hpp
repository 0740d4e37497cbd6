// The classes of a timeline's SVG, their colours in light and dark, and its pattern and arrow head.
#pragma once

#include "libsim/report/timeline_cells.hpp"

#include <string>
#include <string_view>

namespace sim::report {

const char* class_of(CellFill fill);
// Whether a class, or a colour of its name, is that of a micro-batch's passes (passes.hpp): f0, b3.
bool is_of_pass(std::string_view name);
std::string svg_timeline_definitions();

}  // namespace sim::report
