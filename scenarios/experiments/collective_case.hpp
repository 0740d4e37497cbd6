// One collective of floats over all ranks: by size alone, or with numbers whose result is known.
//
// What counts as its size, and how its bandwidths are reckoned, is as nccl-tests has it (doc/PERFORMANCE.md there):
//   size    of the whole array: the input of a reduce-scatter, scatter or all-to-all, else the result
//   algbw   size / time
//   busbw   algbw x 2 (n-1)/n   all-reduce
//           algbw x   (n-1)/n   all-gather, reduce-scatter, all-to-all, gather, scatter
//           algbw               broadcast, reduce
// Bus bandwidth is what the busiest link would have carried had the collective been a perfect one: on good hardware it
// is the link's own bandwidth, whatever the number of ranks.
#pragma once

#include "libsim/gpu.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sim::scenarios {

struct CollectiveCase {
    CollectiveKind kind = CollectiveKind::all_reduce;
    Method method = {};
    std::int64_t elements = 0;  // of the whole array
    int ranks = 2;

    std::int64_t bytes() const { return elements * std::int64_t{sizeof(float)}; }
    // What each rank says when it calls: the elements of one chunk where the array is made of chunks.
    std::int64_t count() const;
    bool reduces() const;
    double bus_factor() const;
};

// The collectives there are, by name, in the order of `--collective`.
const std::vector<CollectiveKind>& profiled_kinds();

// Whether the array is made of one chunk for each rank, and so is cut down to a multiple of the ranks.
bool is_made_of_chunks(CollectiveKind kind);

// A case of at most `elements`. Throws UsageError where nothing is left.
CollectiveCase collective_case(CollectiveKind kind, const Method& method, std::int64_t elements, int ranks);

// One op; the root, where there is one, is rank 0.
void run_by_size(GPU& gpu, const CollectiveCase& what);

// Message by message. Returns how many of this rank's numbers are not what they should be; sums are exact in floats.
std::int64_t run_with_data(GPU& gpu, const CollectiveCase& what);

}  // namespace sim::scenarios
