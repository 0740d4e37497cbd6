// These costs are the inputs of the time reader for a collective on uniform links and nodes.
#pragma once

#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/collectives/time/collective_time.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// The clocks on arrival, with nothing in progress.
std::vector<MemberClock> member_clocks(const CollectiveQuestion& question);

// Requires: uniform links, or nodes of them. Throws ProgramError if they have no price for what the size counts.
LinkCosts link_costs(const CollectiveQuestion& question);

}  // namespace sim::collectives
