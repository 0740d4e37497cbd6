// The option --fault takes faults as sentences, any number of them.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/faults/injection.hpp"
#include "libsim/network/network.hpp"

#include <vector>

namespace sim::config {

// --fault 'kill rank 3 at 120ms', as often as one likes
OptionRow fault_row(std::vector<faults::Injection>& faults);

// Throws UsageError for a fault that these ranks on this network cannot suffer.
void check_faults(const std::vector<faults::Injection>& faults, int ranks, const Network& network);

}  // namespace sim::config
