// The text of a section: its sentences, figures, tables and drawings, below its title.
#pragma once

#include "libsim/explain/explanation.hpp"

#include <string>

namespace sim::explain {

// Lines end with "\n". A longer table is cut after this many rows, and reports how many it has.
inline constexpr std::size_t most_rows_shown = 16;
std::string text_of(const Section& section, Level level);

// Breaks `text` between words into lines of at most `width` columns, each indented by `margin` blanks.
std::string wrapped(const std::string& text, std::size_t width, std::size_t margin);
// "NAME: COMMAND", in lines that can be pasted: a long command continues after a backslash.
std::string command_text(const std::string& name, const std::string& command, std::size_t width, std::size_t margin);

}  // namespace sim::explain
