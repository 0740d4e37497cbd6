// A progress bar is shown on standard error during long work: only on a terminal, not in the first half second, and
// erased when the work is done.
//
//   [##############------]  14 of 20  all-reduce of 16M
#pragma once

#include <chrono>
#include <string>

namespace sim::command_line {

class Progress {
public:
    explicit Progress(std::size_t parts);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    // True if standard error is a terminal; otherwise nothing is ever drawn.
    bool is_shown() const { return on_terminal_; }
    // `done` parts are complete; `next` is in progress.
    void at(std::size_t done, const std::string& next);
    // The same for work without parts: the share that is done, 0 to 1.
    void at_share(double share_done, const std::string& next);
    // Makes room for a line of output; the next at() redraws the bar.
    void erase();

private:
    void draw(const std::string& line);

    std::size_t parts_;
    bool on_terminal_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// The bar itself, without the control sequence that erases it.
std::string progress_line(std::size_t done, std::size_t parts, const std::string& next);
std::string progress_line(double share_done, const std::string& next);

}  // namespace sim::command_line
