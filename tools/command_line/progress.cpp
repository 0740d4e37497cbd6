#include "tools/command_line/progress.hpp"

#include "libsim/report/terminal_text.hpp"
#include "tools/command_line/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace sim::command_line {

namespace {

constexpr std::size_t width = 20;
constexpr std::chrono::milliseconds silent{500};

}  // namespace

Progress::Progress(std::size_t parts) : parts_(parts), on_terminal_(terminal_at(STDERR_FILENO).cursor_moves) {}

Progress::~Progress() {
    erase();
}

void Progress::at(std::size_t done, const std::string& next) {
    draw(progress_line(done, parts_, next));
}

void Progress::at_share(double share_done, const std::string& next) {
    draw(progress_line(share_done, next));
}

void Progress::draw(const std::string& line) {
    if (on_terminal_ && std::chrono::steady_clock::now() - begin_ >= silent) {
        // At most one terminal line, because a second one would not be erased.
        const int room = terminal_at(STDERR_FILENO).columns - 1;
        std::fputs(fmt::format("\r\033[K{}", report::terminal_text(line, room)).c_str(), stderr);
        drawn_ = true;
    }
}

void Progress::erase() {
    if (drawn_) {
        std::fputs("\r\033[K", stderr);  // unlike fmt::print(), never throws in a destructor
        drawn_ = false;
    }
}

namespace {

std::string bar(std::size_t full) {
    return fmt::format("[{:-<{}}]", std::string(full, '#'), width);
}

}  // namespace

std::string progress_line(std::size_t done, std::size_t parts, const std::string& next) {
    const std::size_t full = parts == 0 ? width : std::min(done, parts) * width / parts;
    return fmt::format("{}  {} of {}  {}", bar(full), done, parts, next);
}

std::string progress_line(double share_done, const std::string& next) {
    return fmt::format("{}  {}", bar(static_cast<std::size_t>(share_done * static_cast<double>(width))), next);
}

}  // namespace sim::command_line
