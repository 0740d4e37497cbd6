#include "tools/command_line/terminal.hpp"

#include "tools/command_line/exit.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace sim::command_line {

namespace {

constexpr int columns_of_files = 100;
constexpr int fewest_columns = 24;
constexpr int most_columns = 1'000;

int whole_number(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size() ? number : 0;
}

// The first variable that is set determines the character set.
std::string_view locale_of(std::string_view all, std::string_view letters, std::string_view rest) {
    return !all.empty() ? all : !letters.empty() ? letters : rest;
}

}  // namespace

Terminal terminal_of(const TerminalFacts& facts, const std::function<const char*(const char*)>& variable) {
    const auto text_of = [&](const char* name) {
        const char* const text = variable(name);
        return std::string_view(text == nullptr ? "" : text);
    };
    Terminal terminal;
    terminal.cursor_moves = facts.is_terminal && text_of("TERM") != "dumb";
    const std::string_view locale = locale_of(text_of("LC_ALL"), text_of("LC_CTYPE"), text_of("LANG"));
    terminal.ascii = locale == "C" || locale == "POSIX" || (facts.is_terminal && !terminal.cursor_moves);
    const std::string_view forced = text_of("CLICOLOR_FORCE");
    terminal.colour = text_of("NO_COLOR").empty() && (terminal.cursor_moves || (!forced.empty() && forced != "0"));
    const int columns = facts.columns > 0 ? facts.columns : whole_number(text_of("COLUMNS"));
    terminal.columns = std::clamp(columns > 0 ? columns : columns_of_files, fewest_columns, most_columns);
    terminal.lines = std::max(facts.lines, 0);
    return terminal;
}

Terminal terminal_at(int descriptor) {
    TerminalFacts facts{.is_terminal = isatty(descriptor) == 1};
    winsize size{};
    if (facts.is_terminal && ioctl(descriptor, TIOCGWINSZ, &size) == 0) {
        facts.columns = size.ws_col;
        facts.lines = size.ws_row;
    }
    return terminal_of(facts, [](const char* name) { return std::getenv(name); });
}

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
