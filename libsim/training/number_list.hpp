// Measured numbers as text: how often experts were chosen, or how long documents are.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim::training {

// Reads "3,4.5", separated by commas, spaces or lines. Throws ProgramError for anything but finite numbers of at least
// 0.
std::vector<double> numbers_of_text(std::string_view text);
std::string text_of_numbers(std::span<const double> numbers);

}  // namespace sim::training
