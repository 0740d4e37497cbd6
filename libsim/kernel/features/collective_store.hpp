// This store tracks which data the members of collectives have brought, and which members have yet to take it.
//
// A collective by size has one price, whatever data goes with it. Data that a member brings travels beside it, free of
// charge, and is available to all members once all have come. The kernel knows it only as payload numbers.
// (1) A payload belongs to the next collective that its rank begins, and each is taken at most once by each member.
// (2) Nothing here takes time or moves a clock.
// Cost: O(members) for a collective that brings data; nothing for others.
#pragma once

#include "libsim/kernel/parts/rank_state.hpp"
#include "libsim/kernel/parts/rendezvous.hpp"
#include "libsim/names.hpp"

#include <map>
#include <memory>
#include <vector>

namespace sim::kernel {

// The payloads that the members of one collective brought, by index in the group; 0 bytes: none.
struct Contributions {
    std::vector<Delivery> all;
    int takers = 0;  // number of members that take it, each once
};

class CollectiveStore {
public:
    explicit CollectiveStore(int ranks) : number_of_ranks_(static_cast<std::size_t>(ranks)) {}

    // Whether any rank has brought data yet.
    bool in_use() const { return !ranks_.empty(); }
    // The rank brings a payload to its next collective and states whether it will take the payloads of all. The host
    // keeps payloads that no member takes until the end of the run, like messages that are never received.
    // Throws ProgramError if the rank has already brought data to that collective.
    void bring(int rank, const Delivery& payload, bool takes);
    // Begins that collective. Returns its number for the rendezvous, from 1; 0: the rank brings nothing.
    std::uint32_t begin_collective(int rank, const Op& collective);
    // Collects the payloads once all members have come. Returns the members whose programs are blocked in a take of
    // them, and now have taken them. Requires: at least one has brought data.
    std::vector<int> gather(const Rendezvous::Meeting& meeting, const Group& members, const Ranks& ranks);
    // Takes the payloads for the rank's `number`-th bring (from 0), which can be taken once; false: not all have come.
    // Throws ProgramError if there is nothing to take.
    bool take(int rank, std::int64_t number, Time at);
    // The payloads that the rank last took; null if none. Requires: in_use().
    const std::shared_ptr<const Contributions>& taken(int rank) const {
        return ranks_[static_cast<std::size_t>(rank)].taken;
    }
    // The collective of a bring that is not yet taken.
    const Op& collective_of(int rank, std::int64_t number) const;

private:
    struct Brought {
        Delivery payload;
        bool takes = false;
        Op collective = {};
        std::shared_ptr<const Contributions> gathering = nullptr;
    };
    struct OfRank {
        std::map<std::int64_t, Brought> waiting;  // by number
        std::int64_t count = 0;
        bool is_next = false;  // the last bring belongs to the next collective
        std::shared_ptr<const Contributions> taken = nullptr;
    };
    OfRank& of(int rank);
    void collect(const Rendezvous::Meeting& meeting, const Group& members);

    std::size_t number_of_ranks_;
    std::vector<OfRank> ranks_;  // empty until one has brought data
};

}  // namespace sim::kernel
