#include "libsim/kernel/loggp_reader.hpp"

#include "libsim/kernel/mailbox.hpp"

#include <algorithm>

namespace sim {

namespace {

std::int64_t bytes_of(const ChunkSet& chunks, std::int64_t each) {
    return time_for(each, {chunks.count(), 1}).count();  // checked
}

// Returns when the first byte is at the receiver.
Time send(const LogGP& network, MemberClock& member, const Step& step, std::int64_t each) {
    const Time begin = std::max(member.time, member.sends_free);
    const LogGPSend ends = send_at(network, begin, bytes_of(step.send, each));
    member.busy += ends.processor - member.time;
    member.time = ends.processor;
    member.sends_free = ends.card;
    member.messages += 1;
    member.chunks += step.send.count();
    return ends.first_byte;
}

void receive(const LogGP& network, MemberClock& member, const Step& step, std::int64_t each, Time first_byte) {
    const Time begin = std::max({member.time, member.receives_free, first_byte});
    const LogGPReceive ends = receive_at(network, begin, bytes_of(step.receive, each));
    member.busy += ends.processor - begin;
    member.time = ends.processor;
    member.receives_free = ends.card;
}

}  // namespace

void read_channel_by_loggp(const Schedule& schedule, int channel, const LogGP& network, std::int64_t each,
                           std::vector<MemberClock>& members) {
    std::vector<Mailbox> mailboxes(members.size());
    for (int at = 0; at < schedule.steps; ++at) {
        for (int i = 0; i < schedule.members; ++i) {
            if (const Step step = schedule.step(channel, i, at); step.to >= 0) {
                const Time there = send(network, members[static_cast<std::size_t>(i)], step, each);
                mailboxes[static_cast<std::size_t>(step.to)].put(i, there);
            }
        }
        for (int i = 0; i < schedule.members; ++i) {
            if (const Step step = schedule.step(channel, i, at); step.from >= 0) {
                const Time there = mailboxes[static_cast<std::size_t>(i)].take(step.from);
                receive(network, members[static_cast<std::size_t>(i)], step, each, there);
            }
        }
    }
}

}  // namespace sim
