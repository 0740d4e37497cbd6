#include "tools/command_line/live_picture.hpp"

#include "tools/command_line/exit.hpp"
#include "tools/command_line/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace sim::command_line {

std::string redrawing(const std::string& picture, int lines) {
    std::string sent = lines == 0 ? "" : fmt::format("\033[{}A", lines);
    for (const char c : picture) {
        sent += c == '\n' ? "\033[K\n" : std::string{c};
    }
    return sent + "\033[J";
}

void LivePicture::draw(const std::string& picture) {
    const int columns = terminal_at(STDERR_FILENO).columns;
    // In a window of another width the lines that were drawn lie somewhere else.
    const bool moved = columns_ != 0 && columns != columns_;
    tell((moved ? "\033[2J\033[H" : "") + redrawing(picture, moved ? 0 : lines_));
    lines_ = static_cast<int>(std::count(picture.begin(), picture.end(), '\n'));
    columns_ = columns;
}

}  // namespace sim::command_line
