// A whole collective is a single op, priced by its size, with its data beside it.
//
// Made of messages, a collective costs what its messages cost. A network that prices collectives (Nccl) has a better
// estimate, but prices them by size alone; here the data travels along free of charge and is combined in member order,
// by each member itself. The result is the same on every network, up to the order of additions. Cost in wall time: each
// member reads what it needs from all others, so an all-reduce reads n times its array.
#pragma once

#include "libsim/collectives/data_reader.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// Works in place and leaves the same result as the function of that kind (all_reduce.hpp, all_gather.hpp …), with the
// same rules for chunks and roots. `what.size` is charged.
// Throws ProgramError for anything that GPU::collective rejects, for an all-to-all that does not split evenly, and if a
// member brings an array of another length: the sizes charged may agree even if the arrays do not.
// Returns this member's result as a range of elements: the whole array, its own chunk, or nothing.
ChunkRange carry_out_whole(GPU& gpu, const Group& group, const Collective& what, const Elements& elements);

// The same for numbers; an average is divided wherever it is a result. The default size is that of the array in bytes.
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
