#include "libsim/collectives/readers/time_reader.hpp"

#include "libsim/check.hpp"
#include "libsim/collectives/readers/channel_walk.hpp"

#include <algorithm>
#include <functional>

namespace sim::collectives {

namespace {

using Members = std::vector<MemberClock>;

// One channel of a schedule, with the cost of its messages.
struct Channel {
    const Schedule& schedule;
    const LinkCosts& costs;
    int number;

    Step step(int member, int at) const { return schedule.step(number, member, at); }
};

bool has_closed_form(const Schedule& schedule, const LinkCosts& costs, const Members& members) {
    // An earlier send that still occupies the port would delay a member's first message, which the sum of steps omits.
    const auto sends_are_free = [](const MemberClock& member) { return member.send_port_free <= member.time; };
    return schedule.in_lock_step() && costs.uniform() && std::all_of(members.begin(), members.end(), sends_are_free);
}

struct Total {
    Duration time{0};
    std::int64_t chunks = 0;
};

// The total of all steps of a channel in lock step.
Total total(const Channel& channel) {
    const LinkCosts& costs = channel.costs;
    const int steps = channel.schedule.steps;
    const Hop hop = costs.hop(0, 0);
    const auto price = [&](int chunks) { return later(Time{costs.send(hop, chunks)}, costs.acknowledgement(hop)); };
    if (channel.schedule.one_chunk()) {
        // A single step cannot overflow; time_for is checked, and scales exactly.
        return {time_for(steps, {price(1).time_since_epoch().count(), 1}), steps};
    }
    Total sum;
    for (int at = 0; at < steps; ++at) {
        const int chunks = channel.step(0, at).send.count();
        sum.time = later(Time{sum.time}, price(chunks).time_since_epoch()).time_since_epoch();
        sum.chunks += chunks;
    }
    return sum;
}

void read_lock_step(const Channel& channel, Members& members) {
    if (channel.schedule.steps == 0) {
        return;
    }
    const Total all = total(channel);
    Time last{};
    for (const MemberClock& member : members) {
        last = std::max(last, member.time);
    }
    const Time end = later(last, all.time);
    for (MemberClock& member : members) {
        member.time = end;
        // The last act of each member is a receive, which begins when its own last send is over.
        member.send_port_free = later(end, -channel.costs.acknowledgement(Hop::within));
        member.messages = channel.schedule.steps;
        member.chunks = all.chunks;
        member.busy = all.time;
    }
}

// Uniform links, or nodes of them, in the form that a channel walk needs.
struct Links {
    using Clock = MemberClock;

    const LinkCosts& costs;

    Time send(MemberClock& member, const ChannelMessage& message) const {
        const Duration price = costs.send(costs.hop(message.from, message.to), message.chunks);
        const Time begin = std::max(member.time, member.send_port_free);
        member.time = costs.sent(message.from, message.to, begin, price);
        member.send_port_free = member.time;
        member.messages += 1;
        member.chunks += message.chunks;
        member.busy += member.time - begin;
        return member.time;
    }
    void receive(MemberClock& member, const ChannelMessage& message, Time there) const {
        const Duration price = costs.acknowledgement(costs.hop(message.from, message.to));
        member.time = later(std::max(member.time, there), price);
        member.busy += price;
    }
};

void read_channel(const Channel& channel, Members& members, Reading reading) {
    // Both closed forms need a price that does not depend on when a message begins.
    const bool in_closed_form = reading == Reading::closed_form_where_exact && !channel.costs.disturbed();
    if (in_closed_form && has_closed_form(channel.schedule, channel.costs, members)) {
        read_lock_step(channel, members);
        return;
    }
    if (in_closed_form && read_ring(channel.schedule, channel.number, channel.costs, members)) {
        return;
    }
    const Links links{channel.costs};
    ChannelWalk(channel.schedule, channel.number, links).all_steps(members);
}

}  // namespace

LinkCosts::LinkCosts(const StepCost& everywhere)
    : of_one_{everywhere.send, everywhere.send},
      acknowledgements_{everywhere.acknowledgement, everywhere.acknowledgement} {}

LinkCosts::LinkCosts(Price price, const std::array<Duration, 2>& acknowledgements, std::vector<int> node)
    : price_(std::move(price)), of_one_{}, acknowledgements_(acknowledgements), node_(std::move(node)) {
    of_one_[0] = price_(Hop::within, 1);
    of_one_[1] = node_.empty() ? of_one_[0] : price_(Hop::across, 1);
}

bool LinkCosts::uniform() const {
    return std::adjacent_find(node_.begin(), node_.end(), std::not_equal_to<>()) == node_.end();
}

Duration LinkCosts::of_several(Hop hop, int chunks) const {
    if (!price_) {
        return of_one_[static_cast<std::size_t>(hop)];
    }
    constexpr Duration unknown{-1};
    std::vector<Duration>& known = known_[static_cast<std::size_t>(hop)];
    const auto index = static_cast<std::size_t>(chunks);
    if (index >= known.size()) {
        known.resize(index + 1, unknown);
    }
    if (known[index] == unknown) {
        known[index] = price_(hop, chunks);
    }
    return known[index];
}

void read_time(const Schedule& schedule, const LinkCosts& costs, std::vector<MemberClock>& members, Reading reading) {
    check(static_cast<int>(members.size()) == schedule.members, "a schedule of {} members has {} clocks",
          schedule.members, members.size());
    const Members arrived = schedule.channels > 1 ? members : Members{};
    read_channel({schedule, costs, 0}, members, reading);
    for (int channel = 1; channel < schedule.channels; ++channel) {
        Members beside = arrived;
        for (MemberClock& member : beside) {
            // Earlier sends of the stream occupy the port of its first channel only.
            member.send_port_free = member.time;
        }
        read_channel({schedule, costs, channel}, beside, reading);
        for (std::size_t i = 0; i < members.size(); ++i) {
            members[i].time = std::max(members[i].time, beside[i].time);
            members[i].messages += beside[i].messages;
            members[i].chunks += beside[i].chunks;
            // Channels run side by side, so their busy times must not be added.
            members[i].busy = std::max(members[i].busy, beside[i].busy);
        }
    }
}

}  // namespace sim::collectives
