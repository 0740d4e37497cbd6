// A program of several runs draws a picture of its own in place of the timelines.
#pragma once

#include "tools/command_line/outputs.hpp"

#include <string>

namespace sim::command_line {

// Removes --svg from the outputs of a program that draws timelines. Returns its file; empty: not requested.
std::string take_picture(Outputs& outputs);

}  // namespace sim::command_line
