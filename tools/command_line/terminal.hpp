// A terminal is what standard output or standard error may be: whether, how wide, and whether colours are wanted.
//
// NO_COLOR (set, not empty) takes colours away from everything; CLICOLOR_FORCE (set, not 0) gives them to files and
// pipes; TERM=dumb has neither colours nor a cursor that moves, nor letters beyond ASCII; the locale C has none,
// either, in files and pipes, too. COLUMNS is the width where no terminal says it.
#pragma once

#include <functional>

namespace sim::command_line {

struct Terminal {
    bool cursor_moves = false;  // it is a terminal, on which lines can be erased and drawn anew
    bool colour = false;
    bool ascii = false;  // blocks and arrows cannot be shown
    int columns = 100;
    int lines = 0;  // 0: no end
};

// Asks the system and the environment, each time: a window can change.
Terminal terminal_at(int descriptor);

// What terminal_at() has found; 0: unknown.
struct TerminalFacts {
    bool is_terminal = false;
    int columns = 0;
    int lines = 0;
};
// `variable` is the environment: null for one that is not set.
Terminal terminal_of(const TerminalFacts& facts, const std::function<const char*(const char*)>& variable);

}  // namespace sim::command_line
