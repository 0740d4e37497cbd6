// Every collective there is, for tests that must hold for all of them.
#pragma once

#include "libsim/collectives/schedule.hpp"

#include <ostream>

namespace sim::test {

struct AnyCollective {
    CollectiveKind kind = CollectiveKind::barrier;
    Method method = default_algorithm(kind);

    bool has_root() const { return needs_root(kind); }
    Schedule schedule(int members, int root) const { return schedule_of(kind, method, members, root); }
};

inline std::ostream& operator<<(std::ostream& out, const AnyCollective& any) {
    return out << name_of(any.kind) << " (" << text_of(any.method) << ")";
}

inline const AnyCollective all_collectives[] = {
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
