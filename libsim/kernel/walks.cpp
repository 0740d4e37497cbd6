#include "libsim/kernel/walks.hpp"

#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/kernel/kernel.hpp"

#include <algorithm>

namespace sim {

namespace {

// Below those of a program's own collectives, which are above -2^31 + 2^30.
std::int32_t tag_of(const Walk& walk) {
    const auto group = static_cast<std::int32_t>(collective_word(walk.plan->op).group);
    return INT32_MIN + group * most_channels + walk.channel;
}

}  // namespace

Walking& Kernel::walking_on(Rank& self, Stream stream) {
    return stream == Stream::main ? self.walking : lane(self, stream).walking;
}

// A stream is busy while a message of its walks is under way.
void Kernel::walk_message_begins(const Walk& walk, Time at) {
    const Stream stream = walk.plan->op.stream;
    if (stream != Stream::main && walking_on(of(walk.rank), stream).messages++ == 0) {
        lane(of(walk.rank), stream).busy_since = at;
    }
}

void Kernel::walk_message_ends(const Walk& walk, Time at) {
    const Stream stream = walk.plan->op.stream;
    if (stream != Stream::main && --walking_on(of(walk.rank), stream).messages == 0) {
        Lane& on = lane(of(walk.rank), stream);
        note(on.busy, *on.busy_since, at);
        on.busy_since.reset();
    }
}

void Kernel::begin_walks(int rank, Rank& self, const Op& op, std::uint32_t op_number, Time begin) {
    require_no_stand_in(op);
    const CollectiveWord word = collective_word(op);
    const Group& group = groups_->group(word.group);
    const int root = op.peer < 0 ? 0 : group.index_of(op.peer);
    WalkPlan plan{.schedule = schedule_of(word.kind, method_of(op), group.size(), root),
                  .group = &group,
                  .op = op,
                  .each = 0,
                  .op_number = op_number};
    plan.each = ceil_div(op.amount, plan.schedule.chunks);
    const int channels = plan.schedule.channels;
    const auto shared_plan = std::make_shared<const WalkPlan>(std::move(plan));
    const int member = group.index_of(rank);
    walking_on(self, op.stream) = {.channels_left = channels};
    std::vector<std::int64_t> handles;
    for (int channel = 0; channel < channels; ++channel) {
        handles.push_back(
            walks_.add({.plan = shared_plan, .rank = rank, .member = member, .channel = channel, .clock = begin}));
    }
    for (const std::int64_t handle : handles) {
        next_step(handle);
        walk_on(handle);
    }
}

void Kernel::next_step(std::int64_t handle) {
    Walk& walk = walks_[handle];
    walk.sent = false;
    if (++walk.at < walk.plan->schedule.steps) {
        walk.step = walk.plan->schedule.step(walk.channel, walk.member, walk.at);
    }
}

// Until it waits, for its message to be there or for another's, or has come to the end.
void Kernel::walk_on(std::int64_t handle) {
    while (true) {
        Walk& walk = walks_[handle];
        if (walk.at == walk.plan->schedule.steps) {
            return end_walk(handle);
        }
        if (walk.step.to >= 0 && !walk.sent) {
            walk.sent = true;
            return walk_sends(handle);
        }
        if (walk.step.from >= 0 && !walk_receives(handle)) {
            return;
        }
        next_step(handle);
    }
}

void Kernel::walk_sends(std::int64_t handle) {
    const Walk& walk = walks_[handle];
    const WalkPlan& plan = *walk.plan;
    walk_message_begins(walk, walk.clock);
    const Op op{.kind = OpKind::send,
                .measure = plan.op.measure,
                .stream = plan.op.stream,
                .peer = plan.group->rank_at(walk.step.to),
                .tag = tag_of(walk),
                .amount = time_for(plan.each, {walk.step.send.count(), 1}).count()};
    start_flow(walk.rank, of(walk.rank), op, {plan.op_number, walk.clock, 0, handle});
}

// False: it waits.
bool Kernel::walk_receives(std::int64_t handle) {
    const Walk& walk = walks_[handle];
    const Matching::Channel from =
        matching_.channel(walk.plan->group->rank_at(walk.step.from), walk.rank, tag_of(walk), walk.plan->op.stream);
    const WaitingReceive waiting{.since = walk.clock, .handle = handle};
    const Message* const there = matching_.oldest_message(from);
    if (there == nullptr) {
        matching_.keep(from, waiting);
        return false;
    }
    Message message = *there;
    matching_.drop_oldest(from);
    if (!has_come(message)) {
        transfers_[message.transfer].receiver = waiting;
        walk_message_begins(walk, walk.clock);
        return false;
    }
    end_walk_receive(handle, message);
    return true;
}

void Kernel::end_walk_receive(std::int64_t handle, const Message& message) {
    Walk& walk = walks_[handle];
    const Time since = walk.clock;
    walk.clock = std::max(since, message.end);
    walk.busy += walk.clock - std::clamp(message.begin, since, walk.clock);
}

void Kernel::end_walk_send(std::int64_t handle, Time at) {
    Walk& walk = walks_[handle];
    walk_message_ends(walk, at);
    walk.busy += at - walk.clock;
    walk.clock = at;
    walk_on(handle);
}

void Kernel::end_walk(std::int64_t handle) {
    const Walk walk = walks_[handle];
    walks_.drop(handle);
    const Stream stream = walk.plan->op.stream;
    Rank& self = of(walk.rank);
    Walking& walking = walking_on(self, stream);
    walking.busy = std::max(walking.busy, walk.busy);
    if (--walking.channels_left > 0) {
        return;
    }
    // The channels go on in the order of time: the last to end is the latest.
    const MemberClock clock{.time = walk.clock, .sends_free = walk.clock, .busy = walking.busy};
    if (stream == Stream::main) {
        end_collective_of(walk.rank, self, clock, false);
    } else {
        end_collective_on(walk.rank, stream, clock, false);
    }
}

}  // namespace sim
