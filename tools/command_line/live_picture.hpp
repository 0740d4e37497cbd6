// A live picture is drawn on standard error again and again, each time in the place of the last.
//
// Requires: standard error is a terminal on which the cursor moves, and nothing else writes to it meanwhile.
#pragma once

#include <string>

namespace sim::command_line {

class LivePicture {
public:
    // As many of the picture's lines as the terminal has room for. Requires: none is longer than that is wide.
    void draw(const std::string& whole);

private:
    int lines_ = 0;  // of what is drawn
    int columns_ = 0;
};

// What a terminal is sent to see `picture` in place of the `lines` above the cursor.
std::string redrawing(const std::string& picture, int lines);

std::string first_lines(const std::string& picture, int most);

}  // namespace sim::command_line
