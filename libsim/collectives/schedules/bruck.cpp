#include "libsim/collectives/schedules/bruck.hpp"

#include <algorithm>
#include <bit>

namespace sim {

namespace {

int rounds_of(int members) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(members - 1)));
}

int around(int member, int members) {
    return (member % members + members) % members;
}

// After k rounds member i has the 2^k blocks from its own on, and hands them to the one 2^k before it.
Step all_gather_step(const Schedule& bruck, int /*channel*/, int member, int round) {
    const int n = bruck.members;
    const int distance = 1 << round;
    const int count = std::min(distance, n - distance);
    const int after = around(member + distance, n);
    return {.to = around(member - distance, n),
            .send = chunks_in_a_row(member, count),
            .from = after,
            .receive = chunks_in_a_row(after, count)};
}

// The same backwards: what was a copy to many becomes a sum from many.
Step reduce_scatter_step(const Schedule& bruck, int channel, int member, int number) {
    const Step copy = all_gather_step(bruck, channel, member, rounds_of(bruck.members) - 1 - number);
    return {.to = copy.from, .send = copy.receive, .from = copy.to, .receive = copy.send, .reduce = true};
}

Step all_reduce_step(const Schedule& bruck, int channel, int member, int number) {
    const int half = rounds_of(bruck.members);
    return number < half ? reduce_scatter_step(bruck, channel, member, number)
                         : all_gather_step(bruck, channel, member, number - half);
}

// What has d to go is d blocks further on than the member that holds it, now and when it has come one round further.
Step all_to_all_step(const Schedule& bruck, int /*channel*/, int member, int round) {
    const int n = bruck.members;
    const int distance = 1 << round;
    const int after = around(member + distance, n);
    const ChunkSet with_bit{after, distance, 2 * distance, n - distance};
    return {.to = after, .send = with_bit, .from = around(member - distance, n), .receive = with_bit};
}

Schedule bruck(CollectiveKind kind, int members, int halves, Step (*at)(const Schedule&, int, int, int)) {
    return {.kind = kind,
            .members = members,
            .steps = halves * rounds_of(members),
            .chunks = members,
            .one_chunk = false,
            .lock_step = true,
            .at = at};
}

}  // namespace

Schedule bruck_all_gather(int members, int channels) {
    return split_over(bruck(CollectiveKind::all_gather, members, 1, all_gather_step), channels);
}

Schedule bruck_reduce_scatter(int members, int channels) {
    return split_over(bruck(CollectiveKind::reduce_scatter, members, 1, reduce_scatter_step), channels);
}

Schedule bruck_all_reduce(int members, int channels) {
    return split_over(bruck(CollectiveKind::all_reduce, members, 2, all_reduce_step), channels);
}

Schedule bruck_all_to_all(int members) {
    Schedule schedule = bruck(CollectiveKind::all_to_all, members, 1, all_to_all_step);
    schedule.mirrored = true;
    return schedule;
}

}  // namespace sim
