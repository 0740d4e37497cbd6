#include "libsim/collectives/readers/time_reader.hpp"

#include "libsim/collectives/readers/channel_walk.hpp"

#include <algorithm>

namespace sim::collectives {

namespace {

// A network that times both ends of a message, in the form that a channel walk needs.
struct Cards {
    using Clock = MemberClock;

    const Cluster& cluster;
    Size each;
    const MessageEnd& end;

    std::int64_t bytes(int chunks) const {
        return bytes_of(cluster, {time_for(each.amount, {chunks, 1}).count(), each.measure});  // checked
    }
    // Returns the time at which the first byte reaches the receiver.
    Time send(MemberClock& member, const ChannelMessage& message) const {
        const Time begin = std::max(member.time, member.send_port_free);
        SendTimes ends = cluster.network->send_at(begin, bytes(message.chunks));
        if (end) {
            ends.card = end(message.from, message.to, begin, ends.card - begin);
            ends.there = end(message.from, message.to, begin, ends.there - begin);
        }
        member.busy += ends.processor - member.time;
        member.time = ends.processor;
        member.send_port_free = ends.card;
        member.messages += 1;
        member.chunks += message.chunks;
        return ends.there;
    }
    void receive(MemberClock& member, const ChannelMessage& message, Time first_byte) const {
        const Time begin = std::max({member.time, member.receive_port_free, first_byte});
        // A receive begins when the first byte is there, and its price contains the time of the others.
        const ReceiveTimes ends = cluster.network->receive_at(begin, bytes(message.chunks));
        member.busy += ends.processor - begin;
        member.time = ends.processor;
        member.receive_port_free = ends.card;
    }
};

}  // namespace

void read_channel_at_ends(const Schedule& schedule, int channel, const Cluster& cluster, Size each,
                          std::vector<MemberClock>& members, const MessageEnd& end) {
    const Cards cards{cluster, each, end};
    ChannelWalk(schedule, channel, cards).all_steps(members);
}

}  // namespace sim::collectives
