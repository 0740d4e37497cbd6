// Context parallelism computes exact attention over positions that are sharded over a ring of ranks.
//
//   out_i = sum_j softmax_j(q_i . k_j / sqrt(width)) v_j       over all j, or causal: over j <= i
//
// Of n members, member `index` has the index-th contiguous part of each item's positions, R of them, with the q, k and
// v of its heads; items and heads are independent. Queries stay; the [K|V] of all members pass by (`rotate`) and are
// merged by online_softmax.hpp, so that the result equals attention over all positions at once, up to rounding. Causal
// blocks that are entirely in the future are passed on without arithmetic. In the backward pass, [K|V] passes by once
// more, weights are recomputed from log_sum, and the gradient of [K|V] travels with it until it is back home.
//
// One rotation sends [K|V], 2 R width numbers per item and head, to the right and receives as much: with size s it
// takes L + s/B, plus the acknowledgement. Per member: n-1 rotations forward, 2 n - 1 backward (n-1 of [K|V], n of its
// gradient; none if n = 1). A rotation of [K|V] overlaps with the arithmetic of the current block, unless overlap is
// false.
//   every block takes C (not causal), a rotation T:   overlap    (n-1) max(C, T) + C          otherwise  n C + (n-1) T
//   backward                                          (n-1) (max(C, T) + T) + C + T           n C + (2 n - 1) T
// Source: Liu, Zaharia & Abbeel, "Ring attention with blockwise transformers", 2023; Dao et al., "FlashAttention",
// 2022. Errors: ProgramError for arrays that do not match; members with different R end the run with a mismatch.
#pragma once

#include "libsim/gpu.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace sim::parallel {

// Passes `x` to the next member of the ring and returns what the previous one passed, of the same length; a single
// member gets x. `size` is the size to charge; default: its bytes. Throws ProgramError unless the rank is in `group`.
std::vector<double> rotate(GPU& gpu, const Group& group, std::vector<double> x, std::optional<Size> size = {});

// A member's own positions, item by item: q, k and v have items x R rows of heads x width numbers.
struct AttentionInput {
    std::span<const double> q;
    std::span<const double> k;
    std::span<const double> v;
    std::size_t width = 1;  // per head
    std::size_t heads = 1;
    std::size_t items = 1;
    bool causal = true;
};

struct Attention {
    std::vector<double> out;      // same shape as q
    std::vector<double> log_sum;  // rows x heads: log of the sum of all exponentials, for the backward pass
};

struct AttentionGradient {
    std::vector<double> dq;  // same shapes as q, k and v
    std::vector<double> dk;
    std::vector<double> dv;
};

// A member's place in the ring, and its way to pass numbers on: by messages, or by any other means that a program has.
struct Ring {
    using Numbers = std::vector<double>;

    int index = 0;
    int size = 1;
    // Passes `x` to the next member and returns what the previous one passed, of the same length. Not called with one
    // member.
    std::function<Numbers(Numbers x)> rotate = nullptr;
    // Begins a rotation beside other work, and returns the function that ends it. Null: `rotate` is called after that
    // work.
    std::function<std::function<Numbers()>(std::span<const double> x)> begin_rotation = nullptr;
};

struct RingOptions {
    std::optional<Size> rotated = {};  // the size to charge for one rotation; default: its bytes
    bool overlap = true;               // rotate during the arithmetic rather than after it
    // Called with the block's member before the arithmetic of each visible block, to charge its cost.
    std::function<void(int member)> before_block = nullptr;
};

// Only the arithmetic, on any ring. `before_block` as in RingOptions.
Attention ring_attention(const Ring& ring, const AttentionInput& input,
                         const std::function<void(int member)>& before_block = nullptr);
AttentionGradient ring_attention_backward(const Ring& ring, const AttentionInput& input, const Attention& attention,
                                          std::span<const double> dout,
                                          const std::function<void(int member)>& before_block = nullptr);

// Requires: every member of `group` calls it with the same number of positions, width, `causal`, size and overlap.
Attention ring_attention(GPU& gpu, const Group& group, const AttentionInput& input, const RingOptions& options = {});
// Takes dout, R x width, and the result of ring_attention() for `input`.
AttentionGradient ring_attention_backward(GPU& gpu, const Group& group, const AttentionInput& input,
                                          const Attention& attention, std::span<const double> dout,
                                          const RingOptions& options = {});

}  // namespace sim::parallel
