// check() is an assertion that stays on in release builds: a simulator bug stops the run with both sides printed.
#pragma once

#include "libsim/namespaces.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace sim {

// A bug in the simulator itself. Never thrown for a user's mistake.
struct InternalError : std::logic_error {
    using std::logic_error::logic_error;
};

// Throws InternalError unless `holds`; the message is formatted only then:
//   check(a == b, "what should hold: {} {}", a, b)
template <class... Args>
void check(bool holds, fmt::format_string<const Args&...> what, const Args&... args) {
    if (!holds) [[unlikely]] {
        throw InternalError("ndsim is wrong: " + fmt::vformat(what, fmt::make_format_args(args...)));
    }
}

}  // namespace sim
