#include "tools/ndsim/topology.hpp"

#include "libsim/config/topology_table.hpp"
#include "tools/command_line/exit.hpp"
#include "tools/command_line/given_options.hpp"
#include "tools/command_line/output_file.hpp"
#include "tools/ndsim/drawing/drawing.hpp"
#include "tools/ndsim/topology_report.hpp"

#include <fmt/format.h>

namespace sim::scenarios {

namespace {

struct TopologyOptions {
    std::string topology;
    int ranks = 0;
    std::vector<std::int64_t> route;
    std::string svg;
    bool list = false;
    bool json = false;
};

const Executable executable{
    .name = "ndsim topology",
    .summary = "What a topology is made of, how far its GPUs are apart, and how it looks.",
    .examples = {"ndsim topology --list                                 # the names there are",
                 "ndsim topology dgx-h100 --ranks 64 --route 0,9        # every hop from GPU 0 to GPU 9",
                 "ndsim topology fat-tree --ranks 32 --svg tree.svg     # a drawing",
                 "ndsim topology cluster.toml --json"},
};

std::vector<OptionRow> option_rows(TopologyOptions& options) {
    return {as_argument({"TOPOLOGY", "", "a name (--list) or a FILE.toml", text(options.topology)},
                        Role::optional_argument),
            {"ranks", "N", "how many GPUs it has (what the file says; 16)", whole(options.ranks, 1, 1 << 24)},
            {"route", "A,B", "print every hop from rank A to rank B",
             List{0, 1 << 24, [&](const std::vector<std::int64_t>& ends) { options.route = ends; }}},
            {"svg", "FILE", "draw it", text(options.svg)},
            {"list", "", "print the names of topologies and exit", flag(options.list)},
            {"json", "", "print one JSON object", flag(options.json)}};
}

std::optional<RankPair> ends_of(const TopologyOptions& options, const Topology& topology) {
    if (options.route.empty()) {
        return {};
    }
    if (options.route.size() != 2) {
        throw UsageError(fmt::format("--route must be two ranks, A,B, not {}", options.route.size()));
    }
    for (const std::int64_t rank : options.route) {
        if (rank >= topology.gpus) {
            throw UsageError(
                fmt::format("--route: there is no rank {}; {} has 0 to {}", rank, topology.name, topology.gpus - 1));
        }
    }
    return RankPair{static_cast<int>(options.route[0]), static_cast<int>(options.route[1])};
}

}  // namespace

int run_topology(int argc, const char* const* argv) {
    TopologyOptions options;
    if (!take_options(executable, option_rows(options), argc, argv)) {
        return done;
    }
    if (options.list) {
        print(topology_list(options.json));
        return done;
    }
    if (options.topology.empty()) {
        throw UsageError("TOPOLOGY is missing: a name or a FILE.toml; --list prints the names");
    }
    if (!options.svg.empty()) {
        check_output(options.svg);
    }
    const Topology topology = read_topology(options.topology, options.ranks);
    const auto ends = ends_of(options, topology);
    if (!options.svg.empty()) {
        write_output(options.svg, [&](std::ostream& out) { out << drawing_of(topology); });
    }
    if (options.json) {
        print(topology_json(topology, facts_of(topology), ends));
    } else {
        print(ends ? route_text(topology, *ends) : topology_text(topology, facts_of(topology)));
    }
    return done;
}

}  // namespace sim::scenarios
