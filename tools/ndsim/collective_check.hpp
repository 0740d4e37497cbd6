// A timed collective is carried out here message by message, and with numbers: the check of what was timed.
#pragma once

#include "libsim/search/collective_sweep.hpp"
#include "ranks/launch.hpp"

#include <string>

namespace sim::tools {

// On fibers, by size.
ranks::Result carry_out_messages(const search::Sweep& sweep, const search::TimedMethod& timed,
                                 trace::SpanSink on_span = nullptr);

// Carries out `timed` message by message on fibers, by size, which must take as long, and with floats, and notes how
// many of these are wrong. Returns an error text where that takes another time or breaks off, else an empty text.
std::string check_with_data(const search::Sweep& sweep, search::TimedMethod& timed);

}  // namespace sim::tools
