// These texts are what traces in JSON say of a span beside name, place and time: whatever it takes to read back the
// same span.
#pragma once

#include "libsim/report/timeline.hpp"

#include <string>

namespace sim::report {

// Time to the picosecond, and the place in the program: "ps":5,"dur_ps":7,"idle_ps":0,"op":3 and where it has them
// program_stream, tag and message.
std::string exact_json(const Span& span);
// "units":2.5 or "bytes":64 or "flops":1000
std::string amount_json(const Span& span);

}  // namespace sim::report
