// In a scatter, the root starts with all chunks and member i ends with chunk i.
//
// The default is direct: the root sends each other member its chunk, one n-th, in member order. n-1 messages; cost,
// bytes and source: schedules/direct.cpp; other algorithms: docs/collectives.md. Errors: as in all_reduce.hpp; members
// that name different roots are a mismatch.
#pragma once

#include "libsim/collectives/data_reader.hpp"
#include "libsim/namespaces.hpp"

namespace sim::collectives {

// With data, in place: `data` is an array of the full length, set at the root. Returns its part with this member's
// chunk (as reduce_scatter does); the rest is unchanged, except for data that a tree forwards. `size` is the size to
// charge for the whole array; default: its bytes.
template <NumberRange R>
requires std::ranges::borrowed_range<R>
auto scatter(GPU& gpu, const Group& group, int root, R&& data, std::optional<Size> size = {},
             const AlgorithmConfig& config = Algorithm::direct) {
    const std::span numbers(data);
    const Size cost = cost_of(size, numbers.size_bytes());
    gpu.enter(group, {.kind = CollectiveKind::scatter,
                      .size = cost,
                      .root = root,
                      .config = config,
                      .element_size = sizeof numbers[0]});
    execute(gpu, group, schedule_of(CollectiveKind::scatter, config, group.size(), group.index_of(root)), cost,
            "scatter", elements_of(numbers, Reduction::sum));
    const std::span<std::ranges::range_value_t<R>> mine = own_chunk(gpu, group, numbers);
    return mine;
}

// By size alone: one op. `size` is that of the whole array.
inline void scatter(GPU& gpu, const Group& group, int root, Size size,
                    const AlgorithmConfig& config = Algorithm::direct) {
    gpu.collective(group, {.kind = CollectiveKind::scatter, .size = size, .root = root, .config = config});
}

}  // namespace sim::collectives
