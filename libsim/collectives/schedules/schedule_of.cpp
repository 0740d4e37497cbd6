#include "libsim/check.hpp"
#include "libsim/collectives/schedules/direct.hpp"
#include "libsim/collectives/schedules/dissemination.hpp"
#include "libsim/collectives/schedules/parameter_server.hpp"
#include "libsim/collectives/schedules/ring.hpp"

namespace sim {

namespace {

Schedule all_reduce_of(Algorithm algorithm, int members) {
    switch (algorithm) {
        case Algorithm::ring: return ring_all_reduce(members);
        case Algorithm::direct: return direct_all_reduce(members);
        case Algorithm::parameter_server: return parameter_server_all_reduce(members);
    }
    check(false, "all-reduce algorithm {} has no schedule", static_cast<int>(algorithm));
    return {};
}

}  // namespace

Schedule schedule_of(CollectiveKind kind, Algorithm algorithm, int members, int root) {
    check(members >= 1 && root >= 0 && root < members, "a schedule of {} members has root {}", members, root);
    switch (kind) {
        case CollectiveKind::barrier: return dissemination_barrier(members);
        case CollectiveKind::broadcast: return ring_broadcast(members, root);
        case CollectiveKind::all_gather: return ring_all_gather(members);
        case CollectiveKind::reduce_scatter: return ring_reduce_scatter(members);
        case CollectiveKind::all_reduce: return all_reduce_of(algorithm, members);
        case CollectiveKind::reduce: return ring_reduce(members, root);
        case CollectiveKind::gather: return direct_gather(members, root);
        case CollectiveKind::scatter: return direct_scatter(members, root);
        case CollectiveKind::all_to_all: return direct_all_to_all(members);
    }
    check(false, "collective kind {} has no schedule", static_cast<int>(kind));
    return {};
}

}  // namespace sim
