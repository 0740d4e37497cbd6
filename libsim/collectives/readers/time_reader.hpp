// The time reader computes the time of a collective from its schedule in one evaluation instead of message by message.
//
// It is exact, even with stragglers: equal to the message-by-message run to the picosecond. A rank sends and receives
// like this:
//   sent(i, s)  = max(time(i, s), sends_free(i)) + send          time(i, s): before step s
//   time(i,s+1) = max(sent(i, s), sent(from(i, s), s)) + acknowledgement
// A member with nothing to send or receive in a step keeps its clock. If a receive's send may be in an earlier step,
// sent() is that of the oldest message from there that has not been received yet.
// Channels begin together and run side by side, each with its own sender; a member ends when it has ended in all of
// them.
// In lock step (schedule.hpp) every member's delay reaches all members: after s steps all are at max over members of
// time(·, 0) + the sum over the steps of (send + acknowledgement).
// A ring has a closed form even if its links differ: read_ring().
// Cost per channel: n plus the number of steps for the closed form, otherwise n times the steps.
#pragma once

#include "libsim/cluster.hpp"
#include "libsim/collectives/readers/message_end.hpp"
#include "libsim/collectives/schedule.hpp"
#include "libsim/namespaces.hpp"
#include "libsim/units.hpp"

#include <array>
#include <functional>
#include <vector>

namespace sim::collectives {

struct StepCost {
    Duration send{0};
    Duration acknowledgement{0};
};

// The cost of a collective's message, by its two ends and number of chunks.
class LinkCosts {
public:
    using Price = std::function<Duration(Hop hop, int chunks)>;

    // The same cost for every message.
    explicit LinkCosts(const StepCost& everywhere);
    // `node` holds the node of each member; empty: all share one. `price` is called once per hop and number of chunks.
    LinkCosts(Price price, const std::array<Duration, 2>& acknowledgements, std::vector<int> node);

    // From now on `end` determines when a message arrives.
    void disturb(MessageEnd end) { end_ = std::move(end); }
    bool disturbed() const { return end_ != nullptr; }

    bool uniform() const;
    Hop hop(int a, int b) const {
        return node_.empty() || node_[static_cast<std::size_t>(a)] == node_[static_cast<std::size_t>(b)] ? Hop::within
                                                                                                         : Hop::across;
    }
    Duration send(Hop hop, int chunks) const {
        return chunks == 1 ? of_one_[static_cast<std::size_t>(hop)] : of_several(hop, chunks);
    }
    Time sent(int from, int to, Time begin, Duration price) const {
        return end_ ? end_(from, to, begin, price) : later(begin, price);
    }
    Duration acknowledgement(Hop hop) const { return acknowledgements_[static_cast<std::size_t>(hop)]; }

private:
    Duration of_several(Hop hop, int chunks) const;

    Price price_;
    MessageEnd end_;
    std::array<Duration, 2> of_one_;
    std::array<Duration, 2> acknowledgements_;
    std::vector<int> node_;
    mutable std::array<std::vector<Duration>, 2> known_;  // by hop and number of chunks; -1: not known yet
};

// One member's clock, on arrival and, afterwards, at the end.
struct MemberClock {
    Time time;
    Time send_port_free;
    Time receive_port_free = {};  // LogGP only
    std::int64_t messages = 0;    // that it sent in the collective
    std::int64_t chunks = 0;      // in these messages
    Duration busy{0};             // sending and acknowledging, on its busiest channel; the rest of its time is waiting
};

enum class Reading { closed_form_where_exact, always_step_by_step };

void read_time(const Schedule& schedule, const LinkCosts& costs, std::vector<MemberClock>& members,
               Reading reading = Reading::closed_form_where_exact);
inline void read_time(const Schedule& schedule, const StepCost& cost, std::vector<MemberClock>& members,
                      Reading reading = Reading::closed_form_where_exact) {
    read_time(schedule, LinkCosts{cost}, members, reading);
}

// The members in the order in which a channel visits them, from member 0; empty if it does not form a ring.
std::vector<int> ring_of(const Schedule& schedule, int channel);

// Like read_time() for one channel that forms a ring, in closed form (ring_time.hpp), even if its links differ, and if
// earlier sends of some members are still in progress, which only delays the first step. False: it does not form a
// ring, or walking its steps is less work; nothing has changed.
bool read_ring(const Schedule& schedule, int channel, const LinkCosts& costs, std::vector<MemberClock>& members);

// Like read_time() for one channel, on a network that times both ends of each message (TimesEnds in network/model.hpp:
// LogGP). Messages of collectives are always eager, so a member only waits for messages that it receives.
// Cost: members times steps.
// `each` is the size of a chunk. `members` holds the clocks on arrival and, afterwards, at the end. `end`, if set,
// gives the time at which the card is free and the message has arrived.
// Requires: cluster.network->times_ends().
void read_channel_at_ends(const Schedule& schedule, int channel, const Cluster& cluster, Size each,
                          std::vector<MemberClock>& members, const MessageEnd& end = nullptr);

}  // namespace sim::collectives
