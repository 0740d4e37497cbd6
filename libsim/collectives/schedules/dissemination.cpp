#include "libsim/collectives/schedules/dissemination.hpp"

#include <bit>

namespace sim {

namespace {

Step round(const Schedule& barrier, int /*channel*/, int member, int number) {
    const int n = barrier.members;
    const int distance = 1 << number;
    return {.to = (member + distance) % n, .send = {0}, .from = (member - distance % n + n) % n, .receive = {0}};
}

}  // namespace

Schedule dissemination_barrier(int members) {
    return {.kind = CollectiveKind::barrier,
            .members = members,
            .steps = static_cast<int>(std::bit_width(static_cast<unsigned>(members - 1))),
            .lock_step = true,
            .at = round};
}

}  // namespace sim
