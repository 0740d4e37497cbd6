// With a parameter server, all members send to member 0, which adds up and sends the result back to each.
//
// n members, S bytes, L latency (both ends together), B bandwidth, all come together: n (L + S/B) from n = 2 on.
// The n-1 sends run side by side; then the server acknowledges n-1 times and sends n-1 times, one after another:
//   (l + S/B) + (n-1) a + (n-1) (l + S/B) + a        l paid by a send, a by a receive, L = l + a
// The server sends (n-1) S, each other S. Everything the server sends leaves by one link: the time grows with n, where
// the ring's bytes do not.
// Source: Li et al., Scaling distributed machine learning with the parameter server, OSDI (2014).
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// Supports all-reduce, added up in the order of the members.
Schedule parameter_server_schedule(const ScheduleRequest& request);

}  // namespace sim::collectives
