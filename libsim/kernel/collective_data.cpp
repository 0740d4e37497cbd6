// The kernel's handling of data beside collectives (collective_store.hpp) and of hosts that run ahead of their GPU.
#include "libsim/kernel/kernel.hpp"

#include <algorithm>

namespace sim::kernel {

CollectiveStore& Kernel::data_beside() {
    if (!beside_) {
        beside_.emplace(ranks());
        gathered_.resize(static_cast<std::size_t>(ranks()));
    }
    return *beside_;
}

void Kernel::bring(int rank, RankState& self, const Op& op) {
    const std::uint32_t payload = op.bytes > 0 ? self.payloads++ : 0;
    data_beside().bring(rank, {rank, payload, op.bytes}, op.amount != 0);
}

// False: the program waits until all members have brought their data.
bool Kernel::take(int rank, RankState& self, const Op& op) {
    self.delivery = {};
    std::shared_ptr<const Contributions> gathering = data_beside().take(rank, op.amount, self.program.clock);
    if (gathering == nullptr) {
        self.block(op, self.op_number);
        return false;
    }
    gathered_[static_cast<std::size_t>(rank)] = std::move(gathering);
    return true;
}

// All members have come: those that wait for the data go on at their own time, as on streams with messages
// (early_data.hpp).
void Kernel::gather(const Rendezvous::Meeting& meeting) {
    if (meeting.brought.empty()) {
        return;
    }
    const Group& group = groups_->group(collective_word(meeting.op).group);
    const std::vector<std::uint32_t> brought = meeting.brought;
    beside_->gather(meeting, group);
    for (int index = 0; index < group.size(); ++index) {
        const int rank = group.rank_at(index);
        RankState& self = of(rank);
        const std::int64_t number = std::int64_t{brought[static_cast<std::size_t>(index)]} - 1;
        if (self.is_blocked_in(OpKind::take) && self.pending.amount == number && take(rank, self, self.pending)) {
            unblock(rank, self);
        }
    }
}

void Kernel::idle(RankState& self, const Op& op) {
    self.program.clock = std::max(self.program.clock, Time{Duration{op.amount}});
}

// With shared links all ranks share one time, so nothing can be issued in the past.
void Kernel::issue_from(RankState& self, const Op& op) const {
    self.issued_at = op.amount < 0 || links_ ? std::nullopt : std::optional(Time{Duration{op.amount}});
}

}  // namespace sim::kernel
