// In a gather, member i begins with chunk i and the root ends with all chunks.
//
// By default direct: every other member sends its chunk, one n-th, to the root, which takes them in the order of the
// members. n-1 messages; cost, bytes and source: schedules/direct.cpp; other algorithms: docs/collectives.md. Errors:
// as all_reduce.hpp; members that name different roots are a mismatch.
#pragma once

#include "libsim/collectives/data_reader.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// With data, in place: `data` is the whole array, of which this member's chunk (as all_gather takes it) is set. The
// root's is whole afterwards, the others' as before; in a tree they hold what passed through. `size` is what the whole
// array costs; by default its bytes.
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
    carry_out(gpu, group, schedule_of(CollectiveKind::gather, config, group.size(), group.index_of(root)), cost,
              "gather", elements_of(numbers, Reduction::sum));
}

// By size alone: one op. `size` is the whole result's.
inline void gather(GPU& gpu, const Group& group, int root, Size size,
                   const AlgorithmConfig& config = Algorithm::direct) {
    gpu.collective(group, {.kind = CollectiveKind::gather, .size = size, .root = root, .config = config});
}

}  // namespace sim::collectives
