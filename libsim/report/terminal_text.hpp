// Terminal text is untrusted text made safe to print: none of its characters can control the terminal.
#pragma once

#include <string>
#include <string_view>

namespace sim::report {

// Fits `text` into at most `columns` columns. Characters that control, hide or reorder, and invalid UTF-8, become "?";
// with `ascii`, so does everything beyond ASCII. A text that is cut ends with "…", or "~" with `ascii`.
std::string terminal_text(std::string_view text, int columns, bool ascii = false);

// The width of a text made by terminal_text(), in columns: an ideograph or an emoji takes two.
int columns_of(std::string_view text);

// Breaks `text` between words into lines of at most `width` columns, each indented by `margin` blanks. Every line ends
// with a newline.
std::string wrapped(const std::string& text, std::size_t width, std::size_t margin);

}  // namespace sim::report
