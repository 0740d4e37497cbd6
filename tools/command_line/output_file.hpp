// An output file is written as a whole or not at all: under another name in the same folder, moved into place when it
// is complete.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <string_view>

namespace sim::command_line {

// Checks that `file` can be written, as far as this can be known in advance: its folder exists, and it would replace
// nothing but an ordinary file. Throws OutputError, naming file and reason.
void check_output(const std::string& file);

// Throws OutputError, naming file and reason; then `file` is as it was.
void write_output(const std::string& file, const std::function<void(std::ostream&)>& write);

// What is added to a file that write_output() has written, piece by piece, each of which is there at once.
class AppendedOutput {
public:
    // Throws OutputError, also where `file` is no ordinary file any more.
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
