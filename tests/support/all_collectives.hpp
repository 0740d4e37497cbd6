// Every collective by every algorithm, and in several parts, for tests that must hold for all of them.
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/collectives/schedules/algorithms.hpp"
#include "libsim/error.hpp"

#include <ostream>
#include <vector>

namespace sim::test {

struct AnyCollective {
    CollectiveKind kind = CollectiveKind::barrier;
    AlgorithmConfig config = default_algorithm(kind);

    bool has_root() const { return needs_root(kind); }
    bool fits(int members) const {
        try {
            check_algorithm(kind, config, members);
            return true;
        } catch (const ProgramError&) {
            return false;
        }
    }
    // Requires: fits(members).
    Schedule schedule(int members, int root) const { return schedule_of(kind, config, members, root); }
};

inline std::ostream& operator<<(std::ostream& out, const AnyCollective& any) {
    return out << name_of(any.kind) << " (" << text_of(any.config) << ")";
}

// With 1 and 3 channels and, for pipelines, 1 and 5 pieces; node-aware algorithms fit only some numbers of members.
inline std::vector<AnyCollective> all_collectives() {
    std::vector<AnyCollective> all;
    const auto add = [&all](CollectiveKind kind, Algorithm algorithm, const AlgorithmParameters& options, int members) {
        const AnyCollective any{kind, {algorithm, options}};
        if (any.fits(members)) {
            all.push_back(any);
        }
    };
    for (int number = 0; number <= static_cast<int>(CollectiveKind::all_to_all); ++number) {
        const auto kind = static_cast<CollectiveKind>(number);
        for (const Algorithm algorithm : algorithms_of(kind)) {
            add(kind, algorithm, {}, 1);
            add(kind, algorithm, {.channels = 3}, 1);
            add(kind, algorithm, {.pieces = 1}, 1);
            add(kind, algorithm, {.channels = 2, .pieces = 5}, 1);
            add(kind, algorithm, {.inner = 1}, 1);
            add(kind, algorithm, {.inner = 2}, 2);
            add(kind, algorithm, {.channels = 2, .inner = 3}, 3);
            add(kind, algorithm, {.channels = 5, .inner = 4}, 4);
            add(kind, algorithm, {.inner = 2, .middle = 2}, 4);
            add(kind, algorithm, {.inner = 4, .middle = 3}, 12);
        }
    }
    return all;
}

}  // namespace sim::test
