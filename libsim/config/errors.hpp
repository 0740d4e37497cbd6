// These exceptions report errors outside of the simulation. Messages are complete and one line long.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sim::config {

// The command line or a file of the user's asks for something impossible: exit code 2.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A result could not be written: exit code 6.
struct OutputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Whoever read the output went away, as `head` does: exit code 6, and no word of it.
struct ReaderGone : OutputError {
    using OutputError::OutputError;
};

// This machine cannot do it: exit code 7.
struct MachineLimit : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// `text`, or its beginning and "…" where it has more than `most` bytes: for errors that echo what was typed.
// A character of UTF-8 is never cut.
inline std::string shortened(std::string_view text, std::size_t most = 60) {
    if (text.size() <= most) {
        return std::string(text);
    }
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) {
        --most;
    }
    return std::string(text.substr(0, most)) + "…";
}

// What the JSON library says, without its own number: "[json.exception.parse_error.101] parse error at line 1, …".
inline std::string without_number(const std::string& what) {
    const std::size_t bracket = what.find("] ");
    return bracket == std::string::npos ? what : what.substr(bracket + 2);
}

// A signal asked us to stop while the results were put together.
struct Interrupted {
    int signal = 0;
};

}  // namespace sim::config
