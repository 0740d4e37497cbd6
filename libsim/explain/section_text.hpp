// A section as text: its sentences, figures, tables and drawings, below its title.
#pragma once

#include "libsim/explain/explanation.hpp"

#include <string>

namespace sim::explain {

// Lines end with "\n". A table shows so many rows at most, and says how many there are.
inline constexpr std::size_t most_rows_shown = 16;
std::string text_of(const Section& section, Level level);

// `text` in lines of at most `width` columns, each behind `margin` blanks, broken between words.
std::string wrapped(const std::string& text, std::size_t width, std::size_t margin);
// "NAME: COMMAND", in lines that can be pasted: a long command goes on behind a backslash.
std::string command_text(const std::string& name, const std::string& command, std::size_t width, std::size_t margin);

}  // namespace sim::explain
