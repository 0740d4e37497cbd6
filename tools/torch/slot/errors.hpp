// Errors that a program on simulated GPUs gets: those of the GPU, and refusals of what is not simulated.
#pragma once

#include <string>

namespace sim::slot {

// Throws the error of a simulated GPU if a call failed.
void require(bool succeeded);

// Throws NotImplementedError with this text, because the program uses something that is not simulated. If it is not
// caught, the run ends as refused.
[[noreturn]] void refuse(const std::string& why);

}  // namespace sim::slot
