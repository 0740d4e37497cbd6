// A text cell is one column of a row of a timeline as text: the sign of what fills it, or a letter over that.
#pragma once

#include "libsim/report/timeline_cells.hpp"

#include <string>
#include <vector>

namespace sim::report {

struct TextCell {
    CellFill fill = CellFill::nothing;
    char letter = 0;      // 0: the sign of what fills it
    bool ending = false;  // of the word that says how a rank ended
};

// "compute", "waiting".
const char* word_of(CellFill fill);

class TextPainter {
public:
    TextPainter(bool colour, bool ascii) : colour_(colour), ascii_(ascii) {}

    // As many columns as there are cells, without those at the end in which nothing is to be seen.
    std::string row(const std::vector<TextCell>& cells) const;

private:
    std::string paint_of(const TextCell& cell) const;
    std::string sign_of(const TextCell& cell) const;

    bool colour_;
    bool ascii_;
};

}  // namespace sim::report
