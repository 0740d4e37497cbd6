// `ndsim topology NAME|FILE.toml` shows what a topology consists of, how far apart its GPUs are, and what it looks
// like.
#include "libsim/config/errors.hpp"
#include "libsim/network/topologies/topologies.hpp"
#include "libsim/predict/machine_file.hpp"
#include "tools/ndsim/commands.hpp"
#include "tools/ndsim/topology/report.hpp"

#include <fmt/format.h>

#include <memory>

namespace sim::tools {

using namespace command_line;
using namespace config;

namespace {

struct TopologyOptions {
    std::string topology;
    int ranks = 0;
    std::vector<std::int64_t> route;
    bool list = false;
};

std::vector<OptionRow> option_rows(TopologyOptions& options) {
    return {as_argument({"TOPOLOGY", "", "a name (--list), a machine (ndsim hardware) or a FILE.toml",
                         name_or_file(options.topology, predict::topology_and_machine_names())},
                        Role::optional_argument),
            {"ranks", "N", "number of GPUs (the file's; 16)", whole(options.ranks, 1, 1 << 24)},
            {"route", "A,B", "print every hop from rank A to rank B",
             List{0, 1 << 24, [&](const std::vector<std::int64_t>& ends) { options.route = ends; }}},
            {"list", "", "print the names of topologies and exit", flag(options.list)}};
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

Answer topology_answer(const TopologyOptions& options) {
    if (options.list) {
        return {.forms = {.text = topology_list, .json = topology_list_json, .table = topology_names}};
    }
    if (options.topology.empty()) {
        throw UsageError("TOPOLOGY is missing: a name or a FILE.toml; --list prints the names");
    }
    const auto topology = std::make_shared<const Topology>(predict::read_topology(options.topology, options.ranks));
    const auto ends = ends_of(options, *topology);
    return {
        .forms = {
            .text = [=] { return ends ? route_text(*topology, *ends) : topology_text(*topology, facts_of(*topology)); },
            .json = [=] { return topology_json(*topology, facts_of(*topology), ends); },
            .table = [=] { return ends ? hops_of(*topology, *ends) : links_of(facts_of(*topology)); },
            .picture = [=] { return drawing_of(*topology); }}};
}

Question topology_question() {
    const auto options = std::make_shared<TopologyOptions>();
    return {.rows = option_rows(*options),
            .offer = {.table = "write its kinds of links, or with --route its hops, as CSV",
                      .picture = "draw the topology"},
            .answer = [options](const Asked&) { return topology_answer(*options); }};
}

}  // namespace

const Command topology_command{
    .name = "topology",
    .headline = "show what a topology consists of, how far apart its GPUs are, and what it looks like",
    .summary = "Shows what a topology consists of, how far apart its GPUs are, and what it looks like.",
    .examples = {"ndsim topology --list                                 # all names",
                 "ndsim topology dgx-h100 --ranks 64 --route 0,9        # every hop from GPU 0 to GPU 9",
                 "ndsim topology fat-tree --ranks 32 --svg tree.svg     # a drawing",
                 "ndsim topology cluster.toml --json"},
    .schemas = {topology_schema, topology_columns},
    .question = topology_question};

}  // namespace sim::tools
