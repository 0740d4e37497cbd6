// These exceptions report errors outside the simulation. Their messages are complete and one line long.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace sim::config {

// The command line or one of the user's files asks for something impossible: exit code 2.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A result could not be written: exit code 6.
struct OutputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The reader of the output closed it, as `head` does: exit code 6, without a message.
struct ReaderGone : OutputError {
    using OutputError::OutputError;
};

// This machine cannot do it: exit code 7.
struct MachineLimit : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Cuts `text` to its beginning and "…" if it has more than `most` bytes: for errors that echo the input. Never cuts
// inside a UTF-8 character.
inline std::string shortened(std::string_view text, std::size_t most = 60) {
    if (text.size() <= most) {
        return std::string(text);
    }
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0U) == 0x80U) {
        --most;
    }
    return std::string(text.substr(0, most)) + "…";
}

// The JSON library's message without its "[json.exception.parse_error.101] " prefix: "parse error at line 1, …".
inline std::string without_number(const std::string& what) {
    const std::size_t bracket = what.find("] ");
    return bracket == std::string::npos ? what : what.substr(bracket + 2);
}

// A signal stopped the program while it was putting the results together.
struct Interrupted {
    int signal = 0;
};

}  // namespace sim::config
