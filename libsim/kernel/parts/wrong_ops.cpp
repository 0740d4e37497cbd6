#include "libsim/kernel/parts/wrong_ops.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sim::kernel {

std::vector<WrongOp> ops_of(const ProgramError& error) {
    if (const auto* deadlock = dynamic_cast<const Deadlock*>(&error)) {
        return deadlock->ops;
    }
    const auto* mismatch = dynamic_cast<const Mismatch*>(&error);
    return mismatch != nullptr ? mismatch->ops : std::vector<WrongOp>{};
}

std::string lines_of(const std::vector<WrongOp>& ranks) {
    std::string text;
    for (std::size_t i = 0; i < std::min(ranks.size(), most_wrong_ops_listed); ++i) {
        text +=
            fmt::format("\n  rank {}, op {}: {}   {}", ranks[i].rank, ranks[i].op_number, ranks[i].what, ranks[i].why);
    }
    if (ranks.size() > most_wrong_ops_listed) {
        text += fmt::format("\n  … and {} ranks more", ranks.size() - most_wrong_ops_listed);
    }
    return text;
}

// Follows from each rank the one it waits for; a path that meets itself is a cycle.
std::vector<int> cycle_of(std::span<const WrongOp> waiting) {
    struct Step {
        int next = -1;
        int seen_from = -1;
    };
    std::map<int, Step> steps;
    for (const WrongOp& op : waiting) {
        steps[op.rank].next = op.waits_for;
    }
    for (const WrongOp& start : waiting) {
        int at = start.rank;
        while (steps.contains(at) && steps.at(at).seen_from < 0) {
            steps.at(at).seen_from = start.rank;
            at = steps.at(at).next;
        }
        if (!steps.contains(at) || steps.at(at).seen_from != start.rank) {
            continue;
        }
        std::vector<int> cycle{at};
        for (int rank = steps.at(at).next; rank != at; rank = steps.at(rank).next) {
            cycle.push_back(rank);
        }
        cycle.push_back(at);
        return cycle;
    }
    return {};
}

}  // namespace sim::kernel
