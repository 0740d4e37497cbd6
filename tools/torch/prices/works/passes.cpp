// Operators that make several passes over their data, each in a kernel of its own.
#include "tools/torch/prices/works/parts.hpp"

#include <algorithm>

namespace sim::torch::prices {

using seam::Tensor;

namespace {

constexpr std::int64_t longest_in_a_block = 4096;  // elements that one block of threads can transform or sort

// A longer row is transformed as a matrix: its columns, then its rows.
int passes_of_row(std::int64_t length) {
    int passes = 1;
    for (std::int64_t left = length; left > longest_in_a_block;
         left = (left + longest_in_a_block - 1) / longest_in_a_block) {
        ++passes;
    }
    return passes;
}

}  // namespace

// Memory bound: the 5 n log n operations take less time than reading and writing the n numbers, once per dimension, or
// twice if it is longer than a block holds.
Work transform_work(const Asked& asked) {
    const Tensor& given = asked.call.tensor({"self"});
    const Tensor& result = asked.call.result();
    const auto pass = static_cast<double>(bytes(given) + bytes(result));
    std::vector<double> kernels;
    for (const std::int64_t side : asked.call.integers("dim")) {
        // For a real signal, one of the two has half of the other's numbers.
        const std::int64_t length = std::max(side_at(given, side), side_at(result, side));
        kernels.insert(kernels.end(), static_cast<std::size_t>(passes_of_row(length)), pass);
    }
    return memory_work(asked, kernels);
}

// Rows that fit into a block are sorted in one kernel, others by radix. Finding unique values takes one more kernel.
Work sort_work(const Asked& asked) {
    const Tensor& given = asked.call.tensor({"self"});
    const bool is_sort = asked.call.name() == "sort";
    const auto all = static_cast<double>(asked.call.read_bytes() + asked.call.written_bytes());
    const std::int64_t side = given.dimensions == 0 ? 1 : side_at(given, asked.call.integer("dim", -1));
    if (is_sort && side <= longest_in_a_block) {
        return memory_work(asked, all);
    }
    if (!given.is_on_gpu || elements(given) == 0) {
        return {};
    }
    std::vector<Pass> passes = radix_sort(elements(given), element_bytes(given.type));
    if (!is_sort) {
        passes.push_back({.bytes = all});
    }
    return passes_work(asked, passes);
}

}  // namespace sim::torch::prices
