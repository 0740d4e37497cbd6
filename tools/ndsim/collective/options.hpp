// The options of `ndsim collective`, and the sweep that they ask for: its ranks on the nodes of a machine, its methods,
// and the models that time them.
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

// Throws UsageError if an option needs a machine and none is given, or needs messages, which NCCL's model lacks.
void check_timing(const CollectiveOptions& options);

// Sets the sweep's links to the machine's, and NCCL's model if it is requested. The ranks (default: one full node) are
// spread evenly over the fewest nodes that hold them, or --ranks-per-node on each. Throws UsageError. Requires: a
// machine.
void take_machine(CollectiveOptions& options, search::Sweep& sweep);

// The placement of the sweep's ranks: "8 ranks of dgx-h100, on one node", or "16 ranks, dgx-h100" on a topology.
std::string place_text(const search::Sweep& sweep);
// A sentence for each model that times the sweep: "Wire time, without NCCL's overheads".
std::vector<std::string> timing_lines(const search::Sweep& sweep);

// Returns "all-reduce" for nccl-tests' spellings all_reduce and allreduce, and likewise for the other collectives.
std::string hyphenated(std::string name);

// Whether the name has a dot or a slash in it.
bool is_schedule_file(const std::string& algorithm);
// Reads the schedule file and takes its ranks and root. Throws UsageError if it contradicts the options.
void take_schedule(CollectiveOptions& options, search::Sweep& sweep);

// Sets the sweep's configs: given names, all algorithms, or the fastest. Requires: the sweep's cluster and kind, and
// options.ranks > 0. Throws UsageError, with the nearest name.
void take_configs(const CollectiveOptions& options, search::Sweep& sweep);

}  // namespace sim::tools
