// Any collective, with numbers whose result is known, for tests that compare it with a sequential program.
//
// Member i's array holds value_of(i, ·); if members own chunks, only in its own chunk, and garbage elsewhere. Sums of
// up to 51 members are exact in every type, including bfloat16 and 8 bits.
#pragma once

#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/all_to_all.hpp"
#include "libsim/collectives/broadcast.hpp"
#include "libsim/collectives/gather.hpp"
#include "libsim/collectives/reduce.hpp"
#include "libsim/collectives/reduce_scatter.hpp"
#include "libsim/collectives/scatter.hpp"
#include "libsim/collectives/whole.hpp"
#include "tests/support/all_collectives.hpp"

#include <algorithm>
#include <vector>

namespace sim::test {

// One call by the members of `group`; `root` is a member index.
struct Call {
    AnyCollective any;
    Group group;
    int root = 0;
    std::size_t count = 0;  // elements
    Reduction reduction = Reduction::sum;

    int root_rank() const { return group.rank_at(root); }
    bool owns_chunks() const { return any.kind == CollectiveKind::all_gather || any.kind == CollectiveKind::gather; }
    ChunkRange chunk_of(int member) const { return chunk_range(count, group.size(), member); }
};

template <class T>
T value_of(int member, std::size_t i) {
    return static_cast<T>((member * 7 + static_cast<int>(i) * 3) % 6);
}

template <class T>
std::vector<T> input_of(const Call& call, int member) {
    std::vector<T> data(call.count, T(77));
    const ChunkRange own = call.owns_chunks() ? call.chunk_of(member) : ChunkRange{0, call.count};
    for (std::size_t i = own.begin; i < own.end; ++i) {
        data[i] = value_of<T>(member, i);
    }
    return data;
}

template <class T>
T reduced_value(const Call& call, std::size_t i) {
    T result = value_of<T>(0, i);
    for (int member = 1; member < call.group.size(); ++member) {
        const T value = value_of<T>(member, i);
        result = call.reduction == Reduction::max ? std::max(result, value) : static_cast<T>(result + value);
    }
    return call.reduction == Reduction::average ? static_cast<T>(result / static_cast<T>(call.group.size())) : result;
}

template <class T>
T expected_value(const Call& call, int self, std::size_t i) {
    const std::size_t chunk = call.count / static_cast<std::size_t>(call.group.size());
    switch (call.any.kind) {
        case CollectiveKind::all_gather:
        case CollectiveKind::gather: {
            int owner = 0;
            while (call.chunk_of(owner).end <= i) {
                ++owner;
            }
            return value_of<T>(owner, i);
        }
        case CollectiveKind::all_to_all:
            return value_of<T>(static_cast<int>(i / chunk), static_cast<std::size_t>(self) * chunk + i % chunk);
        case CollectiveKind::broadcast:
        case CollectiveKind::scatter: return value_of<T>(call.root, i);
        default: return reduced_value<T>(call, i);
    }
}

// The part of member `self`'s array that holds the result.
inline ChunkRange result_of(const Call& call, int self) {
    switch (call.any.kind) {
        case CollectiveKind::reduce_scatter:
        case CollectiveKind::scatter: return call.chunk_of(self);
        case CollectiveKind::reduce:
        case CollectiveKind::gather: return {0, self == call.root ? call.count : 0};
        case CollectiveKind::barrier: return {};
        default: return {0, call.count};
    }
}

template <class T>
void carry(GPU& gpu, const Call& call, std::vector<T>& data, Size size) {
    const Group& group = call.group;
    const AlgorithmConfig& config = call.any.config;
    switch (call.any.kind) {
        case CollectiveKind::all_reduce: all_reduce(gpu, group, data, size, call.reduction, config); break;
        case CollectiveKind::all_gather: all_gather(gpu, group, data, size, config); break;
        case CollectiveKind::reduce_scatter:
            reduce_scatter(gpu, group, std::span(data), size, call.reduction, config);
            break;
        case CollectiveKind::broadcast: broadcast(gpu, group, call.root_rank(), data, size, config); break;
        case CollectiveKind::reduce: reduce(gpu, group, call.root_rank(), data, size, call.reduction, config); break;
        case CollectiveKind::gather: gather(gpu, group, call.root_rank(), data, size, config); break;
        case CollectiveKind::scatter: scatter(gpu, group, call.root_rank(), std::span(data), size, config); break;
        case CollectiveKind::all_to_all: all_to_all(gpu, group, data, size, config); break;
        case CollectiveKind::barrier: gpu.collective(group, {.kind = CollectiveKind::barrier, .config = config}); break;
    }
}

// The same as a single op that carries its data.
template <class T>
void carry_whole(GPU& gpu, const Call& call, std::vector<T>& data, Size size) {
    as_a_whole(gpu, call.group, data,
               {.kind = call.any.kind,
                .root = call.any.has_root() ? call.root_rank() : -1,
                .reduction = call.reduction,
                .config = call.any.config},
               size);
}

// Runs the collective; returns whether this rank's part of the result is right.
template <class T>
bool is_right(GPU& gpu, const Call& call, Size size, bool whole = false) {
    const int self = call.group.index_of(gpu.rank());
    std::vector<T> data = input_of<T>(call, self);
    whole ? carry_whole(gpu, call, data, size) : carry(gpu, call, data, size);
    const ChunkRange result = result_of(call, self);
    for (std::size_t i = result.begin; i < result.end; ++i) {
        if (data[i] != expected_value<T>(call, self, i)) {
            return false;
        }
    }
    return true;
}

}  // namespace sim::test
