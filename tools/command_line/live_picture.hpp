// A live picture is drawn on standard error again and again, each time in the place of the last.
//
// Requires: standard error is a terminal on which the cursor moves, and nothing else writes to it meanwhile.
#pragma once

#include <string>

namespace sim::command_line {

class LivePicture {
public:
    // `picture` is of whole lines, none longer than the terminal is wide, and fewer than it has lines.
    void draw(const std::string& picture);

private:
    int lines_ = 0;  // of what is drawn
    int columns_ = 0;
};

// What a terminal is sent to see `picture` in place of the `lines` above the cursor.
std::string redrawing(const std::string& picture, int lines);

}  // namespace sim::command_line
