#include "libsim/check.hpp"
#include "libsim/collectives/schedules/dissemination.hpp"
#include "libsim/collectives/schedules/ring.hpp"

namespace sim {

Schedule schedule_of(CollectiveKind kind, int members, int root) {
    check(members >= 1 && root >= 0 && root < members, "a schedule of {} members has root {}", members, root);
    switch (kind) {
        case CollectiveKind::barrier: return dissemination_barrier(members);
        case CollectiveKind::broadcast: return ring_broadcast(members, root);
        case CollectiveKind::all_gather: return ring_all_gather(members);
        case CollectiveKind::reduce_scatter: return ring_reduce_scatter(members);
        case CollectiveKind::all_reduce: return ring_all_reduce(members);
        case CollectiveKind::reduce:
        case CollectiveKind::gather:
        case CollectiveKind::scatter:
        case CollectiveKind::all_to_all: break;
    }
    check(false, "collective kind {} has no schedule", static_cast<int>(kind));
    return {};
}

}  // namespace sim
