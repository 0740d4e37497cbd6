// A collective as a whole is one op, of the price of its size, with its data beside it.
//
// Made of messages, a collective costs what its messages cost. A network that prices collectives (Nccl) knows better
// what one takes, but prices it by size alone; here the data come along, free of charge, and are combined in the order
// of members, each by itself. What comes out is the same, up to the order of additions; on every network. Cost in wall
// time: each member reads what it needs of all others, so an all-reduce reads n times its array.
#pragma once

#include "libsim/collectives/data_reader.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// In place, as the function of that kind (all_reduce.hpp, all_gather.hpp …) leaves it; what is said there of chunks and
// roots holds here. `what.size` is the price.
// Throws ProgramError for what GPU::collective refuses, for an all-to-all that does not split evenly, and where a
// member brings an array of another length: sizes that are said agree even if the arrays do not.
// Returns what of the array is this member's result, in elements: all of it, its own chunk, or nothing.
ChunkRange carry_out_whole(GPU& gpu, const Group& group, const Collective& what, const Elements& elements);

// The same for numbers; an average is divided where it is the result. Without a size: the bytes of the array.
template <NumberRange R>
void as_a_whole(GPU& gpu, const Group& group, R&& data, Collective what, std::optional<Size> size = {}) {
    const std::span numbers(data);
    what.size = cost_of(size, numbers.size_bytes());
    what.element_size = sizeof numbers[0];
    const ChunkRange result = carry_out_whole(gpu, group, what, elements_of(numbers, what.reduction));
    if (what.reduction == Reduction::average) {
        divide_by(numbers.subspan(result.begin, result.size()), group.size());
    }
}

}  // namespace sim::collectives
