// Gradients are compressed before the all-reduce; the compression error is kept and sent later.
//
// Every member adds what it remembers to its gradient, sends a part of that, and remembers the rest (error feedback):
// sent + remembered = gradient + remembered before.
//   TopK        the k = max(1, ceil(fraction m)) numbers of m that are largest by magnitude (ties: the lowest index),
//   as
//               pairs of index and value, ring all-gathered and added up by each member in the order of members.
//               Sent by each of n members, for an array that costs s: n-1 messages of ceil(2 s k / m), a pair counting
//               twice a number. Less than a ring's 2 (n-1)/n s where k/m < 1/n.
//   SixteenBit  every number as a Bfloat16, summed by the algorithm of the all-reduce, which rounds after each
//   addition;
//               only a member's own rounding is remembered. Costs as an all-reduce of ceil(s/2): s stands for numbers
//               of 32 bits. Numbers beyond a float's range become infinite.
// Sources: Lin et al., "Deep Gradient Compression", ICLR 2018; Karimireddy et al., "Error Feedback Fixes SignSGD", ICML
// 2019.
// Errors: ProgramError for a fraction outside (0, 1], a maximum of what is compressed, an array of another length.
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

// The number of values sent out of `length`: 0 of none.
std::size_t top_k_count(const TopK& top, std::size_t length);
// The indices of the `count` largest by magnitude, in ascending order; NaN counts as largest.
std::vector<std::size_t> places_of_largest(std::span<const double> values, std::size_t count);

// Sums one array of always the same length, in every step anew.
class CompressedSum {
public:
    CompressedSum(const Compression& how, std::size_t length);

    // Replaces `gradient` by the sum, or average, over the group of what was sent. Every member calls it, with the same
    // arguments but for the numbers.
    void all_reduce(GPU& gpu, const Group& group, std::span<double> gradient, Size size,
                    Reduction reduction = Reduction::sum, const AlgorithmConfig& config = {});
    // The part of the gradient that this member has not sent yet. Empty if nothing is compressed.
    std::span<const double> remembered() const { return remembered_; }
    // Goes on with that. Requires: it is of a sum like this one.
    void remember(std::vector<double> unsent) { remembered_ = std::move(unsent); }

private:
    Compression how_;
    std::size_t length_;
    std::vector<double> remembered_;
};

}  // namespace sim::parallel
