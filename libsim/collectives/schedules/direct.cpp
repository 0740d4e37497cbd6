// The direct algorithm sends every chunk straight to its destination.
//
// n members, S bytes of the whole array, l latency paid by a send, a acknowledgement paid by a receive, L = l + a,
// B bandwidth. All arrive together; a link carries one message at a time in each direction, and a receiver accepts any
// number concurrently: the uniform network has no incast.
//   gather            l + ceil(S/n) / B + (n-1) a        at the root; the others are done at l + ceil(S/n) / B
//   scatter    (n-1) (l + ceil(S/n) / B) + a             at the last member; the root is done a earlier
//   all-to-all, all-gather, reduce-scatter  (n-1) (L + ceil(S/n) / B)
//   all-reduce (n-1) (L + S / B)
// Sent: by each but the root S/n; by the root (n-1)/n S; by each (n-1)/n S; by each (n-1) S.
// With c channels the n-1 messages of a member are distributed over them, so that up to c are in flight at once: n-1
// becomes ceil((n-1)/c) if all arrive together (in a gather, this shortens the acknowledgements: ceil((n-1)/c) a).
// Source: Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005): pairwise exchange; linear gather and scatter.
#include "libsim/collectives/schedules/schedules.hpp"

#include <algorithm>

namespace sim::collectives {

namespace {

// The number, out of n-1, of the message in this step of the channel; n-1 or more: none is left.
int dealt(const Schedule& schedule, int channel, int step) {
    return step * schedule.channels + channel;
}

// The n-1 members other than the root, in order.
int other(const Schedule& schedule, int number) {
    return number < schedule.root ? number : number + 1;
}

Step direct_gather_step(const Schedule& gather, int channel, int member, int step) {
    const int sender = other(gather, dealt(gather, channel, step));
    if (member == sender) {
        return {.to = gather.root, .send = {sender}};
    }
    return member == gather.root && sender < gather.members ? Step{.from = sender, .receive = {sender}} : Step{};
}

Step direct_scatter_step(const Schedule& scatter, int channel, int member, int step) {
    const int receiver = other(scatter, dealt(scatter, channel, step));
    if (member == receiver) {
        return {.from = scatter.root, .receive = {receiver}};
    }
    return member == scatter.root && receiver < scatter.members ? Step{.to = receiver, .send = {receiver}} : Step{};
}

// Sends to the member `number` + 1 places after, receives from the one as far before.
struct Pair {
    int to = -1;
    int from = -1;
};
Pair exchange(const Schedule& schedule, int channel, int member, int step) {
    const int n = schedule.members;
    const int number = dealt(schedule, channel, step);
    // Each step is a permutation: everybody receives from one member, and no receiver is crowded.
    return number < n - 1 ? Pair{(member + number + 1) % n, (member + n - number - 1) % n} : Pair{};
}

Step direct_all_to_all_step(const Schedule& schedule, int channel, int member, int step) {
    const Pair with = exchange(schedule, channel, member, step);
    return {.to = with.to, .send = {with.to}, .from = with.from, .receive = {with.from}};
}

Step direct_all_gather_step(const Schedule& schedule, int channel, int member, int step) {
    const Pair with = exchange(schedule, channel, member, step);
    return {.to = with.to, .send = {with.to < 0 ? -1 : member}, .from = with.from, .receive = {with.from}};
}

Step direct_reduce_scatter_step(const Schedule& schedule, int channel, int member, int step) {
    const Pair with = exchange(schedule, channel, member, step);
    return {
        .to = with.to, .send = {with.to}, .from = with.from, .receive = {with.from < 0 ? -1 : member}, .reduce = true};
}

Step direct_all_reduce_step(const Schedule& schedule, int channel, int member, int step) {
    const Pair with = exchange(schedule, channel, member, step);
    const int whole = with.to < 0 ? -1 : 0;
    return {.to = with.to, .send = {whole}, .from = with.from, .receive = {whole}, .reduce = true};
}

Schedule messages(const ScheduleRequest& request, Step (*at)(const Schedule&, int, int, int)) {
    return {.kind = request.kind,
            .members = request.members,
            .root = request.root,
            .channels = request.config.channels,
            .steps = static_cast<int>(ceil_div(request.members - 1, request.config.channels)),
            .chunks = request.members,
            .at = at};
}

// With several channels no single one carries information from every member to every other.
Schedule exchanges(const ScheduleRequest& request, Step (*at)(const Schedule&, int, int, int)) {
    Schedule schedule = messages(request, at);
    schedule.synchrony = request.config.channels == 1 ? Synchrony::lock_step : Synchrony::same_step;
    return schedule;
}

Schedule direct_all_to_all(const ScheduleRequest& request) {
    Schedule schedule = exchanges(request, direct_all_to_all_step);
    schedule.sends = SentData::input;
    return schedule;
}

Schedule direct_all_reduce(const ScheduleRequest& request) {
    Schedule schedule = exchanges(request, direct_all_reduce_step);
    schedule.chunks = 1;
    schedule.sends = SentData::input;
    return schedule;
}

}  // namespace

Schedule direct_schedule(const ScheduleRequest& request) {
    switch (request.kind) {
        case CollectiveKind::gather: return messages(request, direct_gather_step);
        case CollectiveKind::scatter: return messages(request, direct_scatter_step);
        case CollectiveKind::all_gather: return exchanges(request, direct_all_gather_step);
        case CollectiveKind::reduce_scatter: return exchanges(request, direct_reduce_scatter_step);
        case CollectiveKind::all_to_all: return direct_all_to_all(request);
        default: return direct_all_reduce(request);
    }
}

}  // namespace sim::collectives
