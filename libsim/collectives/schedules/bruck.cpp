// In round k of Bruck's patterns every member communicates with the member 2^k places after it, for any number of
// members.
//
// Cost on a uniform network, n members, S bytes, L latency (both ends together), B bandwidth, c = ceil(S/n),
// R = ceil(log2 n), b(k) the number of integers below n with bit k set:
//   all-gather, reduce-scatter   R L + (n-1) c / B
//   all-reduce                 2 R L + 2 (n-1) c / B
//   barrier                      R L                                       the same pattern, of empty messages
//   all-to-all                   R L + (b(0) + … + b(R-1)) c / B           n/2 log2 n chunks if n is a power of two
// They have the fewest steps, and an all-gather also sends the fewest bytes, for any n. An all-to-all sends every chunk
// once for each set bit of its distance, about log2 n / 2 times, so it is best for small S.
// Sent by each: (n-1) c; 2 (n-1) c; (b(0) + … + b(R-1)) c.
// As a barrier this pattern is the dissemination barrier: no member ends before every member has begun.
// Source: Hensgen, Finkel & Manber, Int. J. Parallel Programming 17 (1988); Bruck, Ho, Kipnis, Upfal & Weathersby, IEEE
// TPDS 8 (1997); the all-gather run backwards as a reduce-scatter: Träff, Optimal, non-pipelined reduce-scatter and
// allreduce algorithms (2024).
#include "libsim/collectives/schedules/schedules.hpp"

#include <algorithm>
#include <bit>

namespace sim::collectives {

namespace {

int rounds_of(int members) {
    return static_cast<int>(std::bit_width(static_cast<unsigned>(members - 1)));
}

int bruck_around(int member, int members) {
    return (member % members + members) % members;
}

// After k rounds member i has the 2^k blocks from its own on, and passes them to the member 2^k places before it.
Step bruck_all_gather_step(const Schedule& bruck, int /*channel*/, int member, int round) {
    const int n = bruck.members;
    const int distance = 1 << round;
    // The last round moves only what is still missing, so n need not be a power of two.
    const int count = std::min(distance, n - distance);
    const int after = bruck_around(member + distance, n);
    return {.to = bruck_around(member - distance, n),
            .send = chunks_in_a_row(member, count),
            .from = after,
            .receive = chunks_in_a_row(after, count)};
}

// The all-gather backwards: a copy to many members becomes a sum from many members.
Step bruck_reduce_scatter_step(const Schedule& bruck, int channel, int member, int number) {
    const Step copy = bruck_all_gather_step(bruck, channel, member, rounds_of(bruck.members) - 1 - number);
    return {.to = copy.from, .send = copy.receive, .from = copy.to, .receive = copy.send, .reduce = true};
}

Step bruck_all_reduce_step(const Schedule& bruck, int channel, int member, int number) {
    const int half = rounds_of(bruck.members);
    return number < half ? bruck_reduce_scatter_step(bruck, channel, member, number)
                         : bruck_all_gather_step(bruck, channel, member, number - half);
}

// A chunk with distance d left to travel is d blocks after its holder's own, before and after each round.
Step bruck_all_to_all_step(const Schedule& bruck, int /*channel*/, int member, int round) {
    const int n = bruck.members;
    const int distance = 1 << round;
    const int after = bruck_around(member + distance, n);
    const ChunkSet with_bit{after, distance, 2 * distance, n - distance};
    return {.to = after, .send = with_bit, .from = bruck_around(member - distance, n), .receive = with_bit};
}

// In round k every member tells the member 2^k places after it that it has arrived.
Step barrier_step(const Schedule& bruck, int /*channel*/, int member, int round) {
    const int n = bruck.members;
    const int distance = 1 << round;
    return {.to = bruck_around(member + distance, n),
            .send = {0},
            .from = bruck_around(member - distance, n),
            .receive = {0}};
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

Schedule bruck_barrier(const ScheduleRequest& request) {
    Schedule schedule = pattern(request, 1, barrier_step);
    schedule.chunks = 1;
    schedule.messages = MessageLength::one_chunk;
    return schedule;
}

Schedule bruck_all_to_all(const ScheduleRequest& request) {
    Schedule schedule = pattern(request, 1, bruck_all_to_all_step);
    schedule.result = BlockOrder::mirrored;
    return schedule;
}

}  // namespace

Schedule bruck_schedule(const ScheduleRequest& request) {
    const auto over_channels = [&](const Schedule& schedule) { return split_over(schedule, request.config.channels); };
    switch (request.kind) {
        case CollectiveKind::barrier: return bruck_barrier(request);
        case CollectiveKind::all_gather: return over_channels(pattern(request, 1, bruck_all_gather_step));
        case CollectiveKind::reduce_scatter: return over_channels(pattern(request, 1, bruck_reduce_scatter_step));
        case CollectiveKind::all_to_all: return bruck_all_to_all(request);
        default: return over_channels(pattern(request, 2, bruck_all_reduce_step));
    }
}

}  // namespace sim::collectives
