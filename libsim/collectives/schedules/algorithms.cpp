#include "libsim/collectives/schedules/algorithms.hpp"

#include "libsim/check.hpp"
#include "libsim/collectives/schedules/schedules.hpp"
#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sim::collectives {

namespace {

using enum CollectiveKind;

// Rows are never reordered, because ops carry row numbers. New ones go to the end.
constexpr std::array table{
    AlgorithmRow{.name = "ring",
                 .schedule = ring_schedule,
                 .kinds = {broadcast, all_gather, reduce_scatter, all_reduce, reduce},
                 .default_of = {broadcast, all_gather, reduce_scatter, all_reduce, reduce},
                 .pipelines = {broadcast, reduce},
                 .nodes = NodeUse::leaves_by_gpu},
    AlgorithmRow{.name = "bidirectional-ring",
                 .schedule = bidirectional_ring_schedule,
                 .kinds = {all_gather, reduce_scatter, all_reduce}},
    AlgorithmRow{.name = "binomial-tree",
                 .schedule = binomial_tree_schedule,
                 .kinds = {broadcast, all_reduce, reduce, gather, scatter}},
    AlgorithmRow{.name = "double-binary-tree",
                 .schedule = double_binary_tree_schedule,
                 .kinds = {broadcast, all_reduce, reduce},
                 .pipelines = {broadcast, all_reduce, reduce}},
    AlgorithmRow{.name = "halving-doubling",
                 .schedule = halving_doubling_schedule,
                 .kinds = {all_gather, reduce_scatter, all_reduce}},
    AlgorithmRow{.name = "bruck",
                 .schedule = bruck_schedule,
                 .kinds = {barrier, all_gather, reduce_scatter, all_reduce, all_to_all},
                 .default_of = {barrier},
                 .one_channel = {barrier, all_to_all}},
    AlgorithmRow{.name = "direct",
                 .schedule = direct_schedule,
                 .kinds = {all_gather, reduce_scatter, all_reduce, gather, scatter, all_to_all},
                 .default_of = {gather, scatter, all_to_all},
                 .bursts = {all_gather, reduce_scatter, all_to_all}},
    AlgorithmRow{.name = "hierarchical",
                 .schedule = hierarchical_schedule,
                 .kinds = {broadcast, all_gather, reduce_scatter, all_reduce, reduce},
                 .nodes = NodeUse::levels},
    AlgorithmRow{.name = "parameter-server", .schedule = parameter_server_schedule, .kinds = {all_reduce}},
};

bool is_row(Algorithm algorithm) {
    return static_cast<std::size_t>(algorithm) < table.size();
}

template <class Wanted>
std::vector<Algorithm> rows_that(Wanted wanted) {
    std::vector<Algorithm> found;
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (wanted(table[i])) {
            found.push_back(static_cast<Algorithm>(i));
        }
    }
    return found;
}

std::string names_of(const std::vector<Algorithm>& algorithms, const char* between) {
    std::string names;
    for (const Algorithm algorithm : algorithms) {
        names += fmt::format("{}{}", names.empty() ? "" : between, name_of(algorithm));
    }
    return names;
}

void check_levels(const AlgorithmConfig& config, int members) {
    const char* const name = name_of(config.algorithm);
    if (config.inner < 1 || config.inner > most_inner || config.middle < 0 || config.middle > most_inner) {
        throw ProgramError(
            fmt::format("{0}: inner must be 1 to {1} ranks, and middle 0 to {1} such groups, not {2} and {3}", name,
                        most_inner, config.inner, config.middle));
    }
    const int group = config.inner * std::max(config.middle, 1);
    if (members % group != 0) {
        throw ProgramError(fmt::format("{}: groups of {}{} do not divide {} ranks", name, config.inner,
                                       config.middle > 0 ? fmt::format(" x {}", config.middle) : "", members));
    }
}

void check_nodes(const AlgorithmConfig& config, int members) {
    const char* const name = name_of(config.algorithm);
    const NodeUse use = row_of(config.algorithm).nodes;
    if (use == NodeUse::levels) {
        return check_levels(config, members);
    }
    const auto with_levels = [](const AlgorithmRow& row) { return row.nodes == NodeUse::levels; };
    if (use == NodeUse::none && (config.inner != 0 || config.middle != 0)) {
        const auto with_nodes = [](const AlgorithmRow& row) { return row.nodes != NodeUse::none; };
        throw ProgramError(fmt::format("{} has no levels: inner is for {}, middle for {}", name,
                                       names_of(rows_that(with_nodes), " and "),
                                       names_of(rows_that(with_levels), " and ")));
    }
    if (config.middle != 0) {
        throw ProgramError(
            fmt::format("{} has no levels: middle is for {}", name, names_of(rows_that(with_levels), " and ")));
    }
    if (config.inner < 0 || config.inner > most_inner) {
        throw ProgramError(fmt::format("{}: inner must be 0 to {} ranks, not {}", name, most_inner, config.inner));
    }
    if (config.inner != 0 && members % config.inner != 0) {
        throw ProgramError(fmt::format("{}: nodes of {} do not divide {} ranks", name, config.inner, members));
    }
}

}  // namespace

const char* name_of(Algorithm algorithm) {
    return is_row(algorithm) ? row_of(algorithm).name : "?";
}

std::optional<Algorithm> algorithm_named(std::string_view name) {
    const auto found = rows_that([name](const AlgorithmRow& row) { return row.name == name; });
    return found.empty() ? std::nullopt : std::optional(found.front());
}

const AlgorithmRow& row_of(Algorithm algorithm) {
    check(is_row(algorithm), "there is no algorithm {}", static_cast<int>(algorithm));
    return table[static_cast<std::size_t>(algorithm)];
}

