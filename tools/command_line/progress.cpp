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
    if (on_terminal_ && std::chrono::steady_clock::now() - begin_ >= silent) {
        // One line of the terminal: of two, only the last would be erased.
        const int room = terminal_at(STDERR_FILENO).columns - 1;
        const std::string line = report::terminal_text(progress_line(done, parts_, next), room);
        std::fputs(fmt::format("\r\033[K{}", line).c_str(), stderr);
        drawn_ = true;
    }
}

void Progress::erase() {
    if (drawn_) {
        std::fputs("\r\033[K", stderr);  // which, unlike fmt::print(), throws nothing in a destructor
        drawn_ = false;
    }
}

std::string progress_line(std::size_t done, std::size_t parts, const std::string& next) {
    const std::size_t full = parts == 0 ? width : std::min(done, parts) * width / parts;
    return fmt::format("[{:-<{}}]  {} of {}  {}", std::string(full, '#'), width, done, parts, next);
}

}  // namespace sim::command_line
