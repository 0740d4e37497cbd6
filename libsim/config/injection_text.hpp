// An injected fault is typed as a sentence: the action, its target, the amount and the time.
//
//   kill rank 3 at 120ms           stop rank 1 at 2s for 500ms        noise 5% [on rank 2] [seed 7]
//   kill node 1 at 3s              drop nic 5 [at 1s]
//   fail rank|node|nic mtbf 100s [shape 0.7] [seed 3]
//   slow rank 2 x2.5 [from 1s] [to 4s] [every 10s]
//   slow link 0-1 x4 [from 1s] [to 4s] [every 10s]      each end: a rank, or 'a vertex of the topology'
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/faults/injection.hpp"
#include "libsim/network/network.hpp"

#include <string>
#include <vector>

namespace sim::config {

// Throws UsageError, which begins with `what` ("--fault") and shows the nearest form.
faults::Injection injection_of_text(const std::string& what, const std::string& text);

// All forms: "kill rank R at TIME", ….
std::vector<std::string> injection_forms();

// The option --fault 'kill rank 3 at 120ms': one sentence per fault, repeatable.
OptionRow fault_row(std::vector<faults::Injection>& faults);

// Throws UsageError for a fault that is impossible with these ranks on this network.
void check_faults(const std::vector<faults::Injection>& faults, int ranks, const Network& network);

}  // namespace sim::config
