// Linear layers y = x W + b whose weight matrix is split over a group, by its columns or by its rows.
//
//   ColumnParallelLinear up(tensor, {.in = D, .out = 4 * D}, w1, b1);   // each member: D x 4 D/n of w1
//   RowParallelLinear down(tensor, {.in = 4 * D, .out = D}, w2, b2);    // each member: 4 D/n x D of w2, and all of b2
//   x = tensor.enter(x, whole);                  dy = tensor.leave_backward(dy, whole);
//   h = up.forward(x);                           dh = down.backward_input(dy);      down.backward_weight(h, dy);
//   h = gelu(h);                                 dh = …
//   y = down.forward(h, whole);                  dx = up.backward_input(dh, whole); up.backward_weight(x, dh);
//
//           has of W     x                          y                         sums over the members
//   Column  columns      all in columns             own out columns           backward_input, of all in columns
//   Row     rows         own in columns             all out columns           forward, of all out columns
// What a layer sums is what TensorParallel::leave and enter_backward do: with sequence parallelism only own rows of it
// come back. A row-parallel bias is added after the sum, once; it is the same on every member, and so is its gradient.
//
// Matrices lie row by row: x is rows x in, W is in x out. Gradients are added up until clear_gradients().
// Cost: of the sums as tensor_parallel.hpp; the arithmetic costs what the program computes for it.
// Source: Shoeybi et al., "Megatron-LM", 2019.
// Errors: ProgramError for columns or rows that do not split evenly, and for arrays that are no whole rows.
#pragma once

#include "libsim/parallel/tensor_parallel.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace sim {

// Of the whole layer. `blocks` matrices of out / blocks columns lie side by side, and each is split alike: 3 for
// [Q|K|V], of which a member has [its heads of Q|of K|of V]. Rows are split alike where a row-parallel layer has
// blocks.
struct LinearShape {
    std::size_t in = 1;
    std::size_t out = 1;
    std::size_t blocks = 1;
};

// The part of `whole` (rows x columns) that member `index` of `parts` has. Throws ProgramError unless each of the
// `blocks` has as many columns (rows) for every member.
std::vector<double> own_columns(std::span<const double> whole, std::size_t columns, int index, int parts,
                                std::size_t blocks = 1);
std::vector<double> own_rows(std::span<const double> whole, std::size_t columns, int index, int parts);

// One member's matrix and bias, and what a single rank does with them.
class Linear {
public:
    // `bias` may be empty: there is none.
    Linear(std::size_t in, std::size_t out, std::vector<double> weight, std::vector<double> bias);

    std::size_t in() const { return in_; }
    std::size_t out() const { return out_; }
    std::span<double> weight() { return weight_; }
    std::span<double> bias() { return bias_; }
    std::span<const double> weight_gradient() const { return weight_gradient_; }
    std::span<const double> bias_gradient() const { return bias_gradient_; }
    void clear_gradients();

    std::vector<double> product(std::span<const double> x) const;              // x W
    std::vector<double> transposed_product(std::span<const double> dy) const;  // dy W^T
    void add_bias(std::span<double> y) const;
    void add_gradients(std::span<const double> x, std::span<const double> dy);  // += x^T dy, += sum of dy's rows

private:
    std::size_t in_;
    std::size_t out_;
    std::vector<double> weight_;
    std::vector<double> bias_;
    std::vector<double> weight_gradient_;
    std::vector<double> bias_gradient_;
};

class ColumnParallelLinear {
public:
    // `weight` (in x out) and `bias` (out, or empty) are the whole layer's, the same on every member.
    ColumnParallelLinear(const TensorParallel& tensor, const LinearShape& shape, std::span<const double> weight,
                         std::span<const double> bias = {});

    // Own columns of x W + b, for x that has entered. Sends nothing.
    std::vector<double> forward(std::span<const double> x) const;
    // dx, summed over the members; `whole` is that of x.
    std::vector<double> backward_input(std::span<const double> dy, const Activations& whole) const;
    void backward_weight(std::span<const double> x, std::span<const double> dy) { own_.add_gradients(x, dy); }

    Linear& own() { return own_; }
    const Linear& own() const { return own_; }

private:
    TensorParallel tensor_;
    Linear own_;
};

class RowParallelLinear {
public:
    RowParallelLinear(const TensorParallel& tensor, const LinearShape& shape, std::span<const double> weight,
                      std::span<const double> bias = {});

    // x W summed over the members, plus b; `whole` is that of y.
    std::vector<double> forward(std::span<const double> x, const Activations& whole) const;
    // Own columns of dx, for dy that has come in by leave_backward. Sends nothing.
    std::vector<double> backward_input(std::span<const double> dy) const { return own_.transposed_product(dy); }
    void backward_weight(std::span<const double> x, std::span<const double> dy) { own_.add_gradients(x, dy); }

    Linear& own() { return own_; }
    const Linear& own() const { return own_; }

private:
    TensorParallel tensor_;
    Linear own_;
};

}  // namespace sim
