#include "tools/ndsim/collective/options.hpp"

#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/collectives/schedules/custom_schedule.hpp"
#include "libsim/collectives/time/fastest_algorithm.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/split.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::tools {

using namespace config;

namespace {

Algorithm algorithm_of(const std::string& typed, CollectiveKind kind) {
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

// The config of a named algorithm; a hierarchical one gets the node size.
AlgorithmConfig config_of(Algorithm algorithm, int per_node) {
    return row_of(algorithm).nodes == NodeUse::levels
               ? AlgorithmConfig(algorithm, AlgorithmParameters{.inner = std::max(per_node, 1)})
               : AlgorithmConfig(algorithm);
}

// The default of each algorithm, then those worth trying with a pipeline's own number of chunks.
std::vector<AlgorithmConfig> one_of_each(CollectiveKind kind, const std::vector<AlgorithmConfig>& worth_trying,
                                         int per_node) {
    std::vector<AlgorithmConfig> configs;
    for (const Algorithm algorithm : algorithms_of(kind)) {
        configs.push_back(config_of(algorithm, per_node));
        for (const AlgorithmConfig& config : worth_trying) {
            if (config.algorithm == algorithm && config.pieces == 0) {
                configs.push_back(config);
            }
        }
    }
    return configs;
}

// The candidates: the given names, or all algorithms. Of all, those that do not fit are skipped.
struct Choices {
    std::vector<AlgorithmConfig> configs;
    bool by_name = false;
};

Choices choices_of(const CollectiveOptions& options, CollectiveKind kind, const Cluster& cluster) {
    const int per_node = options.inner > 0 ? options.inner : gpus_per_node(cluster);
    Choices choices;
    if (options.algorithm == "auto" || options.algorithm == "all") {
        choices.configs = candidate_algorithms(kind, options.ranks, per_node, wiring_of(cluster));
        if (options.algorithm == "all") {
            choices.configs = one_of_each(kind, choices.configs, per_node);
        }
    } else {
        choices.by_name = true;
        for (const std::string& name : split(options.algorithm, ',')) {
            choices.configs.push_back(config_of(algorithm_of(name, kind), per_node));
        }
    }
    return choices;
}

std::vector<AlgorithmConfig> configs_of(const CollectiveOptions& options, CollectiveKind kind, const Cluster& cluster) {
    std::vector<AlgorithmConfig> configs;
    std::string refused;
    const Choices choices = choices_of(options, kind, cluster);
    for (AlgorithmConfig config : choices.configs) {
        config.channels = options.channels > 0 ? options.channels : config.channels;
        config.pieces = options.pieces > 0 ? options.pieces : config.pieces;
        config.inner =
            choices.by_name && row_of(config.algorithm).nodes == NodeUse::leaves_by_gpu ? options.inner : config.inner;
        try {
            check_algorithm(kind, config, options.ranks);
        } catch (const ProgramError& error) {
            refused = refused.empty() ? error.what() : refused;
            if (choices.by_name) {
                break;
            }
            continue;
        }
        if (std::find(configs.begin(), configs.end(), config) == configs.end()) {
            configs.push_back(config);
        }
    }
    if (configs.empty() || (choices.by_name && !refused.empty())) {
        throw UsageError(refused);
    }
    return configs;
}

}  // namespace

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

bool is_schedule_file(const std::string& algorithm) {
    return algorithm.find_first_of("./") != std::string::npos;
}

void take_schedule(CollectiveOptions& options, search::Sweep& sweep) {
    const std::string& file = options.algorithm;
    if (options.channels > 0 || options.pieces > 0 || options.inner > 0 || options.root >= 0) {
        throw UsageError(fmt::format("--channels, --pieces, --inner and --root are what {} says itself", file));
    }
    try {
        sweep.custom = read_schedule(read_text(file, "a schedule"), file);
    } catch (const ProgramError& error) {
        throw UsageError(error.what());
    }
    const Schedule& schedule = *sweep.custom;
    if (schedule.kind != sweep.what.kind || sweep.what.send_receive) {
        throw UsageError(
            fmt::format("{} is a schedule of {}, not of {}", file, name_of(schedule.kind), sweep.what.name()));
    }
    if (options.ranks > 0 && options.ranks != schedule.members) {
        throw UsageError(fmt::format("{} is a schedule of {} ranks, not {}", file, schedule.members, options.ranks));
    }
    options.ranks = schedule.members;
    options.root = schedule.root;
    sweep.configs = {schedule.config};
}

void take_configs(const CollectiveOptions& options, search::Sweep& sweep) {
    if (sweep.what.send_receive) {
        if (options.algorithm != "auto" || options.channels > 1 || options.pieces > 0 || options.inner > 0) {
            throw UsageError(
                "send-receive is one message from each rank: it has no algorithms, channels, pieces or nodes");
        }
        sweep.configs = {Algorithm::direct};
        return;
    }
    sweep.configs = configs_of(options, sweep.what.kind, sweep.cluster);
    sweep.only_fastest = options.algorithm == "auto";
}

}  // namespace sim::tools
