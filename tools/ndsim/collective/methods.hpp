// These functions choose the methods that `ndsim collective` times: given names, all algorithms, the fastest, or a
// schedule from a file.
#pragma once

#include "tools/ndsim/collective/options.hpp"

namespace sim::tools {

// Returns "all-reduce" for nccl-tests' spellings all_reduce and allreduce, and likewise for the other collectives.
std::string hyphenated(std::string name);

// Whether the name has a dot or a slash in it.
bool is_schedule_file(const std::string& algorithm);
// Reads the schedule file and takes its ranks and root. Throws UsageError if it contradicts the options.
void take_schedule(CollectiveOptions& options, search::Sweep& sweep);

// Sets the sweep's configs. Requires: the sweep's cluster and kind, and options.ranks > 0. Throws UsageError, with the
// nearest name.
void take_configs(const CollectiveOptions& options, search::Sweep& sweep);

}  // namespace sim::tools
