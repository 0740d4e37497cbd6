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

std::string first_lines(const std::string& picture, int most) {
    std::size_t end = 0;
    for (int line = 0; line < most && end < picture.size(); ++line) {
        end = std::min(picture.find('\n', end), picture.size() - 1) + 1;
    }
    return picture.substr(0, end);
}

void LivePicture::draw(const std::string& whole) {
    const Terminal terminal = terminal_at(STDERR_FILENO);
    const int columns = terminal.columns;
    const std::string picture = terminal.lines > 0 ? first_lines(whole, terminal.lines - 1) : whole;
    // After a change of the window's width the drawn lines are no longer where they were.
    const bool moved = columns_ != 0 && columns != columns_;
    tell_drawn((moved ? "\033[2J\033[H" : "") + redrawing(picture, moved ? 0 : lines_));
    lines_ = static_cast<int>(std::count(picture.begin(), picture.end(), '\n'));
    columns_ = columns;
}

}  // namespace sim::command_line
