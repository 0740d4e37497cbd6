#include "tools/ndsim/collective_methods.hpp"

#include "libsim/collectives/schedules/custom_schedule.hpp"
#include "libsim/config/errors.hpp"
#include "libsim/config/text_file.hpp"
#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/network/rails.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::scenarios {

namespace {

int gpus_per_node(const Cluster& cluster) {
    const auto* shared = std::get_if<FairShare>(&cluster.network);
    return shared != nullptr ? shared->topology->gpus_per_node() : ranks_per_node(cluster);
}

Wiring wiring_of(const Cluster& cluster) {
    const auto* shared = std::get_if<FairShare>(&cluster.network);
    return shared == nullptr              ? Wiring::private_links
           : has_rails(*shared->topology) ? Wiring::rails
                                          : Wiring::shared_links;
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

// Of what is worth trying, pipelines in their own length.
std::vector<Method> one_of_each(CollectiveKind kind, const std::vector<Method>& worth_trying, int per_node) {
    std::vector<Method> methods;
    for (const Algorithm algorithm : algorithms_of(kind)) {
        methods.push_back(method_of(algorithm, per_node));
        for (const Method& method : worth_trying) {
            if (method.algorithm == algorithm && method.pieces == 0) {
                methods.push_back(method);
            }
        }
    }
    return methods;
}

// What was typed: names, or all there are. In the latter case those that do not fit are left out.
struct Choices {
    std::vector<Method> methods;
    bool by_name = false;
};

Choices choices_of(const CollectiveOptions& options, CollectiveKind kind, const Cluster& cluster) {
    const int per_node = options.inner > 0 ? options.inner : gpus_per_node(cluster);
    Choices choices;
    if (options.algorithm == "auto" || options.algorithm == "all") {
        choices.methods = methods_for(kind, options.ranks, per_node, wiring_of(cluster));
        if (options.algorithm == "all") {
            choices.methods = one_of_each(kind, choices.methods, per_node);
        }
    } else {
        choices.by_name = true;
        for (const std::string& name : parts_of(options.algorithm)) {
            choices.methods.push_back(method_of(algorithm_named(name, kind), per_node));
        }
    }
    return choices;
}

std::vector<Method> methods_of(const CollectiveOptions& options, CollectiveKind kind, const Cluster& cluster) {
    std::vector<Method> methods;
    std::string refused;
    const Choices choices = choices_of(options, kind, cluster);
    for (Method method : choices.methods) {
        method.channels = options.channels > 0 ? options.channels : method.channels;
        method.pieces = options.pieces > 0 ? options.pieces : method.pieces;
        method.inner = choices.by_name && method.algorithm == Algorithm::ring ? options.inner : method.inner;
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

void take_schedule(CollectiveOptions& options, Sweep& sweep) {
    const std::string& file = options.algorithm;
    if (options.channels > 0 || options.pieces > 0 || options.inner > 0) {
        throw UsageError(fmt::format("--channels, --pieces and --inner are what {} says itself", file));
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
    sweep.methods = {schedule.method};
}

void take_methods(const CollectiveOptions& options, Sweep& sweep) {
    if (sweep.what.send_receive) {
        if (options.algorithm != "auto" || options.channels > 1 || options.pieces > 0 || options.inner > 0) {
            throw UsageError(
                "send-receive is one message from each rank: it has no algorithms, channels, pieces or nodes");
        }
        sweep.methods = {Algorithm::direct};
        return;
    }
    sweep.methods = methods_of(options, sweep.what.kind, sweep.cluster);
    sweep.only_fastest = options.algorithm == "auto";
}

}  // namespace sim::scenarios
