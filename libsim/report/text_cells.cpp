#include "libsim/report/text_cells.hpp"

#include <fmt/format.h>

#include <array>

namespace sim::report {

namespace {

// Colours of Okabe and Ito, which people with any colour vision tell apart: the nearest of the 256 terminal colours.
struct FillLook {
    const char* sign;
    char ascii;
    const char* word;
    int colour;
};
// By CellFill.
constexpr auto looks = std::to_array<FillLook>({{"█", 'C', "compute", 32},
                                                {"→", '>', "send", 214},
                                                {"←", '<', "receive", 36},
                                                {"▒", '=', "collective", 175},
                                                {"▓", '#', "checkpoint", 98},
                                                {"·", '.', "waiting", 245},
                                                {" ", ' ', "", 0}});
static_assert(looks.size() == cell_fills);
constexpr int black = 16;
constexpr const char* plain = "\033[0m";

const FillLook& look_of(CellFill fill) {
    return looks[static_cast<std::size_t>(fill)];
}

bool is_blank(const TextCell& cell) {
    return cell.fill == CellFill::nothing && cell.letter == 0;
}

}  // namespace

const char* word_of(CellFill fill) {
    return look_of(fill).word;
}

std::string TextPainter::row(const std::vector<TextCell>& cells) const {
    std::size_t end = cells.size();
    while (end > 0 && is_blank(cells[end - 1])) {
        --end;
    }
    std::string line;
    std::string paint;  // of the previous cell: equal neighbours need no new escape sequence
    for (std::size_t i = 0; i < end; ++i) {
        const std::string wanted = paint_of(cells[i]);
        if (wanted != paint) {
            line += (paint.empty() ? "" : plain) + wanted;
            paint = wanted;
        }
        line += sign_of(cells[i]);
    }
    return line + (paint.empty() ? "" : plain);
}

std::string TextPainter::paint_of(const TextCell& cell) const {
    if (!colour_ || (cell.fill == CellFill::nothing && !cell.ending)) {
        return "";
    }
    if (cell.ending) {
        return "\033[1;7m";
    }
    const int colour = look_of(cell.fill).colour;
    return cell.letter == 0 ? fmt::format("\033[38;5;{}m", colour)
                            : fmt::format("\033[48;5;{};38;5;{}m", colour, black);
}

std::string TextPainter::sign_of(const TextCell& cell) const {
    if (cell.letter != 0) {
        return {cell.letter};
    }
    return ascii_ ? std::string{look_of(cell.fill).ascii} : look_of(cell.fill).sign;
}

}  // namespace sim::report
