#include "tools/ndsim/collective_options.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/network/topologies/named.hpp"
#include "scenarios/errors.hpp"
#include "scenarios/options/byte_sizes.hpp"
#include "scenarios/options/profile.hpp"
#include "scenarios/options/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace sim::scenarios {

namespace {

constexpr std::int64_t most_bytes_with_data = std::int64_t{1} << 32U;

// The names of nccl-tests are not all ours: all_reduce, alltoall, sendrecv.
std::string hyphenated(std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    for (const auto& [alias, full] : {std::pair{"alltoall", "all-to-all"},
                                      {"allreduce", "all-reduce"},
                                      {"allgather", "all-gather"},
                                      {"reducescatter", "reduce-scatter"},
                                      {"sendrecv", "send-receive"},
                                      {"send-recv", "send-receive"}}) {
        name = name == alias ? full : name;
    }
    return name;
}

CollectiveCase case_of_kind(const std::string& typed) {
    CollectiveCase what;
    const std::string name = hyphenated(typed);
    std::vector<std::string> known;
    for (const CollectiveKind kind : profiled_kinds()) {
        known.emplace_back(name_of(kind));
        if (name == known.back()) {
            what.kind = kind;
            return what;
        }
    }
    known.emplace_back("send-receive");
    if (name == known.back()) {
        what.kind = CollectiveKind::broadcast;
        what.send_receive = true;
        return what;
    }
    throw UsageError(
        fmt::format("KIND must be {}, not \"{}\"{}", fmt::join(known, ", "), typed, did_you_mean(name, known)));
}

Cluster cluster_of(const CollectiveOptions& options) {
    if (!options.profile.empty()) {
        if (!options.topology.empty()) {
            throw UsageError("--topology and --profile both say what the links are; give one of them");
        }
        Cluster cluster = read_profile(options.profile);
        try {
            require_price(cluster, Bytes{1});
        } catch (const ProgramError& error) {
            throw UsageError(fmt::format("--profile {} does not fit: {}", options.profile, error.what()));
        }
        return cluster;
    }
    const std::string name = options.topology.empty() ? "dgx-h100" : options.topology;
    try {
        Cluster cluster;
        cluster.name = name;
        cluster.network = FairShare{std::make_shared<const Topology>(named_topology(name, options.ranks))};
        return cluster;
    } catch (const ProgramError& error) {
        throw UsageError(fmt::format("--topology {}: {}", name, error.what()));
    }
}

int gpus_per_node(const Cluster& cluster) {
    const auto* shared = std::get_if<FairShare>(&cluster.network);
    return shared != nullptr ? shared->topology->gpus_per_node() : ranks_per_node(cluster);
}

Algorithm algorithm_named(const std::string& typed, CollectiveKind kind) {
    const std::string name = hyphenated(typed);
    std::vector<std::string> known;
    for (const Algorithm algorithm : algorithms_of(kind)) {
        known.emplace_back(name_of(algorithm));
        if (name == known.back()) {
            return algorithm;
        }
    }
    throw UsageError(fmt::format("--algorithm must be auto, all, or some of {}, not \"{}\"{}", fmt::join(known, ","),
                                 typed, did_you_mean(name, known)));
}

std::vector<std::string> parts_of(const std::string& list) {
    std::vector<std::string> parts{""};
    for (const char c : list) {
        if (c == ',') {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

// An algorithm as such; a hierarchy is of nodes.
Method method_of(Algorithm algorithm, int per_node) {
    return algorithm == Algorithm::hierarchical ? Method(algorithm, MethodOptions{.inner = std::max(per_node, 1)})
                                                : Method(algorithm);
}

// What was typed: names, or all there are. In the latter case those that do not fit are left out.
struct Choices {
    std::vector<Method> methods;
    bool by_name = false;
};

Choices choices_of(const CollectiveOptions& options, CollectiveKind kind, int per_node) {
    Choices choices;
    if (options.algorithm == "auto") {
        choices.methods = methods_for(kind, options.ranks, per_node);
    } else if (options.algorithm == "all") {
        for (const Algorithm algorithm : algorithms_of(kind)) {
            choices.methods.push_back(method_of(algorithm, per_node));
        }
    } else {
        choices.by_name = true;
        for (const std::string& name : parts_of(options.algorithm)) {
            choices.methods.push_back(method_of(algorithm_named(name, kind), per_node));
        }
    }
    return choices;
}

std::vector<Method> methods_of(const CollectiveOptions& options, CollectiveKind kind, int per_node) {
    std::vector<Method> methods;
    std::string refused;
    const Choices choices = choices_of(options, kind, per_node);
    for (Method method : choices.methods) {
        method.channels = options.channels > 0 ? options.channels : method.channels;
        method.pieces = options.pieces > 0 ? options.pieces : method.pieces;
        try {
            check_method(kind, method, options.ranks);
        } catch (const ProgramError& error) {
            refused = refused.empty() ? error.what() : refused;
            if (choices.by_name) {
                break;
            }
            continue;
        }
        if (std::find(methods.begin(), methods.end(), method) == methods.end()) {
            methods.push_back(method);
        }
    }
    if (methods.empty() || (choices.by_name && !refused.empty())) {
        throw UsageError(refused);
    }
    return methods;
}

ElementType type_named(const std::string& name) {
    const auto& types = element_types();
    const auto at =
        std::find_if(types.begin(), types.end(), [&](const ElementType& type) { return name == type.name; });
    return *at;  // a Choice of these names
}

void require_checkable(const CollectiveOptions& options, const CollectiveCase& what) {
    if (!options.check) {
        return;
    }
    if (options.type != "float") {
        throw UsageError("--check carries floats: leave out --type");
    }
    if (what.bytes() > most_bytes_with_data / what.ranks) {
        throw UsageError(fmt::format("--check holds {} on each of {} ranks; it goes up to {} in all",
                                     size_text(what.bytes()), what.ranks, size_text(most_bytes_with_data)));
    }
}

}  // namespace

std::vector<OptionRow> option_rows(CollectiveOptions& options) {
    std::vector<std::string> types;
    for (const ElementType& type : element_types()) {
        types.emplace_back(type.name);
    }
    return {
        as_argument({"KIND", "",
                     "all-reduce, all-gather, reduce-scatter, all-to-all, broadcast, reduce, gather, scatter or "
                     "send-receive; nccl-tests' spellings, too",
                     text(options.kind)}),
        {"ranks", "N", "GPUs that take part, from the first on (8)", whole(options.ranks, 1, most_ranks)},
        {"topology", "NAME", "links that messages share: see ndsim topology (dgx-h100)", text(options.topology)},
        {"profile", "NAME|FILE", "links as a profile has them, in place of a topology", text(options.profile)},
        {"sizes", "LIST|A:B[:F]", "bytes: 1K,64K,1M or 1K:8G, each F times the one before (2); 1K is 1024 (1K:1G)",
         text(options.sizes)},
        {"algorithm", "NAME|LIST",
         "auto picks the fastest for each size; all, or names like ring,direct, stand side by side (auto)",
         text(options.algorithm)},
        {"channels", "N", "sequences of messages that run side by side, each with its part of the data (1)",
         whole(options.channels, 1, most_channels)},
        {"pieces", "N", "into how many chunks a pipeline cuts a channel's part (the algorithm's own number)",
         whole(options.pieces, 1, most_pieces)},
        {"root", "R", "of a broadcast, reduce, gather or scatter (0)", whole(options.root, 0, most_ranks - 1)},
        {"type", "NAME", fmt::format("of the elements: {} (float)", fmt::join(types, ", ")),
         choice(options.type, types)},
        {"check", "", "carry it out message by message with numbers too: as long, and right?", flag(options.check)},
        {"explain-cost", "", "how each time was found, and why that is exact, as # lines", flag(options.explain_cost)},
        {"csv", "FILE|-", "one line for each size and algorithm; -: in place of the table", text(options.csv)},
        {"plot", "FILE.svg", "bus bandwidth over size, a curve for each algorithm", text(options.plot)},
        {"json", "", "print one JSON object instead of the table", flag(options.json)}};
}

Sweep sweep_of(const CollectiveOptions& options) {
    Sweep sweep;
    sweep.what = case_of_kind(options.kind);
    sweep.what.ranks = options.ranks;
    sweep.what.type = type_named(options.type);
    sweep.what.root = options.root;
    if (options.root >= options.ranks) {
        throw UsageError(fmt::format("--root must be one of the {} ranks, 0 to {}, not {}", options.ranks,
                                     options.ranks - 1, options.root));
    }
    if (options.json && options.csv == "-") {
        throw UsageError("--json and --csv - both want standard output; give one of them a file");
    }
    sweep.cluster = cluster_of(options);
    if (sweep.what.send_receive) {
        if (options.algorithm != "auto" || options.channels > 1 || options.pieces > 0) {
            throw UsageError("send-receive is one message from each rank: it has no algorithms, channels or pieces");
        }
        sweep.methods = {Algorithm::direct};
        return sweep;
    }
    sweep.methods = methods_of(options, sweep.what.kind, gpus_per_node(sweep.cluster));
    sweep.only_fastest = options.algorithm == "auto";
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
            require_checkable(options, *what);
            cases.push_back(*what);
        }
    }
    if (cases.empty()) {
        throw UsageError(fmt::format("--sizes: {} leaves some of {} ranks without a {}", options.sizes,
                                     sweep.what.ranks, sweep.what.type.name));
    }
    return cases;
}

}  // namespace sim::scenarios
