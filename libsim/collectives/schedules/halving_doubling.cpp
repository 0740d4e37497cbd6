// In recursive halving and doubling, pairs exchange half of the data they have left, then twice the data they have.
//
// Cost on a uniform network, n members that arrive together, S bytes, L latency (both ends together), B bandwidth, p
// the largest power of two up to n:
//   reduce-scatter, all-gather   log2 n L + (n-1) ceil(S/n) / B                     n = p
//   all-reduce                 2 log2 p L + 2 (p-1) ceil(S/p) / B                   n = p
//                              the same + 2 (L + p ceil(S/p) / B)                   n > p: members 0, 2, … below
//                                                                                   2 (n-p) first hand all to the next,
//                                                                                   and get all back at the end
// Sent by each, n = p: (n-1)/n S, or 2 (n-1)/n S, as little as in a ring, in log2 n steps instead of n-1. Members send
// over all distances: in an all-reduce half of the array to the adjacent member, and least to those far away; in the
// other two half of it to the member n/2 places away, so that block i is member i's.
// Source: Rabenseifner, ICCS (2004); Thakur, Rabenseifner & Gropp, IJHPCA 19 (2005).
#include "libsim/collectives/schedules/schedules.hpp"

#include <bit>

namespace sim::collectives {

namespace {

// The members that take part in the exchanges, a power of two. The others pair up with the first of them: member 2q
// stands aside, and member 2q+1 takes place q.
struct Folded {
    int members;
    int places;
    int aside;

    explicit Folded(int n)
        : members(n), places(static_cast<int>(std::bit_floor(static_cast<unsigned>(n)))), aside(n - places) {}

    bool stands_aside(int member) const { return member < 2 * aside && member % 2 == 0; }
    bool stands_in(int member) const { return member < 2 * aside && member % 2 == 1; }
    int place_of(int member) const { return member < 2 * aside ? member / 2 : member - aside; }
    int member_at(int place) const { return place < aside ? 2 * place + 1 : place + aside; }
    int rounds() const { return std::countr_zero(static_cast<unsigned>(places)); }
    // The blocks of the places [begin, end), if every member has one.
    ChunkSet blocks(int begin, int end) const {
        return chunks_in_a_row(first_block(begin), first_block(end) - first_block(begin));
    }

private:
    int first_block(int place) const { return place < aside ? 2 * place : place + aside; }
};

// The step before the exchanges (`in`) or after them: from the member that stands aside to the one that takes part, or
// back.
Step fold_step(const Folded& folded, int member, bool in, const ChunkSet& what, bool reduce) {
    if (folded.stands_aside(member)) {
        return in ? Step{.to = member + 1, .send = what} : Step{.from = member + 1, .receive = what, .reduce = reduce};
    }
    if (folded.stands_in(member)) {
        return in ? Step{.from = member - 1, .receive = what, .reduce = reduce} : Step{.to = member - 1, .send = what};
    }
    return {};
}

// The position of the part, of `places` blocks, that place q has left after `round` halvings: each bit of q, from the
// lowest, selects the upper half if it is set.
ChunkSet part_left(int places, int q, int round) {
    int first = 0;
    int length = places;
    for (int bit = 0; bit < round; ++bit) {
        length /= 2;
        first += (q >> bit & 1) * length;
    }
    return chunks_in_a_row(first, length);
}

Step halving_all_reduce_step(const Schedule& schedule, int /*channel*/, int member, int number) {
    const Folded folded(schedule.members);
    const int rounds = folded.rounds();
    const int before = folded.aside > 0 ? 1 : 0;
    if (number < before || number >= before + 2 * rounds) {
        return fold_step(folded, member, number < before, chunks_in_a_row(0, folded.places), number < before);
    }
    if (folded.stands_aside(member)) {
        return {};
    }
    const bool halving = number - before < rounds;
    // Doubling is halving backwards, with the same partners and parts.
    const int round = halving ? number - before : 2 * rounds - 1 - (number - before);
    const int self = folded.place_of(member);
    const int other = self ^ (1 << round);
    const ChunkSet mine = part_left(folded.places, self, round + 1);
    const ChunkSet theirs = part_left(folded.places, other, round + 1);
    const int peer = folded.member_at(other);
    return halving ? Step{.to = peer, .send = theirs, .from = peer, .receive = mine, .reduce = true}
                   : Step{.to = peer, .send = mine, .from = peer, .receive = theirs};
}

// The blocks of the member and of its counterpart when they exchange over `distance`.
struct Halves {
    int peer;
    ChunkSet mine;
    ChunkSet theirs;
};
Halves halves(const Folded& folded, int member, int distance) {
    const int begin = folded.place_of(member) & ~(distance - 1);
    const int other = begin ^ distance;
    return {folded.member_at(folded.place_of(member) ^ distance), folded.blocks(begin, begin + distance),
            folded.blocks(other, other + distance)};
}

Step halving_reduce_scatter_step(const Schedule& schedule, int /*channel*/, int member, int number) {
    const Folded folded(schedule.members);
    const int before = folded.aside > 0 ? 1 : 0;
    if (number < before) {
        return fold_step(folded, member, true, chunks_in_a_row(0, schedule.members), true);
    }
    if (number >= before + folded.rounds()) {
        // The member that takes part has reduced the blocks of both, and keeps its own.
        return fold_step(folded, member, false, {member - member % 2}, false);
    }
    if (folded.stands_aside(member)) {
        return {};
    }
    // From far to near, so that the blocks left at the end are a member's own; the all-gather goes back from near to
    // far.
    const Halves of = halves(folded, member, folded.places >> (number - before + 1));
    return {.to = of.peer, .send = of.theirs, .from = of.peer, .receive = of.mine, .reduce = true};
}

Step halving_all_gather_step(const Schedule& schedule, int /*channel*/, int member, int number) {
    const Folded folded(schedule.members);
    const int before = folded.aside > 0 ? 1 : 0;
    const int even = member - member % 2;
    if (number < before) {
        return fold_step(folded, member, true, {even}, false);
    }
    if (number >= before + folded.rounds()) {
        return fold_step(folded, member, false, chunks_in_a_row((even + 1) % schedule.members, schedule.members - 1),
                         false);
    }
    if (folded.stands_aside(member)) {
        return {};
    }
    const Halves of = halves(folded, member, 1 << (number - before));
    return {.to = of.peer, .send = of.mine, .from = of.peer, .receive = of.theirs};
}

Schedule folded(const ScheduleRequest& request, int exchanges, Step (*at)(const Schedule&, int, int, int)) {
    const Folded of(request.members);
    return split_over({.kind = request.kind,
                       .members = request.members,
                       .steps = exchanges * of.rounds() + (of.aside > 0 ? 2 : 0),
                       .chunks = request.kind == CollectiveKind::all_reduce ? of.places : request.members,
                       .synchrony = of.aside == 0 ? Synchrony::lock_step : Synchrony::same_step,
                       .messages = MessageLength::several_chunks,
                       .at = at},
                      request.config.channels);
}

}  // namespace

Schedule halving_doubling_schedule(const ScheduleRequest& request) {
    switch (request.kind) {
        case CollectiveKind::reduce_scatter: return folded(request, 1, halving_reduce_scatter_step);
        case CollectiveKind::all_gather: return folded(request, 1, halving_all_gather_step);
        default: return folded(request, 2, halving_all_reduce_step);
    }
}

}  // namespace sim::collectives
