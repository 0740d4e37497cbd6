// A group is an ordered set of ranks: the members of a collective and their order around a ring.
//
// It is a value. Evenly spaced ranks (the world, an axis of a mesh) take no memory, whatever their number.
#pragma once

#include <memory>
#include <vector>

namespace sim {

class Group {
public:
    // Ranks first, first + stride, …. Throws ProgramError unless first >= 0, stride >= 1 and count >= 1.
    static Group strided(int first, int stride, int count);
    // Ranks in the given order. Throws ProgramError if empty, or if a rank is negative or repeated.
    static Group of(std::vector<int> ranks);
    // The same members, representing a larger group: its collectives by size, which only these members carry out, cost
    // what they would cost `whole`. Only on a network that prices a collective as a whole (network/nccl.hpp), where the
    // members of `whole` are GPUs instead of ranks. Throws ProgramError if `whole` has fewer members or itself
    // represents another group.
    Group standing_for(const Group& whole) const;
    bool stands_for_another() const { return whole_ != nullptr; }
    const Group& whole() const { return whole_ ? *whole_ : *this; }

    // The same members as a separate communicator: its collectives and messages match only those with the same number,
    // on whatever stream each member runs them. All members give it the same number, above 0.
    Group as_communicator(int number) const;
    int communicator() const { return communicator_; }  // 0: none; members then name the same stream

    int size() const { return count_; }
    // Requires: 0 <= index < size().
    int rank_at(int index) const {
        return list_ ? (*list_)[static_cast<std::size_t>(index)] : first_ + index * stride_;
    }
    // -1 if `rank` is not a member. Takes constant time if evenly spaced, else linear.
    int index_of(int rank) const;
    int largest() const;
    bool contains(int rank) const { return index_of(rank) >= 0; }
    // The next and previous member around the ring. Throws ProgramError if `rank` is not a member.
    int right_of(int rank) const;
    int left_of(int rank) const;

    bool evenly_spaced() const { return !list_; }
    std::vector<int> ranks() const;
    friend bool operator==(const Group& a, const Group& b);

private:
    int neighbour(int rank, int distance) const;

    int first_ = 0;
    int stride_ = 1;
    int count_ = 1;
    int communicator_ = 0;
    std::shared_ptr<const std::vector<int>> list_;
    std::shared_ptr<const Group> whole_;
};

struct GroupHash {
    std::size_t operator()(const Group& group) const;
};

}  // namespace sim
