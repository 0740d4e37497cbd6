// In a broadcast, every member ends with the root's array.
//
// The default is a ring: n chunks flow down the chain that begins at the root. Cost and source: schedules/ring.cpp;
// other algorithms: docs/collectives.md.
// Errors: as in all_reduce.hpp; members that name different roots are a mismatch.
#pragma once

#include "libsim/collectives/data_reader.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// With data. `root` is a rank of `group`. `size` is the size to charge for the whole array; default: its bytes.
template <NumberRange R>
void broadcast(GPU& gpu, const Group& group, int root, R&& data, std::optional<Size> size = {},
               const AlgorithmConfig& config = Algorithm::ring) {
    const std::span numbers(data);
    const Size cost = cost_of(size, numbers.size_bytes());
    gpu.enter(group, {.kind = CollectiveKind::broadcast,
                      .size = cost,
                      .root = root,
                      .config = config,
                      .element_size = sizeof numbers[0]});
    execute(gpu, group, schedule_of(CollectiveKind::broadcast, config, group.size(), group.index_of(root)), cost,
            "broadcast", elements_of(numbers, Reduction::sum));
}

// By size alone: one op.
inline void broadcast(GPU& gpu, const Group& group, int root, Size size,
                      const AlgorithmConfig& config = Algorithm::ring) {
    gpu.collective(group, {.kind = CollectiveKind::broadcast, .size = size, .root = root, .config = config});
}

}  // namespace sim::collectives
