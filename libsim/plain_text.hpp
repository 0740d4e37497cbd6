// Plain text has no character that controls a terminal: what files, programs and users name is shown, and does nothing.
#pragma once

#include <string>
#include <string_view>

namespace sim {

// `text` with every control character of C0 and C1 but line break and tab written out: "\x1b", "\x9b". So are bytes
// that a terminal of eight bits would take for one.
std::string plain_text(std::string_view text);

}  // namespace sim
