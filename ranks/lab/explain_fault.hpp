// This function explains a failed run of a lab by the lines of the learner's file: which rank waits where and for what,
// and who could have answered.
#pragma once

#include "ranks/lab/record.hpp"

#include <string>

namespace sim::lab {

// `text` is the content of the learner's file, named `file`. Lines end with "\n". Requires: found.fault.
std::string explain_fault(const Record& found, const std::string& file, const std::string& text);

}  // namespace sim::lab
