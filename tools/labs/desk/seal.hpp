// A seal shows whether a text that ndsim wrote was changed by hand: an HMAC-SHA-256 of it.
//
// Its key is in the program, which runs on the learner's machine, so anyone who reads this source can make a seal. It
// detects edited numbers, not a determined forger; official grading runs out of learners' reach (tools/labs/classes).
#pragma once

#include <string>
#include <string_view>

namespace sim::labs {

// 64 hexadecimal digits.
std::string seal_of(std::string_view text);
// SHA-256 of a text, such as a program, as 64 hexadecimal digits.
std::string digest_of(std::string_view text);

}  // namespace sim::labs