std::vector<Algorithm> all_algorithms() {
    return rows_that([](const AlgorithmRow&) { return true; });
}

Algorithm default_algorithm(CollectiveKind kind) {
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (table[i].default_of.contains(kind)) {
            return static_cast<Algorithm>(i);
        }
    }
    check(false, "{} has no default algorithm", name_of(kind));
    return {};
}

bool has_algorithm(CollectiveKind kind, Algorithm algorithm) {
    return is_row(algorithm) && row_of(algorithm).kinds.contains(kind);
}

std::vector<Algorithm> algorithms_of(CollectiveKind kind) {
    return rows_that([kind](const AlgorithmRow& row) { return row.kinds.contains(kind); });
}

void check_algorithm(CollectiveKind kind, const AlgorithmConfig& config, int members) {
    const Algorithm algorithm = config.algorithm;
    if (!has_algorithm(kind, algorithm)) {
        throw ProgramError(fmt::format("{} has no algorithm {}; it has {}", name_of(kind), name_of(algorithm),
                                       names_of(algorithms_of(kind), ", ")));
    }
    const AlgorithmRow& row = row_of(algorithm);
    if (config == AlgorithmConfig(algorithm) && row.nodes != NodeUse::levels) {
        return;
    }
    if (config.channels < 1 || config.channels > most_channels) {
        throw ProgramError(
            fmt::format("a collective must have 1 to {} channels, not {}", most_channels, config.channels));
    }
    if (config.channels > 1 && row.one_channel.contains(kind)) {
        throw ProgramError(
            fmt::format("{} by {} must have one channel, not {}", name_of(kind), row.name, config.channels));
    }
    if (config.pieces < 0 || config.pieces > most_pieces) {
        throw ProgramError(fmt::format("a pipeline must have at most {} pieces, not {}", most_pieces, config.pieces));
    }
    if (config.pieces > 0 && !row.pipelines.contains(kind)) {
        throw ProgramError(fmt::format("{} by {} is not a pipeline: it takes no pieces", name_of(kind), row.name));
    }
    check_nodes(config, members);
}

std::vector<AlgorithmConfig> candidate_algorithms(CollectiveKind kind, int members, int ranks_per_node, Wiring wiring) {
    const bool two_levels = ranks_per_node > 1 && ranks_per_node < members && members % ranks_per_node == 0;
    std::vector<AlgorithmConfig> all;
    for (const Algorithm algorithm : algorithms_of(kind)) {
        const AlgorithmRow& row = row_of(algorithm);
        if (row.nodes == NodeUse::levels) {
            if (two_levels && ranks_per_node <= most_inner) {
                all.emplace_back(algorithm, AlgorithmParameters{.inner = ranks_per_node});
            }
            continue;
        }
        all.emplace_back(algorithm);
        const bool pipeline = row.pipelines.contains(kind);
        if (row.nodes == NodeUse::leaves_by_gpu && !pipeline && wiring == Wiring::rails && two_levels &&
            ranks_per_node <= most_channels) {
            all.emplace_back(algorithm, AlgorithmParameters{.channels = ranks_per_node, .inner = ranks_per_node});
        }
        if (row.bursts.contains(kind) && wiring != Wiring::private_links && members > 2 && members <= 256) {
            all.emplace_back(algorithm, AlgorithmParameters{.channels = std::min(members - 1, most_channels)});
        }
        for (const int pieces : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
            if (pipeline) {
                all.emplace_back(algorithm, AlgorithmParameters{.pieces = pieces});
            }
        }
    }
    return all;
}

std::string text_of(const AlgorithmConfig& config) {
    std::string text = name_of(config.algorithm);
    const auto add = [&text](const char* format, int value, int unsaid) {
        if (value != unsaid) {
            text += fmt::format(fmt::runtime(format), value);
        }
    };
    add(", {} channels", config.channels, 1);
    add(", {} pieces", config.pieces, 0);
    add(", inner {}", config.inner, 0);
    add(", middle {}", config.middle, 0);
    return text;
}

Schedule schedule_of(CollectiveKind kind, const AlgorithmConfig& config, int members, int root) {
    check(members >= 1 && root >= 0 && root < members, "a schedule of {} members has root {}", members, root);
    check_algorithm(kind, config, members);
    Schedule schedule = row_of(config.algorithm).schedule({kind, config, members, needs_root(kind) ? root : 0});
    schedule.kind = kind;
    schedule.config = config;
    return schedule;
}

Schedule schedule_of(const Op& op, const Group& group) {
    const int root = op.peer < 0 ? 0 : group.index_of(op.peer);
    return schedule_of(collective_word(op).kind, algorithm_of(op), group.size(), root);
}

Schedule split_over(Schedule schedule, int channels) {
    schedule.channels = channels;
    schedule.chunks *= channels;
    schedule.parts = channels;
    schedule.channel_work = channels > 1 ? ChannelWork::own_part : ChannelWork::own_steps;
    return schedule;
}

// The part of a whole block is one chunk, so the same part of consecutive blocks is as many chunks apart as there are
// channels.
Step Schedule::part_of(Step step, int channel) const {
    for (ChunkSet* const set : {&step.send, &step.receive}) {
        if (set->first < 0) {
            continue;
        }
        check(set->run == 1 || set->run == set->span, "a set of {} of every {} blocks has no parts", set->run,
              set->period);
        const int period = set->run == 1 ? set->period : 1;
        *set = {set->first * channels + channel, 1, period * channels, set->span * channels};
    }
    return step;
}

}  // namespace sim::collectives
