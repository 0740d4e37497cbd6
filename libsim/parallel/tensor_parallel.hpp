// Tensor parallelism exchanges activations and gradients around a region whose weights are split over the members of a
// group.
//
//   TensorParallel tensor(gpu, world(gpu));
//   x = tensor.enter(x, whole);       column-parallel layer, work on own columns, row-parallel layer
//   y = tensor.leave(y, whole);       the sum of the members' results
//   dy = tensor.leave_backward(dy, whole);   the same layers backward;   dx = tensor.enter_backward(dx, whole);
// A column-parallel layer has its columns of the weights and of the bias, and forms one region with everything up to a
// row-parallel layer, which has its rows; that layer's bias is added once, after the sum. This class contains no
// layers: the caller keeps weights in its own arrays, and its matrix library multiplies them
// (scenarios/lesson/transformer).
//
//                        enter             leave              leave_backward    enter_backward
//   outside: whole       -                 sum                -                 sum
//   sequence parallel    gather_rows       scatter_rows       gather_rows       scatter_rows
// With sequence parallelism a member has only its own rows outside of the region: the index-th of n contiguous parts of
// each item's rows. Arrays are items x rows x columns, item after item, row by row.
//
// Per block of attention and MLP: two regions, so two sums forward and two backward, of S = items x rows x columns
// each. Each of n members sends 2 (n-1)/n S per sum, in 2 (n-1) messages; scatter_rows and gather_rows together send as
// much. On a uniform network a sum takes 2 (n-1) (L + ceil(S/n) / B).
// Source: Shoeybi et al., "Megatron-LM", 2019 (operators f and g); Korthikanti et al., "Reducing activation
// recomputation in large transformer models", 2022.
// Errors: ProgramError for rows or heads that do not split evenly, and for an array whose length does not match
// `whole`.
#pragma once

#include "libsim/gpu.hpp"
#include "libsim/parallel/shares.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace sim::parallel {

// The whole array of one micro-batch at the edges of a region, and the size to charge for its sum; default: its bytes.
struct Activations {
    std::size_t items = 1;
    std::size_t rows = 1;  // per item
    std::size_t columns = 1;
    std::optional<Size> size = {};

    std::size_t numbers() const { return items * rows * columns; }
};

struct TensorParallelOptions {
    bool sequence_parallel = false;
};

class TensorParallel {
public:
    // Throws ProgramError unless the rank is in `group`.
    TensorParallel(GPU& gpu, Group group, const TensorParallelOptions& options = {});

    int parts() const { return group_.size(); }
    int index() const { return index_; }
    // The heads of this member, out of `heads`; heads are never split.
    Share own_heads(int heads) const;

    // All-reduce in place; all members get the same bits. `size` as in all_reduce().
    void sum(std::span<double> x, std::optional<Size> size = {}) const;
    // All-gather: turns own rows of every item into all rows.
    std::vector<double> gather_rows(std::span<const double> own, const Activations& whole) const;
    // Reduce-scatter: own rows of the sum over the members.
    std::vector<double> scatter_rows(std::span<const double> summand, const Activations& whole) const;

    std::vector<double> enter(std::vector<double> x, const Activations& whole) const;
    std::vector<double> leave(std::vector<double> summand, const Activations& whole) const;
    std::vector<double> leave_backward(std::vector<double> dy, const Activations& whole) const;
    std::vector<double> enter_backward(std::vector<double> summand, const Activations& whole) const;

private:
    std::vector<double> spread(std::vector<double> x, const Activations& whole) const;
    std::vector<double> summed(std::vector<double> x, const Activations& whole) const;
    std::size_t own_numbers_of_item(const Activations& whole) const;

    GPU* gpu_;
    Group group_;
    int index_;
    TensorParallelOptions options_;
};

}  // namespace sim::parallel
