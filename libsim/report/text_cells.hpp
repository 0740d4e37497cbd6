// A text cell is one column of a row in a text timeline: the sign of its fill, or a letter on top of it.
#pragma once

#include "libsim/report/timeline_cells.hpp"

#include <string>
#include <vector>

namespace sim::report {

struct TextCell {
    CellFill fill = CellFill::nothing;
    char letter = 0;      // 0: the sign of the fill
    bool ending = false;  // part of the word that says how a rank ended
};

// "compute", "waiting".
const char* word_of(CellFill fill);

class TextPainter {
public:
    TextPainter(bool colour, bool ascii) : colour_(colour), ascii_(ascii) {}

    // One column per cell, without blank ones at the end.
    std::string row(const std::vector<TextCell>& cells) const;

private:
    std::string paint_of(const TextCell& cell) const;
    std::string sign_of(const TextCell& cell) const;

    bool colour_;
    bool ascii_;
};

}  // namespace sim::report
