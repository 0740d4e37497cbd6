#include "tools/ndsim/collective/options.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/config/typed_numbers.hpp"
#include "libsim/nearest.hpp"
#include "libsim/training/hardware.hpp"
#include "tools/command_line/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::tools {

using namespace command_line;
using namespace config;
using namespace search;

namespace {

constexpr int ranks_unless_said = 8;

constexpr const char* send_receive = "send-receive";

std::vector<std::string> kind_names() {
    std::vector<std::string> names;
    for (const CollectiveKind kind : profiled_kinds()) {
        names.emplace_back(name_of(kind));
    }
    names.emplace_back(send_receive);
    return names;
}

// The single names that --algorithm accepts; it also takes lists of algorithms.
std::vector<std::string> names_for_algorithms() {
    std::vector<std::string> names{"auto", "all"};
    for (const Algorithm algorithm : all_algorithms()) {
        names.emplace_back(name_of(algorithm));
    }
    return names;
}

CollectiveCase case_of_kind(const std::string& typed) {
    CollectiveCase what;
    const std::string name = hyphenated(typed);
    for (const CollectiveKind kind : profiled_kinds()) {
        if (name == name_of(kind)) {
            what.kind = kind;
            return what;
        }
    }
    if (name == send_receive) {
        what.kind = CollectiveKind::broadcast;
        what.send_receive = true;
        return what;
    }
    const std::vector<std::string> known = kind_names();
    throw UsageError(
        fmt::format("KIND must be {}, not \"{}\"{}", fmt::join(known, ", "), typed, did_you_mean(name, known)));
}

void take_network(CollectiveOptions& options, Sweep& sweep) {
    const bool needs_ranks = options.ranks == 0 && !says_ranks(options.network);
    options.ranks = needs_ranks ? ranks_unless_said : options.ranks;
    sweep.cluster = cluster_of(options.network, options.ranks);
    require_price_of(options.network, sweep.cluster, Bytes{1});
}

ElementType type_named(const std::string& name) {
    const auto& types = element_types();
    const auto at =
        std::find_if(types.begin(), types.end(), [&](const ElementType& type) { return name == type.name; });
    return *at;  // exists: the option is a Choice of these names
}

}  // namespace

std::vector<OptionRow> collective_rows(CollectiveOptions& options) {
    std::vector<std::string> types;
    for (const ElementType& type : element_types()) {
        types.emplace_back(type.name);
    }
    std::vector<OptionRow> rows{
        as_argument({"KIND", "",
                     "all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, reduce, gather, scatter or "
                     "send-receive; also in nccl-tests' spellings",
                     Text{text(options.kind).set, {.names = kind_names()}}}),
        {"ranks", "N",
         "number of participating GPUs, from the first on (8; a topology file's GPUs; a node of a machine)",
         whole(options.ranks, 1, most_ranks)},
        topology_row(options.network),
        profile_row(options.network),
        {"machine", "NAME|FILE",
         "machine as in ndsim train, instead of a topology: collectives are timed by NCCL's model",
         name_or_file(options.machine, training::machine_names())},
        {"ranks-per-node", "N", "participating GPUs of each node of the machine (spread evenly over the fewest nodes)",
         whole(options.ranks_per_node, 1, most_ranks)},
        {"timing", "NAME",
         "nccl: NCCL's model with its latencies and protocols, as in ndsim train; wire: messages at the links' own "
         "rates; both: side by side (nccl with a --machine, otherwise wire)",
         choice(options.timing, {"nccl", "wire", "both"})},
        {"sizes", "LIST|A:B[:F]",
         "sizes in bytes: 1K,64K,1M, or 1K:8G, each F times the one before (2); 1K is 1024 (1K:1G)",
         text(options.sizes)},
        {"algorithm", "LIST|FILE",
         "auto: the fastest for each size; all, or names such as ring,direct: side by side; a FILE is a schedule of "
         "your own, see docs/collectives.md (auto)",
         name_or_file(options.algorithm, names_for_algorithms())},
        {"channels", "N", "number of message sequences that run in parallel, each with its part of the data (1)",
         whole(options.channels, 1, most_channels)},
        {"pieces", "N", "number of chunks into which a pipeline cuts a channel's part (the algorithm's own number)",
         whole(options.pieces, 1, most_pieces)},
        {"inner", "N", "ranks per node: a ring's channels leave it by different ranks, a hierarchy has it as a level",
         whole(options.inner, 1, most_inner)},
        {"root", "R", "root rank of a broadcast, reduce, gather or scatter (0)",
         whole(options.root, 0, most_ranks - 1)},
        {"type", "NAME", fmt::format("element type: {} (float)", fmt::join(types, ", ")), choice(options.type, types)}};
    return rows;
}

Sweep sweep_of(CollectiveOptions& options) {
    Sweep sweep;
    sweep.what = case_of_kind(options.kind);
    sweep.what.type = type_named(options.type);
    if (is_schedule_file(options.algorithm)) {
        take_schedule(options, sweep);
    }
    check_timing(options);
    options.machine.empty() ? take_network(options, sweep) : take_machine(options, sweep);
    sweep.what.ranks = options.ranks;
    if (options.root >= 0 && !sweep.custom && !sweep.what.has_root()) {
        throw UsageError(
            fmt::format("--root: {} has none; broadcast, reduce, gather and scatter have one", sweep.what.name()));
    }
    sweep.what.root = std::max(options.root, 0);
    if (options.root >= options.ranks) {
        throw UsageError(fmt::format("--root must be one of the {} ranks, 0 to {}, not {}", options.ranks,
                                     options.ranks - 1, options.root));
    }
    if (!sweep.custom && sweep.wires) {
        take_configs(options, sweep);
    }
    return sweep;
}

std::vector<CollectiveCase> cases_of(const CollectiveOptions& options, const Sweep& sweep) {
    const bool is_range = options.sizes.find(':') != std::string::npos;
    std::vector<CollectiveCase> cases;
    for (const std::int64_t bytes : byte_sizes("--sizes", options.sizes)) {
        const auto what = case_of(sweep.what, bytes);
        if (!what && !is_range) {
            throw UsageError(fmt::format("--sizes: {} leaves some of {} ranks without a {}", size_text(bytes),
                                         sweep.what.ranks, sweep.what.type.name));
        }
        if (what) {
            cases.push_back(*what);
        }
    }
    if (cases.empty()) {
        throw UsageError(fmt::format("--sizes: {} leaves some of {} ranks without a {}", options.sizes,
                                     sweep.what.ranks, sweep.what.type.name));
    }
    return cases;
}

}  // namespace sim::tools
