// The times of collectives by size: one evaluation gives every member's end once all have come. They come from the
// schedule, or from the network if it prices collectives as a whole.
//
// (1) A collective's end depends on its members' clocks on arrival, and never on the order in which they came.
// (2) Of the ranks' states, only the network cards of the streams of further channels change here: on networks that
//     time both ends of a message, each channel has a processor and a card of its own.
// Cost: that of the time reader (collectives/readers/time_reader.hpp); constant for a price in the cache.
#pragma once

#include "libsim/collectives/readers/message_end.hpp"
#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/faults/conditions.hpp"
#include "libsim/kernel/features/whole_prices.hpp"
#include "libsim/kernel/parts/prices.hpp"
#include "libsim/kernel/parts/rank_state.hpp"
#include "libsim/kernel/parts/rendezvous.hpp"
#include "libsim/names.hpp"

#include <optional>
#include <vector>

namespace sim::kernel {

// How a collective ends for each of its members, by index in the group.
class CollectiveEnds {
public:
    // Every member sends `sent`, in no messages of its own.
    CollectiveEnds(const MemberClock& everyone, std::int64_t sent) : everyone_(everyone), each_(sent) {}
    // The members send chunks of `chunk`.
    CollectiveEnds(std::vector<MemberClock> members, std::int64_t chunk) : members_(std::move(members)), each_(chunk) {}

    const MemberClock& clock(int index) const {
        return members_.empty() ? everyone_ : members_[static_cast<std::size_t>(index)];
    }
    // Throws std::overflow_error if that leaves 64 bits.
    std::int64_t sent(int index) const {
        return members_.empty() ? each_ : time_for(each_, {clock(index).chunks, 1}).count();
    }

private:
    MemberClock everyone_ = {};
    std::vector<MemberClock> members_;  // empty if all end alike
    std::int64_t each_;
};

class CollectiveTimes {
public:
    // All of these must outlive this object.
    CollectiveTimes(const Prices& prices, const Groups& groups, const faults::Conditions& conditions);

    // Whether the network prices collectives as a whole.
    bool as_a_whole() const { return whole_prices_.has_value(); }
    // The price of a collective whose only member stands for all others; null if it is not known yet, or has others.
    const WholePrice* alone(const Op& collective) const;
    // Throws ProgramError if the group is one that only prices of whole collectives can serve.
    Schedule schedule_for(const Op& collective) const;
    // Throws ProgramError, which names the group's first rank, if the collective has no price or no schedule.
    // Requires: all members have come, and each is blocked in it.
    CollectiveEnds ends(const Rendezvous::Meeting& meeting, Ranks& ranks);

private:
    CollectiveEnds whole(const Rendezvous::Meeting& meeting, const Group& group, const Ranks& ranks);
    void read_at_ends(const Rendezvous::Meeting& meeting, const Schedule& schedule, Size each, Ranks& ranks,
                      std::vector<MemberClock>& members) const;
    LinkCosts link_costs(const Rendezvous::Meeting& meeting, const Group& group, Size each, const Ranks& ranks) const;
    collectives::MessageEnd disturbances(const Group& group) const;
    const Group& group_of(const Op& collective) const { return groups_->group(collective_word(collective).group); }
    [[noreturn]] void throw_for(const Rendezvous::Meeting& meeting, const Ranks& ranks, const char* what) const;

    const Prices* prices_;
    const Groups* groups_;
    const faults::Conditions* conditions_;
    std::optional<WholePrices> whole_prices_;
};

}  // namespace sim::kernel
