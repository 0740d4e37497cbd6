#include "libsim/kernel/features/collective_store.hpp"

#include "libsim/error.hpp"
#include "libsim/kernel/parts/describe.hpp"

#include <fmt/format.h>

#include <utility>

namespace sim::kernel {

CollectiveStore::OfRank& CollectiveStore::of(int rank) {
    ranks_.resize(number_of_ranks_);
    return ranks_[static_cast<std::size_t>(rank)];
}

void CollectiveStore::bring(int rank, const Delivery& payload, bool takes) {
    OfRank& self = of(rank);
    if (self.is_next) {
        throw ProgramError(fmt::format("rank {} brings data twice to one collective", rank));
    }
    self.waiting[self.count++] = {.payload = payload, .takes = takes};
    self.is_next = true;
}

std::uint32_t CollectiveStore::begin_collective(int rank, const Op& collective) {
    if (!in_use()) {
        return 0;
    }
    OfRank& self = of(rank);
    if (!std::exchange(self.is_next, false)) {
        return 0;
    }
    self.waiting[self.count - 1].collective = collective;
    return static_cast<std::uint32_t>(self.count);
}

void CollectiveStore::collect(const Rendezvous::Meeting& meeting, const Group& members) {
    const auto gathering = std::make_shared<Contributions>();
    gathering->all.resize(meeting.brought.size());
    for (std::size_t index = 0; index < meeting.brought.size(); ++index) {
        // Counts from 1; 0 is a member that brings nothing.
        const std::uint32_t number = meeting.brought[index];
        if (number == 0) {
            continue;
        }
        OfRank& self = of(members.rank_at(static_cast<int>(index)));
        const auto brought = self.waiting.find(std::int64_t{number} - 1);
        gathering->all[index] = brought->second.payload;
        if (brought->second.takes) {
            gathering->takers += 1;
            brought->second.gathering = gathering;
        } else {
            self.waiting.erase(brought);
        }
    }
}

std::vector<int> CollectiveStore::gather(const Rendezvous::Meeting& meeting, const Group& members, const Ranks& ranks) {
    collect(meeting, members);
    std::vector<int> served;
    for (int index = 0; index < members.size(); ++index) {
        const int rank = members.rank_at(index);
        const RankState& member = ranks[rank];
        const std::int64_t number = std::int64_t{meeting.brought[static_cast<std::size_t>(index)]} - 1;
        if (member.is_blocked_in(OpKind::take) && member.pending.amount == number &&
            take(rank, number, member.program.clock)) {
            served.push_back(rank);
        }
    }
    return served;
}

bool CollectiveStore::take(int rank, std::int64_t number, Time at) {
    OfRank& self = of(rank);
    const auto brought = self.waiting.find(number);
    if (brought == self.waiting.end() || !brought->second.takes) {
        throw ProgramError(
            fmt::format("rank {} takes at {} the data of its collective {}, which {}", rank, describe_time(at), number,
                        number >= self.count ? "it has not begun" : "it has already taken, or does not take"));
    }
    if (self.is_next && number == self.count - 1) {
        throw ProgramError(
            fmt::format("rank {} takes at {} the data that it has just brought: its collective comes first", rank,
                        describe_time(at)));
    }
    std::shared_ptr<const Contributions> gathering = brought->second.gathering;
    if (gathering == nullptr) {
        return false;
    }
    self.taken = std::move(gathering);
    self.waiting.erase(brought);
    return true;
}

const Op& CollectiveStore::collective_of(int rank, std::int64_t number) const {
    return ranks_[static_cast<std::size_t>(rank)].waiting.at(number).collective;
}

}  // namespace sim::kernel
