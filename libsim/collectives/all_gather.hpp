// In an all-gather, member i starts with chunk i and every member ends with all chunks.
//
// The default is a ring: n-1 steps of one n-th each. Cost, bytes and source: schedules/ring.cpp; other algorithms:
// docs/collectives.md.
// Errors: as in all_reduce.hpp.
#pragma once

#include "libsim/collectives/data_reader.hpp"
#include "libsim/namespaces.hpp"

#include <algorithm>
#include <concepts>
#include <ranges>

namespace sim::collectives {

// With data, in place: `data` is the whole array, in which this member's chunk (as reduce_scatter returns it) is set.
// `size` is the size to charge for the whole result; default: its bytes.
template <NumberRange R>
void all_gather(GPU& gpu, const Group& group, R&& data, std::optional<Size> size = {},
                const AlgorithmConfig& config = Algorithm::ring) {
    const std::span numbers(data);
    const Size cost = cost_of(size, numbers.size_bytes());
    gpu.enter(group,
              {.kind = CollectiveKind::all_gather, .size = cost, .config = config, .element_size = sizeof numbers[0]});
    execute(gpu, group, schedule_of(CollectiveKind::all_gather, config, group.size(), 0), cost, "all-gather",
            elements_of(numbers, Reduction::sum));
}

// With data, from a part to the whole, the counterpart of reduce_scatter() from a whole to its part. `part` is this
// member's chunk, and may lie inside `whole`. Throws ProgramError for a part of another length.
template <PayloadRange P, NumberRange R>
requires std::same_as<std::ranges::range_value_t<P>, std::ranges::range_value_t<R>>
void all_gather(GPU& gpu, const Group& group, const P& part, R&& whole, std::optional<Size> size = {},
                const AlgorithmConfig& config = Algorithm::ring) {
    const std::span numbers(whole);
    const auto own = own_chunk(gpu, group, "all-gather", numbers, std::ranges::size(part));
    if (own.data() != std::ranges::data(part)) {
        std::ranges::copy(part, own.begin());
    }
    all_gather(gpu, group, numbers, size, config);
}

// By size alone: one op. `size` is that of the whole result.
inline void all_gather(GPU& gpu, const Group& group, Size size, const AlgorithmConfig& config = Algorithm::ring) {
    gpu.collective(group, {.kind = CollectiveKind::all_gather, .size = size, .config = config});
}

}  // namespace sim::collectives
