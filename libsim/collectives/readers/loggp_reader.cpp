#include "libsim/collectives/readers/loggp_reader.hpp"

#include "libsim/collectives/readers/mailbox.hpp"

#include <algorithm>
#include <variant>

namespace sim {

namespace {

struct Messages {
    const Cluster& cluster;
    Size each;

    const LogGP& network() const { return std::get<LogGP>(cluster.network); }
    std::int64_t bytes(const ChunkSet& chunks) const {
        return bytes_of(cluster, {time_for(each.amount, {chunks.count(), 1}).count(), each.measure});  // checked
    }
};

// Returns when the first byte is at the receiver.
Time send(const Messages& messages, MemberClock& member, const Step& step) {
    const Time begin = std::max(member.time, member.sends_free);
    const LogGPSend ends = send_at(messages.network(), begin, messages.bytes(step.send));
    member.busy += ends.processor - member.time;
    member.time = ends.processor;
    member.sends_free = ends.card;
    member.messages += 1;
    member.chunks += step.send.count();
    return ends.first_byte;
}

void receive(const Messages& messages, MemberClock& member, const Step& step, Time first_byte) {
    const Time begin = std::max({member.time, member.receives_free, first_byte});
    const LogGPReceive ends = receive_at(messages.network(), begin, messages.bytes(step.receive));
    member.busy += ends.processor - begin;
    member.time = ends.processor;
    member.receives_free = ends.card;
}

}  // namespace

void read_channel_by_loggp(const Schedule& schedule, int channel, const Cluster& cluster, Size each,
                           std::vector<MemberClock>& members) {
    const Messages messages{cluster, each};
    std::vector<Mailbox> mailboxes(members.size());
    for (int at = 0; at < schedule.steps; ++at) {
        for (int i = 0; i < schedule.members; ++i) {
            if (const Step step = schedule.step(channel, i, at); step.to >= 0) {
                const Time there = send(messages, members[static_cast<std::size_t>(i)], step);
                mailboxes[static_cast<std::size_t>(step.to)].put(i, there);
            }
        }
        for (int i = 0; i < schedule.members; ++i) {
            if (const Step step = schedule.step(channel, i, at); step.from >= 0) {
                const Time there = mailboxes[static_cast<std::size_t>(i)].take(step.from);
                receive(messages, members[static_cast<std::size_t>(i)], step, there);
            }
        }
    }
}

}  // namespace sim
