// A live picture is drawn on standard error repeatedly, each time over the last one.
//
// Requires: standard error is a terminal on which the cursor moves, and nothing else writes to it meanwhile.
#pragma once

#include <string>

namespace sim::command_line {

class LivePicture {
public:
    // Draws as many lines of the picture as the terminal has room for. Requires: none is wider than the terminal.
    void draw(const std::string& whole);

private:
    int lines_ = 0;  // lines drawn so far
    int columns_ = 0;
};

// The terminal output that replaces the `lines` above the cursor by `picture`.
std::string redrawing(const std::string& picture, int lines);

std::string first_lines(const std::string& picture, int most);

}  // namespace sim::command_line
