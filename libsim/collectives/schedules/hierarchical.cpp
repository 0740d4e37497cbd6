// The hierarchical algorithm communicates first within nodes, where links are fast, and sends only the remainder
// between nodes.
//
// Groups of `inner` members form nodes and, with three levels, `middle` nodes form a pod; the levels have g, m and h =
// n/(g m) places, m = 1 for two levels. Member i is at place i mod g of its node. On each level, the members with equal
// places on the other levels form a ring (broadcast and reduce: a binomial tree).
// Cost on a uniform network, n members, S bytes, L latency (both ends together), B bandwidth, c = ceil(S/n); on a
// network of several levels each term has its own L and B:
//   reduce-scatter, all-gather   (g-1) (L + n/g c / B) + (m-1) (L + n/(g m) c / B) + (h-1) (L + c / B)
//   all-reduce                 2 ((g-1) (L + n/g c / B) + (m-1) (L + n/(g m) c / B) + (h-1) (L + c / B))
//   broadcast  R (l + S/B) + r a  with R the sum of ceil(log2 ·), r of floor(log2 ·) of h, m and g; l paid by a send, a
//              by a receive, L = l + a; reduce  r (l + S/B) + R a, at its root                  powers of two: both the
//              same
// Sent by each: (n-1) c, or 2 (n-1) c, as in a ring, of which (h-1) c, or 2 (h-1) c, leave the pod, in h-1 steps.
// It suits many nodes: the latency between them depends on the number of nodes, not of ranks.
// Source: Goyal et al., Accurate, large minibatch SGD (2017), section 4; Mikami et al., Massively distributed SGD
// (2018): rings in two dimensions.
#include "libsim/collectives/schedules/schedules.hpp"

#include <algorithm>
#include <array>

namespace sim::collectives {

namespace {

constexpr int most_levels = 3;

// The number of places on one level, and the distance to the next.
struct Level {
    int places;
    int stride;

    int place_of(int member) const { return member / stride % places; }
    int at(int member, int place) const { return member + (place - place_of(member)) * stride; }
};

std::array<Level, most_levels> levels_of(const Schedule& schedule) {
    const int inner = schedule.config.inner;
    const int middle = std::max(schedule.config.middle, 1);
    return {Level{inner, 1}, Level{middle, inner}, Level{schedule.members / (inner * middle), inner * middle}};
}

// The blocks of owners that agree with the member on the levels below this one and are at `place` on it.
ChunkSet blocks_of(const Level& level, const Schedule& schedule, int member, int place) {
    return {member % level.stride + place * level.stride, 1, level.stride * level.places, schedule.members};
}

Step ring_of_level(const Level& level, const Schedule& schedule, CollectiveKind kind, int member, int number) {
    const Step ring = ring_step(kind, level.places, level.place_of(member), number);
    return {.to = level.at(member, ring.to),
            .send = blocks_of(level, schedule, member, ring.send.first),
            .from = level.at(member, ring.from),
            .receive = blocks_of(level, schedule, member, ring.receive.first),
            .reduce = ring.reduce};
}

Step hierarchical_reduce_scatter_step(const Schedule& schedule, int /*channel*/, int member, int number) {
    for (const Level& level : levels_of(schedule)) {
        if (number < level.places - 1) {
            return ring_of_level(level, schedule, CollectiveKind::reduce_scatter, member, number);
        }
        number -= level.places - 1;
    }
    return {};
}

Step hierarchical_all_gather_step(const Schedule& schedule, int /*channel*/, int member, int number) {
    const std::array<Level, most_levels> levels = levels_of(schedule);
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
        if (number < level->places - 1) {
            return ring_of_level(*level, schedule, CollectiveKind::all_gather, member, number);
        }
        number -= level->places - 1;
    }
    return {};
}

Step hierarchical_all_reduce_step(const Schedule& schedule, int channel, int member, int number) {
    const int half = schedule.steps / 2;
    return number < half ? hierarchical_reduce_scatter_step(schedule, channel, member, number)
                         : hierarchical_all_gather_step(schedule, channel, member, number - half);
}

// Within one level, among members that agree with the root on all levels below; `peers` are distances from the root.
Step tree_of_level(const Level& level, const Schedule& schedule, int member, const Peers& peers, bool reduce) {
    const auto member_at = [&](int distance) {
        return distance < 0 ? -1 : level.at(member, (level.place_of(schedule.root) + distance) % level.places);
    };
    Step step{.to = member_at(peers.to), .from = member_at(peers.from), .reduce = reduce};
    step.send.first = step.to < 0 ? -1 : 0;
    step.receive.first = step.from < 0 ? -1 : 0;
    return step;
}

int distance_in(const Level& level, const Schedule& schedule, int member) {
    return (level.place_of(member) - level.place_of(schedule.root) + level.places) % level.places;
}

bool is_like_root_below(const Level& level, const Schedule& schedule, int member) {
    return member % level.stride == schedule.root % level.stride;
}

Step hierarchical_broadcast_step(const Schedule& schedule, int /*channel*/, int member, int number) {
    const std::array<Level, most_levels> levels = levels_of(schedule);
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
        const int rounds = binomial_rounds(level->places);
        if (number < rounds) {
            const int distance = distance_in(*level, schedule, member);
            return is_like_root_below(*level, schedule, member)
                       ? tree_of_level(*level, schedule, member,
                                       binomial_away_from_root(level->places, distance, number), false)
                       : Step{};
        }
        number -= rounds;
    }
    return {};
}

Step hierarchical_reduce_step(const Schedule& schedule, int /*channel*/, int member, int number) {
    for (const Level& level : levels_of(schedule)) {
        const int rounds = binomial_rounds(level.places);
        if (number < rounds) {
            const int distance = distance_in(level, schedule, member);
            return is_like_root_below(level, schedule, member)
                       ? tree_of_level(level, schedule, member, binomial_towards_root(level.places, distance, number),
                                       true)
                       : Step{};
        }
        number -= rounds;
    }
    return {};
}

Schedule empty(const ScheduleRequest& request) {
    return {.kind = request.kind, .members = request.members, .root = request.root, .config = request.config};
}

Schedule of_rings(const ScheduleRequest& request, int halves, Step (*at)(const Schedule&, int, int, int)) {
    Schedule schedule = empty(request);
    for (const Level& level : levels_of(schedule)) {
        schedule.steps += halves * (level.places - 1);
    }
    schedule.chunks = schedule.members;
    schedule.messages = MessageLength::several_chunks;
    schedule.synchrony = Synchrony::lock_step;
    schedule.at = at;
    return split_over(schedule, request.config.channels);
}

Schedule of_trees(const ScheduleRequest& request, Step (*at)(const Schedule&, int, int, int)) {
    Schedule schedule = empty(request);
    for (const Level& level : levels_of(schedule)) {
        schedule.steps += binomial_rounds(level.places);
    }
    schedule.at = at;
    return split_over(schedule, request.config.channels);
}

}  // namespace

Schedule hierarchical_schedule(const ScheduleRequest& request) {
    switch (request.kind) {
        case CollectiveKind::reduce_scatter: return of_rings(request, 1, hierarchical_reduce_scatter_step);
        case CollectiveKind::all_gather: return of_rings(request, 1, hierarchical_all_gather_step);
        case CollectiveKind::broadcast: return of_trees(request, hierarchical_broadcast_step);
        case CollectiveKind::reduce: return of_trees(request, hierarchical_reduce_step);
        default: return of_rings(request, 2, hierarchical_all_reduce_step);
    }
}

}  // namespace sim::collectives
