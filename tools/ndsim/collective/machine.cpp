#include "tools/ndsim/collective/options.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/predict/machine_file.hpp"
#include "libsim/training/machine_cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace sim::tools {

using namespace config;
using namespace predict;
using namespace search;

namespace {

bool wants_wires(const CollectiveOptions& options) {
    return options.timing.empty() ? options.machine.empty() : options.timing != "nccl";
}

bool wants_nccl(const CollectiveOptions& options) {
    return options.timing.empty() ? !options.machine.empty() : options.timing != "wire";
}

int ceil_of(int amount, int parts) {
    return static_cast<int>(ceil_div(std::int64_t{amount}, std::int64_t{parts}));
}

NodesUsed nodes_used(const CollectiveOptions& options, const training::Machine& machine) {
    if (options.ranks_per_node > machine.gpus_per_node) {
        throw UsageError(fmt::format("--ranks-per-node must be from 1 to the {} GPUs of a node of {}, not {}",
                                     machine.gpus_per_node, machine.name, options.ranks_per_node));
    }
    NodesUsed used;
    const bool is_said = options.ranks_per_node > 0;
    used.nodes = ceil_of(options.ranks, is_said ? options.ranks_per_node : machine.gpus_per_node);
    used.on_node = is_said ? std::min(options.ranks, options.ranks_per_node) : ceil_of(options.ranks, used.nodes);
    return used;
}

void require_links(const CollectiveOptions& options, const training::Machine& machine, const NodesUsed& used) {
    if (used.nodes > 1 && !(machine.scale_out > 0)) {
        throw UsageError(fmt::format("--ranks {} are on {} nodes of {} GPUs, and {} has no network between nodes",
                                     options.ranks, used.nodes, machine.gpus_per_node, machine.name));
    }
    if (used.on_node > 1 && !(machine.scale_up > 0)) {
        throw UsageError(fmt::format("--ranks {}: {} are on a node, and {} has no links within a node", options.ranks,
                                     used.on_node, machine.name));
    }
}

}  // namespace

void check_timing(const CollectiveOptions& options) {
    if (!options.machine.empty() && options.network.given()) {
        throw UsageError("--machine and --topology or --profile both define the links; give one of them");
    }
    if (options.machine.empty() && options.ranks_per_node > 0) {
        throw UsageError("--ranks-per-node needs a --machine; a topology and a profile define their nodes themselves");
    }
    if (options.machine.empty() && wants_nccl(options)) {
        throw UsageError(
            fmt::format("--timing {} needs --machine NAME: a topology or a profile has no NCCL model", options.timing));
    }
    const bool says_how =
        options.algorithm != "auto" || options.channels > 0 || options.pieces > 0 || options.inner > 0;
    if (says_how && !wants_wires(options)) {
        throw UsageError(
            "--algorithm, --channels, --pieces and --inner need messages, and NCCL's model chooses its own algorithm; "
            "--timing wire times them, --timing both beside it");
    }
}

void take_machine(CollectiveOptions& options, Sweep& sweep) {
    training::Machine machine = read_machine(options.machine);
    if (options.ranks == 0) {
        options.ranks = options.ranks_per_node > 0 ? options.ranks_per_node : machine.gpus_per_node;
    }
    const NodesUsed used = nodes_used(options, machine);
    require_links(options, machine, used);
    machine.gpus_per_node = used.on_node;
    machine.derive_network();
    sweep.machine = used;
    sweep.cluster = training::wire_cluster(machine);
    sweep.wires = wants_wires(options);
    for (const auto& [key, text] : read_hardware(options.machine).remarks) {
        sweep.library = key == "collectives" || key == "compiler" ? text : sweep.library;
    }
    if (wants_nccl(options)) {
        sweep.nccl = NcclMethod{machine.network, {.members = options.ranks, .on_node = used.on_node}};
    }
}

std::string place_text(const Sweep& sweep) {
    const int ranks = sweep.what.ranks;
    const std::string name = fmt::format("{} rank{}", ranks, ranks == 1 ? "" : "s");
    if (!sweep.machine) {
        return fmt::format("{}, {}", name, sweep.cluster.name);
    }
    const auto& [nodes, on_node] = *sweep.machine;
    return fmt::format("{} of {}, {}", name, sweep.cluster.name,
                       nodes == 1                 ? "on one node"
                       : ranks == nodes * on_node ? fmt::format("{} on each of {} nodes", on_node, nodes)
                                                  : fmt::format("up to {} on each of {} nodes", on_node, nodes));
}

std::vector<std::string> timing_lines(const Sweep& sweep) {
    std::vector<std::string> lines;
    if (sweep.nccl) {
        lines.push_back(
            sweep.library == training::nccl_library
                ? "NCCL's model: what NCCL's own tuner expects, as ndsim train prices collectives"
                : fmt::format("{0}'s model: what rings, trees or a torus would take on these links, as ndsim train "
                              "prices collectives; {0} has algorithms and protocols of its own",
                              sweep.library));
    }
    if (sweep.wires) {
        lines.push_back(fmt::format("Wire time, without {}'s overheads: messages at the links' own rates{}",
                                    sweep.library, sweep.machine ? "" : "; --machine NAME has NCCL's model"));
    }
    return lines;
}

}  // namespace sim::tools
