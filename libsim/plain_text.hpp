// Plain text has no characters that control a terminal: names from files, programs and users are shown without effect.
#pragma once

#include <string>
#include <string_view>

namespace sim {

// `text` with every C0 and C1 control character except line break and tab escaped: "\x1b", "\x9b". So are bytes that an
// 8-bit terminal would interpret as one.
std::string plain_text(std::string_view text);

}  // namespace sim
