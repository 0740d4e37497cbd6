// A terminal describes standard output or standard error: whether it is one, its width, and whether to use colours.
//
// NO_COLOR (set, not empty) turns colours off everywhere; CLICOLOR_FORCE (set, not 0) turns them on for files and
// pipes; TERM=dumb means no colours, no cursor movement and no characters beyond ASCII; the locale C also means ASCII,
// even in files and pipes. COLUMNS is the width if no terminal gives it.
#pragma once

#include <functional>
#include <string>

namespace sim::command_line {

struct Terminal {
    bool cursor_moves = false;  // a terminal on which lines can be erased and redrawn
    bool colour = false;
    bool ascii = false;  // blocks and arrows cannot be shown
    int columns = 100;
    int lines = 0;  // 0: unlimited
};

// Queries the system and the environment on each call, because a window can change.
Terminal terminal_at(int descriptor);

// The findings of terminal_at(); 0: unknown.
struct TerminalFacts {
    bool is_terminal = false;
    int columns = 0;
    int lines = 0;
};
// `variable` looks up the environment: null for a variable that is not set.
Terminal terminal_of(const TerminalFacts& facts, const std::function<const char*(const char*)>& variable);

// A live picture is drawn on standard error repeatedly, each time over the last one.
//
// Requires: standard error is a terminal on which the cursor moves, and nothing else writes to it meanwhile.
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
