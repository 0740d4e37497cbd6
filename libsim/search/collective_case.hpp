// A collective case is one collective over all ranks: by size alone, or with floats whose result is known.
//
// Size and bandwidths are defined as in nccl-tests (its doc/PERFORMANCE.md):
//   size    of the whole array: the input of a reduce-scatter, scatter or all-to-all, else the result
//   algbw   size / time
//   busbw   algbw x 2 (n-1)/n   all-reduce
//           algbw x   (n-1)/n   all-gather, reduce-scatter, all-to-all, gather, scatter
//           algbw               broadcast, reduce, send and receive
// Bus bandwidth is the load on the busiest link if the collective were perfect: on good hardware it equals the link's
// own bandwidth, whatever the number of ranks.
#pragma once

#include "libsim/collectives/schedule.hpp"
#include "libsim/gpu.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace sim::search {

struct ElementType {
    const char* name = "float";
    int size = 4;
};
// The types of nccl-tests.
const std::vector<ElementType>& element_types();

struct CollectiveCase {
    CollectiveKind kind = CollectiveKind::all_reduce;
    AlgorithmConfig config = {};
    std::int64_t elements = 0;  // of the whole array
    int ranks = 2;
    int root = 0;
    ElementType type = {};
    bool send_receive = false;  // not a collective: each rank sends the array to the next, the last to the first

    std::int64_t bytes() const { return elements * type.size; }
    // "all-reduce", "send-receive"
    const char* name() const;
    Schedule schedule() const;
    // The count that each rank passes to the call: the elements of one chunk if the array consists of chunks.
    std::int64_t count() const;
    bool reduces() const;
    bool has_root() const { return needs_root(kind) && !send_receive; }
    double bus_factor() const;
};

// The supported collectives, in the order of `--collective`.
const std::vector<CollectiveKind>& profiled_kinds();

// True if the array consists of one chunk per rank, and is truncated to a multiple of the ranks.
bool is_made_of_chunks(CollectiveKind kind);

// A case of at most `elements`. Throws UsageError if none is left.
CollectiveCase collective_case(CollectiveKind kind, const AlgorithmConfig& config, std::int64_t elements, int ranks);

// Runs it as one op. Requires: a collective.
void run_by_size(GPU& gpu, const CollectiveCase& what);

// Runs it message by message, by size alone.
void run_messages(GPU& gpu, const CollectiveCase& what, const Schedule& schedule);

// Runs it message by message. Returns the number of this rank's wrong results; sums are exact in floats. Requires:
// floats.
std::int64_t run_with_data(GPU& gpu, const CollectiveCase& what, const Schedule& schedule);
inline std::int64_t run_with_data(GPU& gpu, const CollectiveCase& what) {
    return run_with_data(gpu, what, what.schedule());
}

}  // namespace sim::search
