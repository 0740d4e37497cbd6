#include "libsim/group.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace sim {

Group Group::strided(int first, int stride, int count) {
    if (first < 0 || stride < 1 || count < 1) {
        throw ProgramError(
            fmt::format("a group needs first >= 0, stride >= 1 and count >= 1, not first {}, stride {}, count {}",
                        first, stride, count));
    }
    if (first + static_cast<std::int64_t>(count - 1) * stride > INT32_MAX) {
        throw ProgramError(fmt::format("a group of {} ranks from {} by {} has no last rank", count, first, stride));
    }
    Group group;
    group.first_ = first;
    group.stride_ = count == 1 ? 1 : stride;
    group.count_ = count;
    return group;
}

Group Group::of(std::vector<int> ranks) {
    if (ranks.empty()) {
        throw ProgramError("a group needs at least one rank");
    }
    std::vector<int> sorted = ranks;
    std::sort(sorted.begin(), sorted.end());
    if (sorted.front() < 0) {
        throw ProgramError(fmt::format("a group holds ranks, and {} is none", sorted.front()));
    }
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end()) {
        throw ProgramError(fmt::format("rank {} is twice in one group", *twice));
    }
    // A single canonical form per ordered set, so that equal groups compare equal however they were made.
    const int stride = ranks.size() > 1 ? ranks[1] - ranks[0] : 1;
    const auto evenly = [&](int a, int b) { return b - a != stride; };
    if (stride >= 1 && std::adjacent_find(ranks.begin(), ranks.end(), evenly) == ranks.end()) {
        return strided(ranks.front(), stride, static_cast<int>(ranks.size()));
    }
    Group group;
    group.first_ = ranks.front();
    group.count_ = static_cast<int>(ranks.size());
    group.list_ = std::make_shared<const std::vector<int>>(std::move(ranks));
    return group;
}

Group Group::standing_for(const Group& whole) const {
    if (whole.size() < size()) {
        throw ProgramError(fmt::format("a group of {} ranks cannot stand for one of {}", size(), whole.size()));
    }
    if (whole.stands_for_another()) {
        throw ProgramError("a group stands for one that stands for another itself");
    }
    Group group = *this;
    group.whole_ = std::make_shared<const Group>(whole);
    return group;
}

Group Group::as_communicator(int number) const {
    if (number < 1) {
        throw ProgramError(fmt::format("a communicator has a number above 0, not {}", number));
    }
    Group group = *this;
    group.communicator_ = number;
    return group;
}

int Group::index_of(int rank) const {
    if (list_) {
        const auto at = std::find(list_->begin(), list_->end(), rank);
        return at == list_->end() ? -1 : static_cast<int>(at - list_->begin());
    }
    const int distance = rank - first_;
    return distance >= 0 && distance % stride_ == 0 && distance / stride_ < count_ ? distance / stride_ : -1;
}

int Group::largest() const {
    return list_ ? *std::max_element(list_->begin(), list_->end()) : rank_at(count_ - 1);
}

int Group::neighbour(int rank, int distance) const {
    const int index = index_of(rank);
    if (index < 0) {
        throw ProgramError(fmt::format("rank {} is not in this group of {} ranks", rank, count_));
    }
    return rank_at((index + distance + count_) % count_);
}

int Group::right_of(int rank) const {
    return neighbour(rank, 1);
}

int Group::left_of(int rank) const {
    return neighbour(rank, -1);
}

std::vector<int> Group::ranks() const {
    if (list_) {
        return *list_;
    }
    std::vector<int> all(static_cast<std::size_t>(count_));
    for (int index = 0; index < count_; ++index) {
        all[static_cast<std::size_t>(index)] = rank_at(index);
    }
    return all;
}

bool operator==(const Group& a, const Group& b) {
    if (a.count_ != b.count_ || a.first_ != b.first_ || a.communicator_ != b.communicator_ ||
        static_cast<bool>(a.list_) != static_cast<bool>(b.list_)) {
        return false;
    }
    if (a.stands_for_another() != b.stands_for_another() || (a.whole_ != b.whole_ && !(*a.whole_ == *b.whole_))) {
        return false;
    }
    return a.list_ ? a.list_ == b.list_ || *a.list_ == *b.list_ : a.stride_ == b.stride_;
}

std::size_t GroupHash::operator()(const Group& group) const {
    std::uint64_t hash = static_cast<std::uint64_t>(group.size());
    const auto mix = [&hash](int value) {
        hash = (hash ^ static_cast<std::uint32_t>(value)) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 29U;
    };
    mix(group.rank_at(0));
    mix(group.rank_at(group.size() - 1));
    for (int index = 1; !group.evenly_spaced() && index < group.size() - 1; ++index) {
        mix(group.rank_at(index));
    }
    if (group.communicator() != 0) {
        mix(group.communicator());
    }
    if (group.stands_for_another()) {
        mix(static_cast<int>(GroupHash{}(group.whole()) >> 33U));
    }
    return hash;
}

}  // namespace sim
