#include "libsim/parallel/compression.hpp"

#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/bfloat16.hpp"
#include "libsim/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace sim::parallel {

namespace {

// The arguments on which the members of one sum agree.
struct Call {
    GPU* gpu;
    const Group* group;
    Size size;
    AlgorithmConfig config;
};

// The format in transit: the index, then the bits of the value.
constexpr std::size_t words_of_pair = 2;

// The pairs of all members: for each, `amount` scaled to k of m numbers, twice.
Size size_of_pairs(Size size, std::size_t k, std::size_t m, int members) {
    const Wide length = std::max<Wide>(1, static_cast<Wide>(m));
    const Wide each = (static_cast<Wide>(words_of_pair) * size.amount * static_cast<Wide>(k) + length - 1) / length;
    if (each * members > std::numeric_limits<std::int64_t>::max()) {
        throw_count_overflow();
    }
    return {static_cast<std::int64_t>(each * members), size.measure};
}

// `values` holds the gradient plus the remembered error; it becomes the new remembered error.
void sum(const TopK& top, const Call& call, std::span<double> values, std::span<double> result) {
    const std::size_t k = top_k_count(top, values.size());
    const auto members = static_cast<std::size_t>(call.group->size());
    const auto self = static_cast<std::size_t>(call.group->index_of(call.gpu->rank()));
    std::vector<std::uint64_t> pairs(members * k * words_of_pair);
    std::uint64_t* own = pairs.data() + self * k * words_of_pair;
    for (const std::size_t place : places_of_largest(values, k)) {
        *own++ = place;
        *own++ = std::bit_cast<std::uint64_t>(std::exchange(values[place], 0.0));
    }
    all_gather(*call.gpu, *call.group, pairs, size_of_pairs(call.size, k, values.size(), call.group->size()));
    std::fill(result.begin(), result.end(), 0.0);
    for (std::size_t at = 0; at < pairs.size(); at += words_of_pair) {
        result[pairs[at]] += std::bit_cast<double>(pairs[at + 1]);
    }
}

void sum(const SixteenBit&, const Call& call, std::span<double> values, std::span<double> result) {
    std::vector<Bfloat16> numbers(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        numbers[i] = Bfloat16(values[i]);
        values[i] -= static_cast<double>(numbers[i]);
    }
    // The caller averages, in double: an average in 16 bits would round once more.
    all_reduce(*call.gpu, *call.group, numbers, ceil_div(call.size, 2), Reduction::sum, call.config);
    std::copy(numbers.begin(), numbers.end(), result.begin());
}

}  // namespace

std::size_t top_k_count(const TopK& top, std::size_t length) {
    // 0.07 of 100 is 7, although slightly more in double arithmetic.
    const double exact = top.fraction * static_cast<double>(length) * (1 - 1e-12);
    const auto count = static_cast<std::size_t>(std::ceil(exact));
    return std::min(length, std::max<std::size_t>(1, count));
}

std::vector<std::size_t> places_of_largest(std::span<const double> values, std::size_t count) {
    const auto magnitude = [&](std::size_t place) {
        return std::isnan(values[place]) ? std::numeric_limits<double>::infinity() : std::abs(values[place]);
    };
    const auto is_before = [&](std::size_t a, std::size_t b) {
        return magnitude(a) > magnitude(b) || (magnitude(a) == magnitude(b) && a < b);
    };
    std::vector<std::size_t> places(values.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    const auto end = places.begin() + static_cast<std::ptrdiff_t>(std::min(count, places.size()));
    std::nth_element(places.begin(), end, places.end(), is_before);
    places.erase(end, places.end());
    std::sort(places.begin(), places.end());
    return places;
}

CompressedSum::CompressedSum(const Compression& how, std::size_t length) : how_(how), length_(length) {
    const TopK* const top = std::get_if<TopK>(&how_);
    if (top != nullptr && !(top->fraction > 0 && top->fraction <= 1)) {
        throw ProgramError(fmt::format("top-k must send a fraction above 0 and up to 1, not {}", top->fraction));
    }
    if (!std::holds_alternative<Uncompressed>(how_)) {
        remembered_.assign(length, 0.0);
    }
}

void CompressedSum::all_reduce(GPU& gpu, const Group& group, std::span<double> gradient, Size size, Reduction reduction,
                               const AlgorithmConfig& config) {
    if (gradient.size() != length_) {
        throw ProgramError(fmt::format("a sum of {} elements is given {}", length_, gradient.size()));
    }
    if (std::holds_alternative<Uncompressed>(how_)) {
        sim::all_reduce(gpu, group, gradient, size, reduction, config);
        return;
    }
    if (reduction == Reduction::max) {
        throw ProgramError("what is compressed is summed or averaged; its maximum has no meaning");
    }
    std::transform(gradient.begin(), gradient.end(), remembered_.begin(), remembered_.begin(), std::plus<>{});
    const Call call{&gpu, &group, size, config};
    if (const TopK* const top = std::get_if<TopK>(&how_)) {
        sum(*top, call, remembered_, gradient);
    } else {
        sum(SixteenBit{}, call, remembered_, gradient);
    }
    if (reduction == Reduction::average) {
        divide_by(gradient, group.size());
    }
}

}  // namespace sim::parallel
