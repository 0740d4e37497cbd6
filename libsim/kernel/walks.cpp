#include "libsim/kernel/features/walks.hpp"

#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/kernel/kernel.hpp"

#include <algorithm>

namespace sim::kernel {

namespace {

// Tags of walks are below those of a program's own collectives, which are above -2^31 + 2^30.
std::int32_t tag_of(const Walk& walk) {
    const auto group = static_cast<std::int32_t>(collective_word(walk.plan->op).group);
    return INT32_MIN + group * most_channels + walk.channel;
}

}  // namespace

// A stream is busy while a message of its walks is under way.
void Kernel::walk_message_begins(const Walk& walk, Time at) {
    const Stream on = walk.plan->op.stream;
    if (on != Stream::main && of(walk.rank).at(on).walking.messages++ == 0) {
        of(walk.rank).begins_busy(on, at);
    }
}

void Kernel::walk_message_ends(const Walk& walk, Time at) {
    const Stream on = walk.plan->op.stream;
    if (on != Stream::main && --of(walk.rank).at(on).walking.messages == 0) {
        StreamQueue& queue = of(walk.rank).queue(on);
        // After a computation, a stream may be ahead of the message that it then finds.
        queue.busy.note(std::min(*queue.busy_since, at), at);
        queue.busy_since.reset();
    }
}

void Kernel::begin_walks(int rank, RankState& self, Stream on, NumberedOp at) {
    WalkPlan plan{.schedule = schedule_for(at.op),
                  .group = &groups_->group(collective_word(at.op).group),
                  .op = at.op,
                  .each = 0,
                  .op_number = at.number};
    plan.each = ceil_div(at.op.amount, plan.schedule.chunks);
    const int channels = plan.schedule.channels;
    const auto shared_plan = std::make_shared<const WalkPlan>(std::move(plan));
    const int member = shared_plan->group->index_of(rank);
    const Time begin = self.at(on).clock;
    self.at(on).walking = {.channels_left = channels};
    std::vector<WalkId> walks;
    for (int channel = 0; channel < channels; ++channel) {
        walks.push_back(
            walks_.add({.plan = shared_plan, .rank = rank, .member = member, .channel = channel, .clock = begin}));
    }
    for (const WalkId id : walks) {
        next_step(id);
        walk_on(id);
    }
}

void Kernel::next_step(WalkId id) {
    Walk& walk = walks_[id];
    walk.sent = false;
    if (++walk.at < walk.plan->schedule.steps) {
        walk.step = walk.plan->schedule.step(walk.channel, walk.member, walk.at);
    }
}

// Follows the schedule until the walk waits for a message, its own or another's, or reaches the end.
void Kernel::walk_on(WalkId id) {
    while (true) {
        Walk& walk = walks_[id];
        if (walk.at == walk.plan->schedule.steps) {
            return end_walk(id);
        }
        if (walk.step.to >= 0 && !walk.sent) {
            walk.sent = true;
            return walk_sends(id);
        }
        if (walk.step.from >= 0 && !walk_receives(id)) {
            return;
        }
        next_step(id);
    }
}

void Kernel::walk_sends(WalkId id) {
    const Walk& walk = walks_[id];
    const WalkPlan& plan = *walk.plan;
    walk_message_begins(walk, walk.clock);
    const Op op{.kind = OpKind::send,
                .measure = plan.op.measure,
                .stream = plan.op.stream,
                .peer = plan.group->rank_at(walk.step.to),
                .tag = tag_of(walk),
                .amount = time_for(plan.each, {walk.step.send.count(), 1}).count()};
    start_flow(walk.rank, of(walk.rank), op, {plan.op_number, walk.clock, 0, id});
}

// False: the walk waits.
bool Kernel::walk_receives(WalkId id) {
    const Walk& walk = walks_[id];
    const Matching::Channel from =
        matching_.channel(walk.plan->group->rank_at(walk.step.from), walk.rank, tag_of(walk), walk.plan->op.stream);
    const WaitingReceive waiting{.since = walk.clock, .owner = id};
    const Message* const there = matching_.oldest_message(from);
    if (there == nullptr) {
        matching_.keep(from, waiting);
        return false;
    }
    Message message = *there;
    matching_.drop_oldest(from);
    if (!has_arrived(message)) {
        transfers_[message.transfer].receiver = waiting;
        walk_message_begins(walk, walk.clock);
        return false;
    }
    end_walk_receive(id, message);
    return true;
}

void Kernel::end_walk_receive(WalkId id, const Message& message) {
    Walk& walk = walks_[id];
    const Time since = walk.clock;
    walk.clock = std::max(since, message.end);
    walk.busy += walk.clock - std::clamp(message.begin, since, walk.clock);
}

void Kernel::end_walk_send(WalkId id, Time at) {
    Walk& walk = walks_[id];
    walk_message_ends(walk, at);
    walk.busy += at - walk.clock;
    walk.clock = at;
    walk_on(id);
}

void Kernel::end_walk(WalkId id) {
    const Walk walk = walks_[id];
    walks_.drop(id);
    const Stream on = walk.plan->op.stream;
    Walking& walking = of(walk.rank).at(on).walking;
    walking.busy = std::max(walking.busy, walk.busy);
    if (--walking.channels_left > 0) {
        return;
    }
    // Channels advance in time order, so the last one to end has the latest clock.
    end_of_member(walk.rank, on, {.time = walk.clock, .send_port_free = walk.clock, .busy = walking.busy}, false);
}

}  // namespace sim::kernel
