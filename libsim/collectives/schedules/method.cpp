#include "libsim/collectives/schedules/method.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sim {

namespace {

using enum Algorithm;

bool is_pipeline(CollectiveKind kind, Algorithm algorithm) {
    const bool from_or_to_root = kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce;
    return algorithm == double_binary_tree || (algorithm == ring && from_or_to_root);
}

bool has_channels(CollectiveKind kind, Algorithm algorithm) {
    return kind != CollectiveKind::barrier && !(kind == CollectiveKind::all_to_all && algorithm == bruck);
}

void check_levels(const Method& method, int members) {
    if (method.inner < 1 || method.inner > most_inner || method.middle < 0 || method.middle > most_inner) {
        throw ProgramError(
            fmt::format("hierarchical: inner must be 1 to {0} ranks, and middle 0 to {0} such groups, not {1} and {2}",
                        most_inner, method.inner, method.middle));
    }
    const int group = method.inner * std::max(method.middle, 1);
    if (members % group != 0) {
        throw ProgramError(fmt::format("hierarchical: groups of {}{} do not divide {} ranks", method.inner,
                                       method.middle > 0 ? fmt::format(" x {}", method.middle) : "", members));
    }
}

void check_nodes(const Method& method, int members) {
    if (method.inner < 0 || method.inner > most_inner) {
        throw ProgramError(fmt::format("ring: inner must be 0 to {} ranks, not {}", most_inner, method.inner));
    }
    if (members % method.inner != 0) {
        throw ProgramError(fmt::format("ring: nodes of {} do not divide {} ranks", method.inner, members));
    }
}

}  // namespace

Algorithm default_algorithm(CollectiveKind kind) {
    switch (kind) {
        case CollectiveKind::barrier: return bruck;
        case CollectiveKind::gather:
        case CollectiveKind::scatter:
        case CollectiveKind::all_to_all: return direct;
        default: return ring;
    }
}

std::vector<Algorithm> algorithms_of(CollectiveKind kind) {
    std::vector<Algorithm> all;
    for (const Algorithm algorithm : all_algorithms()) {
        if (has_algorithm(kind, algorithm)) {
            all.push_back(algorithm);
        }
    }
    return all;
}

const std::vector<Algorithm>& all_algorithms() {
    static const std::vector<Algorithm> all{
        ring,   bidirectional_ring, binomial_tree,   double_binary_tree, halving_doubling, bruck,
        direct, hierarchical,       parameter_server};
    return all;
}

void check_method(CollectiveKind kind, const Method& method, int members) {
    const Algorithm algorithm = method.algorithm;
    if (!has_algorithm(kind, algorithm)) {
        std::string names;
        for (const Algorithm other : algorithms_of(kind)) {
            names += fmt::format("{}{}", names.empty() ? "" : ", ", name_of(other));
        }
        throw ProgramError(fmt::format("{} has no algorithm {}; it has {}", name_of(kind), name_of(algorithm), names));
    }
    if (method == Method(algorithm) && algorithm != hierarchical) {
        return;
    }
    if (method.channels < 1 || method.channels > most_channels) {
        throw ProgramError(
            fmt::format("a collective must have 1 to {} channels, not {}", most_channels, method.channels));
    }
    if (method.channels > 1 && !has_channels(kind, algorithm)) {
        throw ProgramError(
            fmt::format("{} by {} must have one channel, not {}", name_of(kind), name_of(algorithm), method.channels));
    }
    if (method.pieces < 0 || method.pieces > most_pieces) {
        throw ProgramError(fmt::format("a pipeline must have at most {} pieces, not {}", most_pieces, method.pieces));
    }
    if (method.pieces > 0 && !is_pipeline(kind, algorithm)) {
        throw ProgramError(
            fmt::format("{} by {} is not a pipeline: it takes no pieces", name_of(kind), name_of(algorithm)));
    }
    if (algorithm == hierarchical) {
        check_levels(method, members);
    } else if (method.middle != 0 || (method.inner != 0 && algorithm != ring)) {
        throw ProgramError(fmt::format("{} has no levels: {}", name_of(algorithm),
                                       algorithm == ring
                                           ? "middle is for hierarchical"
                                           : "inner is for ring and hierarchical, middle for the latter"));
    } else if (method.inner != 0) {
        check_nodes(method, members);
    }
}

std::vector<Method> methods_for(CollectiveKind kind, int members, int ranks_per_node, Wiring wiring) {
    const bool two_levels = ranks_per_node > 1 && ranks_per_node < members && members % ranks_per_node == 0;
    std::vector<Method> all;
    for (const Algorithm algorithm : algorithms_of(kind)) {
        if (algorithm == hierarchical) {
            if (two_levels && ranks_per_node <= most_inner) {
                all.emplace_back(hierarchical, MethodOptions{.inner = ranks_per_node});
            }
            continue;
        }
        all.emplace_back(algorithm);
        if (algorithm == ring && !is_pipeline(kind, ring) && wiring == Wiring::rails && two_levels &&
            ranks_per_node <= most_channels) {
            all.emplace_back(ring, MethodOptions{.channels = ranks_per_node, .inner = ranks_per_node});
        }
        const bool exchanges = kind == CollectiveKind::all_to_all || kind == CollectiveKind::all_gather ||
                               kind == CollectiveKind::reduce_scatter;
        if (algorithm == direct && exchanges && wiring != Wiring::private_links && members > 2 && members <= 256) {
            all.emplace_back(direct, MethodOptions{.channels = std::min(members - 1, most_channels)});
        }
        for (const int pieces : {1, 2, 4, 8, 16, 32, 64, 128, 255}) {
            if (is_pipeline(kind, algorithm)) {
                all.emplace_back(algorithm, MethodOptions{.pieces = pieces});
            }
        }
    }
    return all;
}

std::string text_of(const Method& method) {
    std::string text = name_of(method.algorithm);
    const auto add = [&text](const char* format, int value, int unsaid) {
        if (value != unsaid) {
            text += fmt::format(fmt::runtime(format), value);
        }
    };
    add(", {} channels", method.channels, 1);
    add(", {} pieces", method.pieces, 0);
    add(", inner {}", method.inner, 0);
    add(", middle {}", method.middle, 0);
    return text;
}

std::int32_t packed(const MethodOptions& options) {
    const auto bits = [](int value, unsigned shift) { return static_cast<std::uint32_t>(value) << shift; };
    return static_cast<std::int32_t>(bits(options.channels - 1, 0) | bits(options.pieces, 6) | bits(options.inner, 14) |
                                     bits(options.middle, 23));
}

Method method_of(const Op& op) {
    const auto word = static_cast<std::uint32_t>(op.tag);
    const auto field = [word](unsigned shift, unsigned bits) {
        return static_cast<int>(word >> shift & ((1U << bits) - 1));
    };
    return {collective_word(op).algorithm,
            {.channels = 1 + field(0, 6), .pieces = field(6, 8), .inner = field(14, 9), .middle = field(23, 9)}};
}

}  // namespace sim
