// The options of `ndsim collective`, and the sweep that they ask for.
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
    std::string machine;     // instead of a network; empty: not given
    int ranks_per_node = 0;  // on the machine's nodes; 0: not given
    std::string timing;      // nccl, wire or both; empty: nccl on a machine, otherwise wire
    std::string sizes = "1K:1G";
    std::string algorithm = "auto";
    int channels = 0;  // 0: not given
    int pieces = 0;
    int inner = 0;
    int root = -1;  // not given
    std::string type = "float";
};

// The rows of all options that change the result. They set `options`.
std::vector<config::OptionRow> collective_rows(CollectiveOptions& options);

// The sweep that the options ask for. Fills in ranks that were not given, and the root of a schedule file. Throws
// UsageError if the options contradict each other.
search::Sweep sweep_of(CollectiveOptions& options);

// The cases of all sizes. A size that leaves some rank without an element is skipped in a range; in a list, or if no
// size remains, it throws UsageError.
std::vector<search::CollectiveCase> cases_of(const CollectiveOptions& options, const search::Sweep& sweep);

}  // namespace sim::tools
