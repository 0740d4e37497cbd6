#include "libsim/collectives/readers/loggp_reader.hpp"

#include "libsim/collectives/readers/channel_walk.hpp"

#include <algorithm>
#include <variant>

namespace sim {

namespace {

// A LogGP network, as a channel walk asks.
struct Cards {
    using Clock = MemberClock;

    const Cluster& cluster;
    Size each;

    const LogGP& network() const { return std::get<LogGP>(cluster.network); }
    std::int64_t bytes(int chunks) const {
        return bytes_of(cluster, {time_for(each.amount, {chunks, 1}).count(), each.measure});  // checked
    }
    // Returns when the first byte is at the receiver.
    Time send(MemberClock& member, const ChannelMessage& message) const {
        const Time begin = std::max(member.time, member.sends_free);
        const LogGPSend ends = send_at(network(), begin, bytes(message.chunks));
        member.busy += ends.processor - member.time;
        member.time = ends.processor;
        member.sends_free = ends.card;
        member.messages += 1;
        member.chunks += message.chunks;
        return ends.first_byte;
    }
    void receive(MemberClock& member, const ChannelMessage& message, Time first_byte) const {
        const Time begin = std::max({member.time, member.receives_free, first_byte});
        const LogGPReceive ends = receive_at(network(), begin, bytes(message.chunks));
        member.busy += ends.processor - begin;
        member.time = ends.processor;
        member.receives_free = ends.card;
    }
};

}  // namespace

void read_channel_by_loggp(const Schedule& schedule, int channel, const Cluster& cluster, Size each,
                           std::vector<MemberClock>& members) {
    const Cards cards{cluster, each};
    ChannelWalk(schedule, channel, cards).all_steps(members);
}

}  // namespace sim
