// A shell command is a command line as text that can be pasted: quoted where a shell wants that, and continued with a
// backslash where it is too long for a line. All commands that are printed to be run again are made here.
#pragma once

#include "libsim/config/given.hpp"
#include "libsim/config/option_row.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace sim::config {

// A word that a shell takes as it stands, in quotes where it has to be.
std::string shell_word(const std::string& text);

// "ndsim train --model llama3-8b --gpus 64": the options in the order of `rows`; those that `rows` lack are left out.
std::string shell_command(const std::string& program, const std::vector<OptionRow>& rows, const Given& given);

// The command on lines of at most `width` columns, where its options allow it; all but the first begin with `margin`
// blanks, and all but the last end with a backslash. `first` columns of the first line are taken. Lines end with "\n".
std::string continued_command(const std::string& command, std::size_t width, std::size_t first, std::size_t margin);

}  // namespace sim::config
