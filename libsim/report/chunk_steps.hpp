// A collective told chunk by chunk: who sends what to whom in each step, and who holds what after it.
#pragma once

#include "libsim/collectives/schedule.hpp"

#include <string>

namespace sim::report {

// One JSON object, for Timeline::chunks:
//   {"name": "all-reduce by ring", "members": 4, "chunks": 4, "steps": [
//       {"moves": [],             "held": [[[0, [0]], [1, [0]], …], …]},         before the first step
//       {"moves": [[0, 1, [0], true], …], "held": …}, …]}                        0 sends chunk 0 to 1, which adds it
// held[member][place] is [chunk, members whose inputs are added up there]. Empty if that would be too long to look at,
// or if nothing is sent. Requires: a schedule that passes check_schedule().
std::string chunk_steps(const std::string& name, const collectives::Schedule& schedule);

}  // namespace sim::report
