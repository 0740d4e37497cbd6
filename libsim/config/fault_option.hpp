// The option --fault takes one sentence per fault and may be repeated.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/faults/injection.hpp"
#include "libsim/network/network.hpp"

#include <vector>

namespace sim::config {

// --fault 'kill rank 3 at 120ms', repeatable
OptionRow fault_row(std::vector<faults::Injection>& faults);

// Throws UsageError for a fault that is impossible with these ranks on this network.
void check_faults(const std::vector<faults::Injection>& faults, int ranks, const Network& network);

}  // namespace sim::config
