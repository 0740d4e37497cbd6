// This store knows which data the members of collectives have brought, and who has yet to take them.
//
// A collective by size has one price, whatever becomes of its data. Data that a member brings travel beside it, free of
// charge: they are there for all members once all have come. The kernel knows them as numbers of payloads alone.
// Cost: O(members) for a collective that brings data; nothing for others.
#pragma once

#include "libsim/kernel/rank_state.hpp"
#include "libsim/kernel/rendezvous.hpp"
#include "libsim/names.hpp"

#include <map>
#include <memory>
#include <vector>

namespace sim::kernel {

// What the members of one collective brought, by their index in the group; no bytes: nothing.
struct Gathering {
    std::vector<Delivery> all;
    int takers = 0;  // how many members take it, each once
};

class DataBeside {
public:
    explicit DataBeside(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}

    // The rank brings a payload to its next collective, and says whether it will take what all brought. What no member
    // takes, the host keeps until the end of the run, as it does messages that nobody receives.
    // Throws ProgramError if it has brought something to that collective already.
    void bring(int rank, const Delivery& payload, bool takes);
    // That collective is here: its number for the rendezvous, from 1; 0: the rank brings nothing.
    std::uint32_t begin_collective(int rank, const Op& collective);
    // All have come. Requires: somebody has brought something.
    void gather(const Rendezvous::Meeting& meeting, const Group& members);
    // What the rank's `number`-th bring (from 0) is to take, once; null: not all have come.
    // Throws ProgramError where there is nothing to take.
    std::shared_ptr<const Gathering> take(int rank, std::int64_t number, Time at);
    // The collective of a bring that is not yet taken.
    const Op& collective_of(int rank, std::int64_t number) const;

private:
    struct Brought {
        Delivery payload;
        bool takes = false;
        Op collective = {};
        std::shared_ptr<const Gathering> gathering = nullptr;
    };
    struct OfRank {
        std::map<std::int64_t, Brought> waiting;  // by number
        std::int64_t count = 0;
        bool is_next = false;  // the last belongs to the next collective
    };
    OfRank& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }

    std::vector<OfRank> ranks_;
};

}  // namespace sim::kernel
