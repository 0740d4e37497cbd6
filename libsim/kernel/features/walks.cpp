#include "libsim/kernel/features/walks.hpp"

#include <algorithm>

namespace sim::kernel {

WalkId Walks::add(Walk walk) {
    if (free_.empty()) {
        free_.push_back(static_cast<WalkId>(all_.size()));
        all_.emplace_back();
    }
    const WalkId id = free_.back();
    free_.pop_back();
    of(id) = std::move(walk);
    return id;
}

// Tags of walks are below those of a program's own collectives, which are above -2^31 + 2^30.
std::int32_t Walks::tag_of(const Walk& walk) {
    const auto group = static_cast<std::int32_t>(collective_word(walk.plan->op).group);
    return INT32_MIN + group * most_channels + walk.channel;
}

std::optional<Walks::MemberEnd> Walks::begin(int rank, Stream on, NumberedOp at, Schedule schedule) {
    Plan plan{.schedule = std::move(schedule),
              .group = &groups_->group(collective_word(at.op).group),
              .op = at.op,
              .each = 0,
              .op_number = at.number};
    plan.each = ceil_div(at.op.amount, plan.schedule.chunks);
    const int channels = plan.schedule.channels;
    const auto shared_plan = std::make_shared<const Plan>(std::move(plan));
    const int member = shared_plan->group->index_of(rank);
    StreamState& state = (*ranks_)[rank].at(on);
    state.walking = {.channels_left = channels};
    // All are added before the first goes on, because add() may move the others, and one may end at once.
    std::vector<WalkId> walks;
    for (int channel = 0; channel < channels; ++channel) {
        walks.push_back(
            add({.plan = shared_plan, .rank = rank, .member = member, .channel = channel, .clock = state.clock}));
    }
    std::optional<MemberEnd> ended;
    for (const WalkId id : walks) {
        next_step(id);
        ended = go_on(id);
    }
    return ended;
}

void Walks::next_step(WalkId id) {
    Walk& walk = of(id);
    walk.sent = false;
    if (++walk.at < walk.plan->schedule.steps) {
        walk.step = walk.plan->schedule.step(walk.channel, walk.member, walk.at);
    }
}

// Follows the schedule until the walk waits for a message, its own or another's, or reaches the end.
std::optional<Walks::MemberEnd> Walks::go_on(WalkId id) {
    while (true) {
        Walk& walk = of(id);
        if (walk.at == walk.plan->schedule.steps) {
            return end(id);
        }
        // A step receives only after its own message has arrived, as a program does that sends before it receives.
        if (walk.step.to >= 0 && !walk.sent) {
            walk.sent = true;
            send(id);
            return std::nullopt;
        }
        if (walk.step.from >= 0 && !receive(id)) {
            return std::nullopt;
        }
        next_step(id);
    }
}

void Walks::send(WalkId id) {
    const Walk& walk = of(id);
    const Plan& plan = *walk.plan;
    (*ranks_)[walk.rank].walk_message_begins(plan.op.stream, walk.clock);
    const Op op{.kind = OpKind::send,
                .measure = plan.op.measure,
                .stream = plan.op.stream,
                .peer = plan.group->rank_at(walk.step.to),
                .tag = tag_of(walk),
                // time_for() multiplies with a check of overflow.
                .amount = time_for(plan.each, {walk.step.send.count(), 1}).count()};
    links_->send(walk.rank, op, {plan.op_number, walk.clock, 0, id});
}

// False: the walk waits.
bool Walks::receive(WalkId id) {
    const Walk& walk = of(id);
    const Stream on = walk.plan->op.stream;
    const Matching::Channel from =
        matching_->channel(walk.plan->group->rank_at(walk.step.from), walk.rank, tag_of(walk), on);
    const WaitingReceive waiting{.since = walk.clock, .owner = id};
    const Message* const there = matching_->oldest_message(from);
    if (there == nullptr) {
        matching_->keep(from, waiting);
        return false;
    }
    Message message = *there;
    matching_->drop_oldest(from);
    if (!links_->has_arrived(message)) {
        (*transfers_)[message.transfer].receiver = waiting;
        (*ranks_)[walk.rank].walk_message_begins(on, walk.clock);
        return false;
    }
    receive(id, message);
    return true;
}

void Walks::receive(WalkId id, const Message& message) {
    Walk& walk = of(id);
    const Time since = walk.clock;
    walk.clock = std::max(since, message.end);
    // Until its peer begins to send, the member is idle.
    walk.busy += walk.clock - std::clamp(message.begin, since, walk.clock);
}

std::optional<Walks::MemberEnd> Walks::end_receive(WalkId id, const Message& message) {
    const Walk& walk = of(id);
    (*ranks_)[walk.rank].walk_message_ends(walk.plan->op.stream, message.end);
    receive(id, message);
    next_step(id);
    return go_on(id);
}

std::optional<Walks::MemberEnd> Walks::end_send(WalkId id, Time at) {
    Walk& walk = of(id);
    (*ranks_)[walk.rank].walk_message_ends(walk.plan->op.stream, at);
    walk.busy += at - walk.clock;
    walk.clock = at;
    return go_on(id);
}

std::optional<Walks::MemberEnd> Walks::end(WalkId id) {
    const Walk walk = std::move(of(id));
    of(id).plan.reset();
    free_.push_back(id);
    const Stream on = walk.plan->op.stream;
    Walking& walking = (*ranks_)[walk.rank].at(on).walking;
    // Channels run side by side, so their busy times must not be added.
    walking.busy = std::max(walking.busy, walk.busy);
    if (--walking.channels_left > 0) {
        return std::nullopt;
    }
    // Channels advance in time order, so the last one to end has the latest clock.
    return MemberEnd{walk.rank, on, {.time = walk.clock, .send_port_free = walk.clock, .busy = walking.busy}};
}

}  // namespace sim::kernel
