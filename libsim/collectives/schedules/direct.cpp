#include "libsim/collectives/schedules/direct.hpp"

namespace sim {

namespace {

// The n-1 members that are not the root, in order.
int other(const Schedule& schedule, int step) {
    return step < schedule.root ? step : step + 1;
}

Step gather_step(const Schedule& gather, int /*channel*/, int member, int step) {
    const int sender = other(gather, step);
    if (member == sender) {
        return {.to = gather.root, .send = {sender}};
    }
    return member == gather.root ? Step{.from = sender, .receive = {sender}} : Step{};
}

Step scatter_step(const Schedule& scatter, int /*channel*/, int member, int step) {
    const int receiver = other(scatter, step);
    if (member == receiver) {
        return {.from = scatter.root, .receive = {receiver}};
    }
    return member == scatter.root ? Step{.to = receiver, .send = {receiver}} : Step{};
}

Step exchange_step(const Schedule& exchange, int /*channel*/, int member, int step) {
    const int n = exchange.members;
    const int to = (member + step + 1) % n;
    const int from = (member + n - step - 1) % n;
    return {.to = to, .send = {to}, .from = from, .receive = {from}};
}

Step exchange_whole_step(const Schedule& exchange, int channel, int member, int step) {
    Step whole = exchange_step(exchange, channel, member, step);
    whole.send = {0};
    whole.receive = {0};
    whole.reduce = true;
    return whole;
}

}  // namespace

Schedule direct_gather(int members, int root) {
    return {.kind = CollectiveKind::gather,
            .members = members,
            .root = root,
            .steps = members - 1,
            .chunks = members,
            .at = gather_step};
}

Schedule direct_scatter(int members, int root) {
    return {.kind = CollectiveKind::scatter,
            .members = members,
            .root = root,
            .steps = members - 1,
            .chunks = members,
            .at = scatter_step};
}

Schedule direct_all_to_all(int members) {
    return {.kind = CollectiveKind::all_to_all,
            .members = members,
            .steps = members - 1,
            .chunks = members,
            .lock_step = true,
            .sends_input = true,
            .at = exchange_step};
}

Schedule direct_all_reduce(int members) {
    return {.kind = CollectiveKind::all_reduce,
            .members = members,
            .steps = members - 1,
            .lock_step = true,
            .sends_input = true,
            .at = exchange_whole_step};
}

}  // namespace sim
