#include "scenarios/experiments/collective_case.hpp"

#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/all_to_all.hpp"
#include "libsim/collectives/broadcast.hpp"
#include "libsim/collectives/gather.hpp"
#include "libsim/collectives/reduce.hpp"
#include "libsim/collectives/reduce_scatter.hpp"
#include "libsim/collectives/scatter.hpp"
#include "scenarios/errors.hpp"

#include <fmt/format.h>

namespace sim::scenarios {

namespace {

constexpr int root = 0;

// Small whole numbers, other ones on every rank.
float input(int rank, std::size_t i) {
    return static_cast<float>(i % 13 + static_cast<std::size_t>(rank));
}

float sum_of_inputs(int ranks, std::size_t i) {
    const auto n = static_cast<std::size_t>(ranks);
    return static_cast<float>(n * (i % 13) + n * (n - 1) / 2);
}

// What rank `self` should hold at `i` in the end.
float expected(const CollectiveCase& what, int self, std::size_t i) {
    const auto chunk = static_cast<std::size_t>(what.elements / what.ranks);
    switch (what.kind) {
        case CollectiveKind::all_reduce:
        case CollectiveKind::reduce:
        case CollectiveKind::reduce_scatter: return sum_of_inputs(what.ranks, i);
        case CollectiveKind::all_gather:
        case CollectiveKind::gather: return input(static_cast<int>(i / chunk), i);
        case CollectiveKind::all_to_all:
            return input(static_cast<int>(i / chunk), static_cast<std::size_t>(self) * chunk + i % chunk);
        default: return input(root, i);
    }
}

// The part of the array that rank `self` holds in the end.
ChunkRange result_of(const CollectiveCase& what, int self) {
    const auto elements = static_cast<std::size_t>(what.elements);
    switch (what.kind) {
        case CollectiveKind::reduce_scatter:
        case CollectiveKind::scatter: return chunk_range(elements, what.ranks, self);
        case CollectiveKind::reduce:
        case CollectiveKind::gather: return {0, self == root ? elements : 0};
        default: return {0, elements};
    }
}

// Where the others' numbers are to come from, this rank has none yet.
std::vector<float> input_of(const CollectiveCase& what, int self) {
    const auto elements = static_cast<std::size_t>(what.elements);
    const bool own_chunk_only = what.kind == CollectiveKind::all_gather || what.kind == CollectiveKind::gather;
    const bool root_only = what.kind == CollectiveKind::broadcast || what.kind == CollectiveKind::scatter;
    const ChunkRange own = own_chunk_only ? chunk_range(elements, what.ranks, self)
                                          : ChunkRange{0, root_only && self != root ? 0 : elements};
    std::vector<float> data(elements, -1);
    for (std::size_t i = own.begin; i < own.end; ++i) {
        data[i] = input(self, i);
    }
    return data;
}

void carry(GPU& gpu, const CollectiveCase& what, std::vector<float>& data) {
    const Group all = world(gpu);
    switch (what.kind) {
        case CollectiveKind::all_reduce: all_reduce(gpu, all, data, {}, Reduction::sum, what.method); break;
        case CollectiveKind::all_gather: all_gather(gpu, all, data); break;
        case CollectiveKind::reduce_scatter: reduce_scatter(gpu, all, data); break;
        case CollectiveKind::broadcast: broadcast(gpu, all, root, data); break;
        case CollectiveKind::reduce: reduce(gpu, all, root, data); break;
        case CollectiveKind::gather: gather(gpu, all, root, data); break;
        case CollectiveKind::scatter: scatter(gpu, all, root, data); break;
        case CollectiveKind::all_to_all: all_to_all(gpu, all, data); break;
        case CollectiveKind::barrier: break;  // not among profiled_kinds()
    }
}

bool has_root(CollectiveKind kind) {
    return kind == CollectiveKind::broadcast || kind == CollectiveKind::reduce || kind == CollectiveKind::gather ||
           kind == CollectiveKind::scatter;
}

}  // namespace

const std::vector<CollectiveKind>& profiled_kinds() {
    static const std::vector<CollectiveKind> kinds{CollectiveKind::all_reduce,     CollectiveKind::all_gather,
                                                   CollectiveKind::reduce_scatter, CollectiveKind::broadcast,
                                                   CollectiveKind::reduce,         CollectiveKind::gather,
                                                   CollectiveKind::scatter,        CollectiveKind::all_to_all};
    return kinds;
}

bool is_made_of_chunks(CollectiveKind kind) {
    return kind != CollectiveKind::all_reduce && kind != CollectiveKind::broadcast && kind != CollectiveKind::reduce;
}

std::int64_t CollectiveCase::count() const {
    return is_made_of_chunks(kind) ? elements / ranks : elements;
}

bool CollectiveCase::reduces() const {
    return kind == CollectiveKind::all_reduce || kind == CollectiveKind::reduce ||
           kind == CollectiveKind::reduce_scatter;
}

double CollectiveCase::bus_factor() const {
    const double others = static_cast<double>(ranks - 1) / ranks;
    if (kind == CollectiveKind::all_reduce) {
        return 2 * others;
    }
    return is_made_of_chunks(kind) ? others : 1;
}

CollectiveCase collective_case(CollectiveKind kind, const Method& method, std::int64_t elements, int ranks) {
    const std::int64_t kept = is_made_of_chunks(kind) ? elements / ranks * ranks : elements;
    if (kept == 0) {
        throw UsageError(fmt::format("--sizes {} leaves some of {} ranks without a number; {} needs at least {}",
                                     elements, ranks, name_of(kind), ranks));
    }
    return {kind, method, kept, ranks};
}

void run_by_size(GPU& gpu, const CollectiveCase& what) {
    gpu.collective(world(gpu), {.kind = what.kind,
                                .size = Bytes{what.bytes()},
                                .root = has_root(what.kind) ? root : -1,
                                .method = what.method});
}

std::int64_t run_with_data(GPU& gpu, const CollectiveCase& what) {
    std::vector<float> data = input_of(what, gpu.rank());
    carry(gpu, what, data);
    const ChunkRange result = result_of(what, gpu.rank());
    std::int64_t wrong = 0;
    for (std::size_t i = result.begin; i < result.end; ++i) {
        wrong += data[i] == expected(what, gpu.rank(), i) ? 0 : 1;
    }
    return wrong;
}

}  // namespace sim::scenarios
