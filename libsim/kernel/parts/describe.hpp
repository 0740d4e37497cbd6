// These functions describe ops, amounts and times in the words of error messages.
#pragma once

#include "libsim/op.hpp"

#include <string>

namespace sim::kernel {

// "12 units", "4096 B", "1.5e9 FLOPs"
std::string describe_amount(std::int64_t amount, Measure measure);

// "13.2 ms": exact, in the largest unit of s, ms, us, ns, ps that gives a number of 1 or more.
std::string describe_time(Time time);

// "receive from 3, tag 7", "all-reduce of 500 units", …
std::string describe(const Op& op);

}  // namespace sim::kernel
