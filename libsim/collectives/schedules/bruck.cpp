#include "libsim/collectives/schedules/bruck.hpp"

#include <algorithm>
#include <bit>

namespace sim::collectives {

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

// In round k every member tells the one 2^k further on that it has come.
Step barrier_step(const Schedule& bruck, int /*channel*/, int member, int round) {
    const int n = bruck.members;
    const int distance = 1 << round;
    return {.to = around(member + distance, n), .send = {0}, .from = around(member - distance, n), .receive = {0}};
}

Schedule pattern(const ScheduleRequest& request, int halves, Step (*at)(const Schedule&, int, int, int)) {
    return {.kind = request.kind,
            .members = request.members,
            .steps = halves * rounds_of(request.members),
            .chunks = request.members,
            .synchrony = Synchrony::lock_step,
            .messages = MessageLength::several_chunks,
            .at = at};
}

Schedule barrier(const ScheduleRequest& request) {
    Schedule schedule = pattern(request, 1, barrier_step);
    schedule.chunks = 1;
    schedule.messages = MessageLength::one_chunk;
    return schedule;
}

Schedule all_to_all(const ScheduleRequest& request) {
    Schedule schedule = pattern(request, 1, all_to_all_step);
    schedule.result = BlockOrder::mirrored;
    return schedule;
}

}  // namespace

Schedule bruck_schedule(const ScheduleRequest& request) {
    const auto over_channels = [&](const Schedule& schedule) { return split_over(schedule, request.config.channels); };
    switch (request.kind) {
        case CollectiveKind::barrier: return barrier(request);
        case CollectiveKind::all_gather: return over_channels(pattern(request, 1, all_gather_step));
        case CollectiveKind::reduce_scatter: return over_channels(pattern(request, 1, reduce_scatter_step));
        case CollectiveKind::all_to_all: return all_to_all(request);
        default: return over_channels(pattern(request, 2, all_reduce_step));
    }
}

}  // namespace sim::collectives
