#include "libsim/collectives/readers/ring_of.hpp"

namespace sim {

std::vector<int> ring_of(const Schedule& schedule, int channel) {
    const Algorithm algorithm = schedule.method.algorithm;
    const bool is_ring = algorithm == Algorithm::ring || algorithm == Algorithm::bidirectional_ring;
    if (!is_ring || !schedule.lock_step || !schedule.one_chunk || !schedule.same_step || schedule.steps == 0) {
        return {};
    }
    std::vector<int> order;
    int member = 0;
    do {
        order.push_back(member);
        const int to = schedule.step(channel, member, 0).to;
        if (to != schedule.step(channel, member, schedule.steps - 1).to) {
            return {};
        }
        member = to;
    } while (member != 0 && static_cast<int>(order.size()) < schedule.members);
    return member == 0 && static_cast<int>(order.size()) == schedule.members ? order : std::vector<int>{};
}

}  // namespace sim
