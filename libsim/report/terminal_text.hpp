// Terminal text is what a terminal shows of a text that somebody else chose: none of its characters can control it.
#pragma once

#include <string>
#include <string_view>

namespace sim::report {

// `text` in at most `columns` columns. Characters that control, hide or reorder, and bytes that are no UTF-8, become
// "?"; with `ascii` all others beyond ASCII, too. Where it is cut, it ends with "…", or "~".
std::string terminal_text(std::string_view text, int columns, bool ascii = false);

// The columns that a text of terminal_text() takes: an ideograph or an emoji takes two.
int columns_of(std::string_view text);

}  // namespace sim::report
