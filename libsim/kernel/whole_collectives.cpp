// Collectives by size on a network that prices them as a whole (network/nccl.hpp), and groups that stand for larger
// ones.
#include "libsim/collectives/readers/time_reader.hpp"
#include "libsim/error.hpp"
#include "libsim/kernel/describe.hpp"
#include "libsim/kernel/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim {

// Elsewhere a collective is its messages, and those of ranks that are not there cannot be.
void Kernel::require_no_stand_in(const Op& op) const {
    const Group& group = groups_->group(collective_word(op).group);
    if (group.stands_for_another()) {
        throw ProgramError(
            fmt::format("rank {}: {}: its group of {} stands for one of {}, which only a network that prices "
                        "collectives as a whole (Nccl) can do",
                        group.rank_at(0), describe(op), group.size(), group.whole().size()));
    }
}

// Requires: nccl_.
Kernel::WholePrice& Kernel::place_of_price(const Op& op) {
    const std::uint64_t hash = (op.bytes ^ static_cast<std::uint64_t>(op.amount)) * 0x9e3779b97f4a7c15U;
    return prices_of_whole_[(hash >> 32U) % prices_of_whole_.size()];
}

// Null: it has not been asked for of late.
const Kernel::WholePrice* Kernel::known_price_of_whole(const Op& op) {
    if (nccl_ == nullptr) {
        return nullptr;
    }
    const WholePrice& known = place_of_price(op);
    const bool same = known.word == op.bytes && known.amount == op.amount && known.measure == op.measure;
    return same ? &known : nullptr;
}

// Programs repeat a few collectives: most prices have been asked for before.
const Kernel::WholePrice& Kernel::price_of_whole(const Board::Meeting& meeting, const CollectiveWord& word) {
    const Op& op = meeting.op;
    if (const WholePrice* const known = known_price_of_whole(op)) {
        return *known;
    }
    WholePrice& place = place_of_price(op);
    const auto id = static_cast<std::size_t>(word.group);
    if (id >= footprints_.size()) {
        footprints_.resize(std::max(groups_->size(), id + 1));
    }
    const Group& whole = groups_->group(word.group).whole();
    try {
        if (!footprints_[id]) {
            footprints_[id] = footprint_of(whole, ranks_per_node_);
        }
        const Size size{op.amount, op.measure};
        require_price(cluster_, size);
        place = {.word = op.bytes,
                 .amount = op.amount,
                 .measure = op.measure,
                 .price = nccl_time(*nccl_, word.kind, bytes_of(cluster_, size), *footprints_[id]),
                 .sent = nccl_bytes_sent(word.kind, op.amount, whole.size()),
                 .alone = groups_->group(word.group).size() == 1};
    } catch (const ProgramError& error) {
        throw_for_meeting(meeting, error.what());
    }
    return place;
}

// One duration for all, from the moment when the last has come; what they wait until then is idle.
void Kernel::end_collective_by_nccl(const Board::Meeting& meeting, int last_rank) {
    const CollectiveWord word = collective_word(meeting.op);
    const Group& group = groups_->group(word.group);
    const WholePrice whole = price_of_whole(meeting, word);
    const Time end = later(meeting.last_at, whole.price);
    const Stream stream = meeting.op.stream;
    const bool in_units = meeting.op.measure == Measure::units;
    for (int index = 0; index < group.size(); ++index) {
        const int rank = group.rank_at(index);
        Rank& member = of(rank);
        const MemberClock clock{.time = end, .sends_free = member.sends_free, .busy = whole.price};
        add_checked(in_units ? member.billionths_sent : member.bytes_sent, whole.sent);
        if (stream == Stream::main) {
            end_collective_of(rank, member, clock, rank == last_rank);
        } else {
            end_collective_on(rank, stream, clock, rank == last_rank);
        }
    }
}

}  // namespace sim
