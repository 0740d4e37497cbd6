// Every collective there is, for tests that must hold for all of them.
#pragma once

#include "libsim/collectives/schedule.hpp"

#include <ostream>

namespace sim::test {

struct AnyCollective {
    CollectiveKind kind = CollectiveKind::barrier;
    Algorithm algorithm = Algorithm::ring;

    bool has_root() const {
        return kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce || kind == CollectiveKind::gather ||
               kind == CollectiveKind::scatter;
    }
    Schedule schedule(int members, int root) const { return schedule_of(kind, algorithm, members, root); }
};

inline std::ostream& operator<<(std::ostream& out, const AnyCollective& any) {
    return out << name_of(any.kind) << " (" << name_of(any.algorithm) << ")";
}

inline constexpr AnyCollective all_collectives[] = {
    {CollectiveKind::barrier},
    {CollectiveKind::broadcast},
    {CollectiveKind::all_gather},
    {CollectiveKind::reduce_scatter},
    {CollectiveKind::all_reduce},
    {CollectiveKind::all_reduce, Algorithm::direct},
    {CollectiveKind::all_reduce, Algorithm::parameter_server},
    {CollectiveKind::reduce},
    {CollectiveKind::gather},
    {CollectiveKind::scatter},
    {CollectiveKind::all_to_all},
};

}  // namespace sim::test
