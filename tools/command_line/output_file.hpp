// An output file is written as a whole or not at all: under another name in the same folder, and moved into place when
// complete.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace sim::command_line {

// Checks in advance, as far as possible, that `file` can be written: its folder exists, and it would replace only an
// ordinary file. Throws OutputError, naming file and reason.
void check_output(const std::string& file);

// Throws OutputError, naming file and reason, and then leaves `file` unchanged.
void write_output(const std::string& file, const std::function<void(std::ostream&)>& write);

// Appends to a file that write_output() has written; each piece is visible at once.
class AppendedOutput {
public:
    // Throws OutputError, also if `file` is no longer an ordinary file.
    explicit AppendedOutput(std::string file);
    AppendedOutput(const AppendedOutput&) = delete;
    AppendedOutput& operator=(const AppendedOutput&) = delete;
    ~AppendedOutput();

    // Throws OutputError, naming file and reason.
    void add(std::string_view text) const;

private:
    std::string file_;
    int fd_;
};

}  // namespace sim::command_line
