// Surroundings are the callbacks through which a stage exchanges data with other ranks and reports to its caller. If
// all are empty, the stage is alone.
//
// Rows below are R positions of each item with all of a rank's attention (context_rows), or r = R / tensor parts
// between blocks with sequence parallelism (stream_rows), item by item, D columns.
//
// In each half of a layer (attention, then MLP; in reverse order backward), they are called in this order:
//   attention         enter, work, rotate ..., leave
//   feed-forward      enter, work, leave
//   experts           enter, exchange, work, exchange, leave
// The backward_input pass calls leave_backward and enter_backward instead of enter and leave; backward_weight only
// work.
#pragma once

#include "scenarios/lesson/transformer/tensor.hpp"

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

namespace sim::lesson {

enum class Region { attention, feed_forward };
enum class LayerPass { forward, backward_input, backward_weight };

struct Surroundings {
    // Between tensor parts, around weights that are split by columns and then by rows (Shoeybi et al., "Megatron-LM",
    // 2019, f and g; Korthikanti et al., 2022, for sequence parallelism, SP). Sums must have the same bits on all
    // ranks.
    std::function<Matrix(Matrix)> enter;           // identity; SP: all-gather of rows, r -> R
    std::function<Matrix(Matrix)> leave;           // all-reduce; SP: reduce-scatter of rows, R -> r
    std::function<Matrix(Matrix)> leave_backward;  // identity; SP: all-gather of rows, r -> R
    std::function<Matrix(Matrix)> enter_backward;  // all-reduce; SP: reduce-scatter of rows, R -> r

    // Sends to the next context part and returns what the previous one sent: libsim/parallel/context_parallel.hpp.
    std::function<std::vector<double>(std::vector<double>)> rotate;

    // Sends part i to expert part i; returns the part received from each: libsim/parallel/expert_parallel.hpp. Per
    // layer: tokens, results; backward, gradients of results, gradients of tokens.
    std::function<std::vector<std::vector<double>>(std::vector<std::vector<double>>)> exchange;

    // Called just before the arithmetic of each half of each layer.
    std::function<void(Region, LayerPass)> work;

    // Called around each layer, with its number in the whole model; -1 is the embedding, `layers` the head. A layer's
    // weights are read only in between, and by backward_weight not at all; its gradient is complete at the end of
    // backward_weight.
    std::function<void(int, LayerPass)> begin_layer;
    std::function<void(int, LayerPass)> end_layer;
};

// Applies `function` to `x`; returns `x` if there is none.
template <typename T>
T through(const std::function<T(T)>& function, T x) {
    return function ? function(std::move(x)) : std::move(x);
}

template <typename... Arguments>
void tell(const std::function<void(Arguments...)>& function, std::type_identity_t<Arguments>... arguments) {
    if (function) {
        function(arguments...);
    }
}

}  // namespace sim::lesson
