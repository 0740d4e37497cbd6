// The data reader carries out a schedule message by message: with real numbers if there are any, otherwise in time
// alone.
#pragma once

#include "libsim/collectives/number.hpp"
#include "libsim/collectives/schedule.hpp"
#include "libsim/gpu.hpp"

#include <cstddef>
#include <span>
#include <type_traits>

namespace sim::collectives {

// A vector, span, std::array … of numbers, on which a collective works in place.
template <class R>
concept NumberRange = WritablePayloadRange<R> && Number<std::ranges::range_value_t<R>>;

inline Size cost_of(std::optional<Size> size, std::size_t bytes) {
    return size.value_or(Bytes{static_cast<std::int64_t>(bytes)});
}

// Chunk `index` of `count` elements cut into `chunks` nearly equal parts, as [begin, end).
struct ChunkRange {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
};
ChunkRange chunk_range(std::size_t count, int chunks, int index);
// The same for a schedule's chunk, which may be part of a block.
ChunkRange chunk_range(std::size_t count, const Schedule& schedule, int index);

// The chunk of `whole` that belongs to the calling rank. Given `elements`, throws ProgramError unless the rank is a
// member and its chunk has that many elements.
void check_own_chunk(const GPU& gpu, const Group& group, std::string_view what, std::size_t whole,
                     std::size_t elements);
template <Number T, std::size_t Extent>
std::span<T> own_chunk(const GPU& gpu, const Group& group, std::span<T, Extent> whole) {
    const ChunkRange own = chunk_range(whole.size(), group.size(), group.index_of(gpu.rank()));
    return whole.subspan(own.begin, own.size());
}
template <Number T, std::size_t Extent>
std::span<T> own_chunk(const GPU& gpu, const Group& group, std::string_view what, std::span<T, Extent> whole,
                       std::size_t elements) {
    check_own_chunk(gpu, group, what, whole.size(), elements);
    return own_chunk(gpu, group, whole);
}

// The tag for the messages of one schedule in one group. Distinct for two groups that share a pair of ranks, and for
// two kinds or algorithms within one group, so that they do not take each other's messages.
Tag tag_of(const Group& group, const Schedule& schedule);

// Combines received data (`from`) into local data (`into`) of the same length.
using Combine = void (*)(std::span<std::byte> into, std::span<const std::byte> from);

// Carries out one member's part of `schedule`. `data` is the whole array, `count` elements of `element_size` bytes, or
// empty. A message of k chunks costs k ceil(size / chunks). Channel 0 runs on the current stream, each other channel on
// its own, and all end before the current stream resumes. If the schedule sends its input, a copy of `data` is kept
// until the end, and one of every array to be reduced. Requires: the calling rank is a member of `group`.
struct Elements {
    std::span<std::byte> data = {};
    std::size_t count = 0;
    std::size_t element_size = 1;
    Combine combine = nullptr;
};
void execute(GPU& gpu, const Group& group, const Schedule& schedule, Size size, std::string_view label,
             const Elements& elements = {});

// Adds, or takes the larger of each pair; an average is a sum until divide_by().
template <Number T>
Combine combine_as(Reduction reduction) {
    const auto with = [](std::span<std::byte> into, std::span<const std::byte> from, auto f) {
        T* a = reinterpret_cast<T*>(into.data());
        const T* b = reinterpret_cast<const T*>(from.data());
        for (std::size_t i = 0; i < into.size() / sizeof(T); ++i) {
            a[i] = f(a[i], b[i]);
        }
    };
    static_assert(std::is_empty_v<decltype(with)>);
    if (reduction == Reduction::max) {
        return [](std::span<std::byte> into, std::span<const std::byte> from) {
            decltype(with){}(into, from, [](T a, T b) { return b > a ? b : a; });
        };
    }
    return [](std::span<std::byte> into, std::span<const std::byte> from) {
        decltype(with){}(into, from, [](T a, T b) { return static_cast<T>(a + b); });
    };
}

template <Number T, std::size_t Extent>
Elements elements_of(std::span<T, Extent> data, Reduction reduction) {
    return {.data = std::as_writable_bytes(data),
            .count = data.size(),
            .element_size = sizeof(T),
            .combine = combine_as<T>(reduction)};
}

template <Number T, std::size_t Extent>
void divide_by(std::span<T, Extent> data, int members) {
    for (T& value : data) {
        if constexpr (std::is_floating_point_v<T>) {
            value /= static_cast<T>(members);
        } else if constexpr (!std::is_integral_v<T>) {  // T may not represent the number of members exactly
            value = static_cast<T>(static_cast<double>(value) / members);
        } else {  // the number of members need not fit into T
            using Whole = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
            value = static_cast<T>(static_cast<Whole>(value) / static_cast<Whole>(members));
        }
    }
}

}  // namespace sim::collectives
