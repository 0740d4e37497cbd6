// Tensor parallelism exchanges activations and gradients around a region whose weights are split over the members of a
// group.
//
//   TensorParallel tensor(gpu, world(gpu));
//   x = tensor.enter(x, whole);       column-parallel layer, whatever works on own columns, row-parallel layer
//   y = tensor.leave(y, whole);       the sum of what the members have computed
//   dy = tensor.leave_backward(dy, whole);   the same layers backward;   dx = tensor.enter_backward(dx, whole);
// A column-parallel layer has its columns of the weights and of the bias, and is one with what follows up to a
// row-parallel layer, which has its rows; its bias is added after the sum, once. No layer is here: whoever trains keeps
// weights in arrays of its own, and its matrix library multiplies them (scenarios/lesson/transformer).
//
//                        enter             leave              leave_backward    enter_backward
//   outside: whole       -                 sum                -                 sum
//   sequence parallel    gather_rows       scatter_rows       gather_rows       scatter_rows
// With sequence parallelism a member has only its own rows outside of the region: the index-th of n contiguous parts of
// each item's rows. Arrays are items x rows x columns, item after item, row by row.
//
// Per block of attention and feed-forward part: two regions, so two sums forward and two backward, of
// S = items x rows x columns each. Sent per member, n of them: 2 (n-1)/n S per sum, in 2 (n-1) messages; as much for
// scatter_rows and gather_rows together. On a uniform network a sum takes 2 (n-1) (L + ceil(S/n) / B).
// Source: Shoeybi et al., "Megatron-LM", 2019 (operators f and g); Korthikanti et al., "Reducing activation
// recomputation in large transformer models", 2022.
// Errors: ProgramError for rows or heads that do not split evenly, and for an array of another length than `whole`
// says.
#pragma once

#include "libsim/gpu.hpp"
#include "libsim/parallel/shares.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace sim::parallel {

// The whole array of one micro-batch at the ends of a region, and what it costs to sum: by default its bytes.
struct Activations {
    std::size_t items = 1;
    std::size_t rows = 1;  // of an item
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
    // Which of so many heads are this member's; heads are never cut.
    Share own_heads(int heads) const;

    // All-reduce in place; the members hold the same bits. `size` as all_reduce().
    void sum(std::span<double> x, std::optional<Size> size = {}) const;
    // All-gather: own rows of every item become all rows.
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
