// A shell command is a command line as text that can be pasted: quoted if a shell needs it, and continued with a
// backslash if it is too long for a line. Every command that is printed to be rerun is made here.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/config/option_row.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace sim::config {

// The word itself if a shell takes it literally; else in quotes.
std::string shell_word(const std::string& text);

// "ndsim train --model llama3-8b --gpus 64": the options in the order of `rows`; omits those that `rows` lack.
std::string shell_command(const std::string& program, const std::vector<OptionRow>& rows, const Given& given);

// Breaks the command into lines of at most `width` columns, if its options allow it; all but the first begin with
// `margin` blanks, and all but the last end with a backslash. `first` columns of the first line are taken. Lines end
// with "\n".
std::string continued_command(const std::string& command, std::size_t width, std::size_t first, std::size_t margin);

}  // namespace sim::config
