// These options are what is asked of `ndsim collective`, and their meaning.
#pragma once

#include "libsim/config/option_row.hpp"
#include "libsim/search/collective_sweep.hpp"
#include "tools/ndsim/network_options.hpp"

#include <string>
#include <vector>

namespace sim::tools {

struct CollectiveOptions {
    std::string kind;
    int ranks = 0;  // 0: not given
    NetworkOptions network;
    std::string machine;     // in place of a network; empty: not given
    int ranks_per_node = 0;  // of the machine; 0: not given
    std::string timing;      // nccl, wire or both; empty: nccl on a machine, otherwise wire
    std::string sizes = "1K:1G";
    std::string algorithm = "auto";
    int channels = 0;  // 0: not given
    int pieces = 0;
    int inner = 0;
    int root = -1;  // not given
    std::string type = "float";
};

// All that change the result. They set `options`.
std::vector<config::OptionRow> collective_rows(CollectiveOptions& options);

// Throws UsageError if that is impossible. Fills in the ranks that were not given, and the root of a schedule's file.
search::Sweep sweep_of(CollectiveOptions& options);

// The cases of all sizes, but for those in which some rank has no element: these are left out of a range, and throw
// UsageError in a list, or if nothing remains.
std::vector<search::CollectiveCase> cases_of(const CollectiveOptions& options, const search::Sweep& sweep);

}  // namespace sim::tools
