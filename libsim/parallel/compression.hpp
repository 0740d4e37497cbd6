// Gradients are compressed before the all-reduce; the compression error is kept and sent later.
//
// Every member adds its remembered error to its gradient, sends a part of the sum, and remembers the rest (error
// feedback):
// sent + remembered = gradient + remembered before.
// The methods, on an array of m numbers:
// TopK: the k = max(1, ceil(fraction m)) numbers of largest magnitude (ties: the lowest index), as pairs of index and
// value, are ring all-gathered and added up by each member in member order. For an array that costs s, each of n
// members sends n-1 messages of ceil(2 s k / m), because a pair counts twice a number. That is less than a ring's 2
// (n-1)/n s if k/m < 1/n.
// SixteenBit: every number is sent as a Bfloat16, summed by the all-reduce's algorithm, which rounds after each
// addition; only a member's own rounding error is remembered. Costs as much as an all-reduce of ceil(s/2), taking s as
// the size of 32-bit numbers. Numbers beyond a float's range become infinite.
// Sources: Lin et al., "Deep Gradient Compression", ICLR 2018; Karimireddy et al., "Error Feedback Fixes SignSGD", ICML
// 2019.
// Errors: ProgramError for a fraction outside (0, 1], a maximum of compressed data, or an array of another length.
#pragma once

#include "libsim/gpu.hpp"

#include <cstddef>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace sim::parallel {

struct Uncompressed {};
struct TopK {
    double fraction = 0.01;
};
struct SixteenBit {};
using Compression = std::variant<Uncompressed, TopK, SixteenBit>;

// The number of values sent out of `length`; 0 if that is 0.
std::size_t top_k_count(const TopK& top, std::size_t length);
// The indices of the `count` largest by magnitude, in ascending order; NaN counts as largest.
std::vector<std::size_t> places_of_largest(std::span<const double> values, std::size_t count);

// Sums an array of fixed length, once per step.
class CompressedSum {
public:
    CompressedSum(const Compression& how, std::size_t length);

    // Replaces `gradient` by the sum, or average, of what the members of the group sent. Every member calls it with the
    // same arguments, apart from the numbers.
    void all_reduce(GPU& gpu, const Group& group, std::span<double> gradient, Size size,
                    Reduction reduction = Reduction::sum, const AlgorithmConfig& config = {});
    // The part of the gradient that this member has not sent yet. Empty without compression.
    std::span<const double> remembered() const { return remembered_; }
    // Restores that part. Requires: it comes from a sum like this one.
    void remember(std::vector<double> unsent) { remembered_ = std::move(unsent); }

private:
    Compression how_;
    std::size_t length_;
    std::vector<double> remembered_;
};

}  // namespace sim::parallel
