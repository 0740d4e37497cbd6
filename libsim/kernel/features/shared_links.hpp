// Messages that share links are flows over a topology: each slows down the others that use its links.
//
// A new message changes the time of every message under way, so ops are replayed in time order: the links are advanced
// up to the next rank's turn and no further.
// (1) A message is matched when it departs, and its transfer says whether it has arrived.
// (2) No message departs earlier than the latest turn or event, now(), which never falls behind what the links did.
// (3) Of the ranks' states, only their counts of messages change here, and since when their streams are busy.
#pragma once

#include "libsim/faults/conditions.hpp"
#include "libsim/kernel/features/link_traffic.hpp"
#include "libsim/kernel/features/losses.hpp"
#include "libsim/kernel/parts/matching.hpp"
#include "libsim/kernel/parts/prices.hpp"
#include "libsim/kernel/parts/rank_state.hpp"
#include "libsim/kernel/parts/transfers.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace sim::kernel {

// A message's begin, and who waits for its arrival.
struct Departure {
    std::uint32_t op_number;
    Time begin;
    std::uint32_t payload;
    Owner sender;
};

class SharedLinks {
public:
    // Throws ProgramError if the topology has fewer GPUs than there are ranks. All references must outlive this object.
    SharedLinks(std::shared_ptr<const Topology> topology, const Prices& prices, const faults::Conditions& conditions,
                Losses& losses, Ranks& ranks, Matching& matching, Transfers& transfers);

    // A message departs, and any receive that waits for it is noted in its transfer. A lost one never arrives, and its
    // sender waits forever. Throws ProgramError, which names the op, if the network has no price for its unit.
    void send(int rank, const Op& op, const Departure& departure);
    // True: `message`, taken from the queue, has arrived, and its transfer is dropped. False: it is still under way.
    bool has_arrived(Message& message);

    // Whether no message is under way, and the time of the next event; empty if none is.
    bool empty() const { return traffic_.empty(); }
    std::optional<Time> next_event() { return traffic_.next_event(); }
    // Advances to the next event and returns the transfers that end in it, by rank and op number of their sender. Valid
    // until the next call. Requires: next_event().
    const std::vector<TransferId>& advance();
    // Ends one of them at `at`. It is dropped if its receiver waits for it, and otherwise once that comes.
    Transfer end(TransferId id, Time at);

    // The time of the latest turn or event.
    Time now() const { return now_; }
    void reach(Time now) { now_ = now; }

private:
    LinkTraffic traffic_;
    const Prices* prices_;
    Losses* losses_;
    Ranks* ranks_;
    Matching* matching_;
    Transfers* transfers_;
    Time now_ = {};
};

}  // namespace sim::kernel
