#include "libsim/parallel/tensor_parallel.hpp"

#include "libsim/collectives/all_gather.hpp"
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/reduce_scatter.hpp"
#include "libsim/error.hpp"
#include "libsim/parallel/divide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sim::parallel {

namespace {

constexpr const char* members = "tensor parallel ranks";

void check_numbers(std::size_t found, std::size_t expected, const Activations& whole, const char* what) {
    if (found != expected) {
        throw ProgramError(fmt::format("{} of {} items x {} rows x {} columns must be {} numbers, not {}", what,
                                       whole.items, whole.rows, whole.columns, expected, found));
    }
}

// Reorders from item by item to part by part.
std::vector<double> part_by_part(std::span<const double> x, std::size_t items, std::size_t parts, std::size_t piece) {
    std::vector<double> result(x.size());
    for (std::size_t item = 0; item < items; ++item) {
        for (std::size_t part = 0; part < parts; ++part) {
            const std::span<const double> from = x.subspan((item * parts + part) * piece, piece);
            std::copy(from.begin(), from.end(),
                      result.begin() + static_cast<std::ptrdiff_t>((part * items + item) * piece));
        }
    }
    return result;
}

}  // namespace

TensorParallel::TensorParallel(GPU& gpu, Group group, const TensorParallelOptions& options)
    : gpu_(&gpu), group_(std::move(group)), index_(group_.index_of(gpu.rank())), options_(options) {
    if (index_ < 0) {
        throw ProgramError(fmt::format("rank {} is not in the group that splits the weights", gpu.rank()));
    }
}

Share TensorParallel::own_heads(int heads) const {
    check_divides("heads", heads, members, parts());
    const int count = heads / parts();
    return {.first = index_ * count, .count = count};
}

std::size_t TensorParallel::own_numbers_of_item(const Activations& whole) const {
    check_divides("rows", static_cast<std::int64_t>(whole.rows), members, parts());
    return whole.rows / static_cast<std::size_t>(parts()) * whole.columns;
}

void TensorParallel::sum(std::span<double> x, std::optional<Size> size) const {
    all_reduce(*gpu_, group_, x, size);
}

std::vector<double> TensorParallel::gather_rows(std::span<const double> own, const Activations& whole) const {
    const std::size_t piece = own_numbers_of_item(whole);
    check_numbers(own.size(), whole.items * piece, whole, "own rows");
    std::vector<double> all(whole.numbers());
    std::copy(own.begin(), own.end(), all.begin() + static_cast<std::ptrdiff_t>(own.size()) * index_);
    all_gather(*gpu_, group_, all, whole.size);
    // The same reordering backwards: pieces of a part become pieces of an item.
    return part_by_part(all, static_cast<std::size_t>(parts()), whole.items, piece);
}

std::vector<double> TensorParallel::scatter_rows(std::span<const double> summand, const Activations& whole) const {
    const std::size_t piece = own_numbers_of_item(whole);
    check_numbers(summand.size(), whole.numbers(), whole, "all rows");
    std::vector<double> parts_of_it = part_by_part(summand, whole.items, static_cast<std::size_t>(parts()), piece);
    const std::span<double> own = reduce_scatter(*gpu_, group_, parts_of_it, whole.size);
    return {own.begin(), own.end()};
}

std::vector<double> TensorParallel::spread(std::vector<double> x, const Activations& whole) const {
    if (options_.sequence_parallel) {
        return gather_rows(x, whole);
    }
    check_numbers(x.size(), whole.numbers(), whole, "all rows");
    return x;
}

std::vector<double> TensorParallel::summed(std::vector<double> x, const Activations& whole) const {
    if (options_.sequence_parallel) {
        return scatter_rows(x, whole);
    }
    check_numbers(x.size(), whole.numbers(), whole, "all rows");
    sum(x, whole.size);
    return x;
}

std::vector<double> TensorParallel::enter(std::vector<double> x, const Activations& whole) const {
    return spread(std::move(x), whole);
}

std::vector<double> TensorParallel::leave(std::vector<double> summand, const Activations& whole) const {
    return summed(std::move(summand), whole);
}

std::vector<double> TensorParallel::leave_backward(std::vector<double> dy, const Activations& whole) const {
    return spread(std::move(dy), whole);
}

std::vector<double> TensorParallel::enter_backward(std::vector<double> summand, const Activations& whole) const {
    return summed(std::move(summand), whole);
}

}  // namespace sim::parallel
