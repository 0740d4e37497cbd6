// ZeRO is data parallelism in which each of n members keeps an n-th of the state (stage 3: fully sharded data
// parallelism, FSDP).
//
//   std::vector<double> weights = initial(), gradient(weights.size());   // whole, the same on every member
//   Zero zero(gpu, world(gpu), layers, weights, {.stage = 3});
//   for each layer l, forward:    zero.before_use(l, Pass::forward);   compute;   zero.after_use(l);
//   for each layer l, backward:   zero.before_use(l, Pass::backward);  compute its part of `gradient`;
//                                 zero.gradient_ready(l, gradient);    zero.after_use(l);
//   zero.step([&](std::span<double> weights, std::span<const double> gradient) { … });   // on own elements only
//
// For every segment (layer), member i owns chunk_range(length, n, i), and it alone has that chunk's optimizer state.
//   stage 1   gradients are reduce-scattered after the backward pass, weights all-gathered after the step
//   stage 2   a segment's gradient is reduce-scattered when it is ready, and then dropped
//   stage 3   weights are sharded too: all-gathered before each use, dropped after it
// Dropped weights and gradients are filled with NaN, so that any use of them is visible.
//
// Per step, weights of size M in S segments, n members, alpha optimizer states per weight:
//   stage   sent by each member   messages    memory
//   1       2 (n-1)/n M           2 (n-1) S   M (1 + 1 + alpha/n)
//   2       2 (n-1)/n M           2 (n-1) S   M (1 + (1 + alpha)/n) + segments with gradients in flight
//   3       3 (n-1)/n M           3 (n-1) S   M (1 + 1 + alpha)/n + those + gathered segments
// One segment is in flight, two with overlap; one is gathered, two with prefetch. An n-th is rounded up per segment.
// Source: Rajbhandari et al., "ZeRO", SC20 (2020); Zhao et al., "PyTorch FSDP", VLDB 16 (2023).
// Errors: ProgramError for a segment that does not exist or is not gathered or ready when required; and see
// check_segments().
#pragma once

#include "libsim/gpu.hpp"
#include "libsim/parallel/segment.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace sim::parallel {

// The direction in which segments are used: the next one follows, or the previous one.
enum class Pass : std::uint8_t { forward, backward };

struct ZeroOptions {
    int stage = 1;
    bool overlap = true;   // stages 2 and 3: reduce-scatter on the stream, during the rest of the backward pass
    bool prefetch = true;  // stage 3: gather the next segment on the stream, while this one is used
    Stream stream{1};
    Reduction reduction = Reduction::sum;  // or average, over the members' gradients
    double optimizer_states = 2;           // alpha, in sizes of the weights: Adam 2, momentum 1, plain SGD 0
};

class Zero {
public:
    // `weights` is the whole flat array, the same on every member; it must outlive this object and not move. Memory
    // counts as allocated from here to the end of the run.
    Zero(GPU& gpu, Group group, std::vector<Segment> segments, std::span<double> weights,
         const ZeroOptions& options = {});

    // Returns when the segment's weights are complete. In stages 1 and 2 they always are.
    void before_use(int segment, Pass pass);
    // Stage 3: drops the parts of the segment that others own.
    void after_use(int segment);

    // Declares the segment's part of the whole `gradient` final and consumes it. Stage 1: it is consumed in
    // finish_gradients(), and the array must not move until then. Stages 2 and 3: may be called several times per step,
    // for micro-batches, whose gradients are added up.
    void gradient_ready(int segment, std::span<double> gradient);
    // Returns when own_gradient() is the sum over all members. Stage 1: requires every segment to be ready.
    void finish_gradients();

    // The elements that this member owns, segment by segment: their positions in the whole array, their weights, and
    // their gradients.
    std::vector<std::size_t> own_places() const;
    std::vector<double> take_own(std::span<const double> whole) const;
    // Replaces the weights by others of the same length; in stage 3 the values of others' elements are ignored. Call
    // between steps; free of charge, because the weights come from a checkpoint.
    void restore(std::span<const double> weights);
    std::span<double> own_weights() { return own_weights_; }
    std::span<const double> own_gradient() const { return own_gradient_; }

    // Publishes own_weights() for the next step: stages 1 and 2 all-gather them, in stage 3 before_use() will. Clears
    // the gradient.
    void publish();

    // Completes a step: `optimizer` updates own weights from own gradients.
    template <std::invocable<std::span<double>, std::span<const double>> Optimizer>
    void step(Optimizer&& optimizer) {
        finish_gradients();
        std::invoke(std::forward<Optimizer>(optimizer), own_weights(), own_gradient());
        publish();
    }

private:
    // A range that this member owns: its positions in own_weights_ and in the whole array.
    struct Own {
        std::size_t at = 0;
        std::size_t begin = 0;
        std::size_t length = 0;
    };
    enum class Held : std::uint8_t { own, coming, whole };
    struct Part {
        Segment segment;
        Own own;
        Held held = Held::whole;
        Handle gathering;                                 // while `coming`
        std::optional<std::span<double>> ready_gradient;  // stage 1: until finish_gradients()
    };

    void count_memory();
    Part& part(int segment);
    void gather(Part& part);
    void begin_gathering(Part& part);
    void drop(Part& part);
    void reduce_scatter_part(Part& part, std::span<double> gradient);
    void end_reduce_scatter();

    GPU* gpu_;
    Group group_;
    ZeroOptions options_;
    std::span<double> weights_;
    std::vector<Part> parts_;
    std::vector<double> own_weights_;
    std::vector<double> own_gradient_;
    // Stages 2 and 3 with overlap: at most one in flight, so that at most two gradients are held.
    struct UnderWay {
        Handle handle;
        Size size = Bytes{0};
    };
    std::optional<UnderWay> under_way_;
};

}  // namespace sim::parallel
