// In a gather, member i starts with chunk i and the root ends with all chunks.
//
// The default is direct: every other member sends its chunk, one n-th, to the root, which receives them in member
// order. n-1 messages; cost, bytes and source: schedules/direct.cpp; other algorithms: docs/collectives.md. Errors: as
// in all_reduce.hpp; members that name different roots are a mismatch.
#pragma once

#include "libsim/collectives/data_reader.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// With data, in place: `data` is the whole array, in which this member's chunk (as all_gather takes it) is set.
// Afterwards the root's array is complete and the others are unchanged, except in a tree, where they also hold the data
// they forwarded. `size` is the size to charge for the whole array; default: its bytes.
template <NumberRange R>
void gather(GPU& gpu, const Group& group, int root, R&& data, std::optional<Size> size = {},
            const AlgorithmConfig& config = Algorithm::direct) {
    const std::span numbers(data);
    const Size cost = cost_of(size, numbers.size_bytes());
    gpu.enter(group, {.kind = CollectiveKind::gather,
                      .size = cost,
                      .root = root,
                      .config = config,
                      .element_size = sizeof numbers[0]});
    execute(gpu, group, schedule_of(CollectiveKind::gather, config, group.size(), group.index_of(root)), cost, "gather",
            elements_of(numbers, Reduction::sum));
}

// By size alone: one op. `size` is that of the whole result.
inline void gather(GPU& gpu, const Group& group, int root, Size size,
                   const AlgorithmConfig& config = Algorithm::direct) {
    gpu.collective(group, {.kind = CollectiveKind::gather, .size = size, .root = root, .config = config});
}

}  // namespace sim::collectives
