// `ndsim collective` carries a collective out by these methods: names, all there are, the fastest, or a schedule's
// file.
#pragma once

#include "tools/ndsim/collective/options.hpp"

namespace sim::tools {

// all-reduce, for what may be typed as all_reduce or allreduce, as in nccl-tests.
std::string hyphenated(std::string name);

// A name with a dot or a slash in it.
bool is_schedule_file(const std::string& algorithm);
// Reads it, and takes its ranks and root. Throws UsageError where it does not fit what was asked.
void take_schedule(CollectiveOptions& options, search::Sweep& sweep);

// Requires: the sweep's cluster and kind, and options.ranks > 0. Throws UsageError, with the nearest name.
void take_configs(const CollectiveOptions& options, search::Sweep& sweep);

}  // namespace sim::tools
