// cuDNN's recurrent layers, computed by the CPU's. The backward pass runs them again, because cuDNN's reserve is
// opaque.
#include "tools/torch/slot/generator.hpp"
#include "tools/torch/slot/kernels/autograd.hpp"
#include "tools/torch/slot/kernels/kernels.hpp"
#include "tools/torch/slot/recurrent_weights.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <vector>

namespace sim::slot {

namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;
using Sizes = at::IntArrayRef;

constexpr std::int64_t draw_bytes = sizeof(Draw);
// cuDNN requests slightly over 2 MB.
constexpr std::int64_t dropout_state_bytes = std::int64_t{2} << 20U;

struct Layers {
    RecurrentMode mode;
    std::int64_t count;
    std::int64_t weights_of_each;  // per layer and direction
    bool batch_first;
    double dropout;
    bool trains;
    bool bidirectional;
    Sizes batch_sizes;  // for packed sequences; otherwise empty

    bool drops() const { return trains && dropout > 0; }
};

// Calls at::lstm or a similar function, for padded or packed sequences.
template <typename Function, typename State>
auto call_layers(Function function, const Layers& layers, const Tensor& input, at::TensorList weights,
                 const State& state, std::int64_t count) {
    const bool has_biases = RecurrentWeights{weights, layers.weights_of_each}.has_biases();
    if (layers.batch_sizes.empty()) {
        return function(input, state, weights, has_biases, count, 0.0, layers.trains, layers.bidirectional,
                        layers.batch_first);
    }
    return function(input, at::tensor(layers.batch_sizes, at::kLong), state, weights, has_biases, count, 0.0,
                    layers.trains, layers.bidirectional);
}

RecurrentStates run_layers(const Layers& layers, const Tensor& input, at::TensorList weights, const Tensor& hidden,
                           const Tensor& cell, std::int64_t count) {
    const auto with_one_state = [&](auto function) {
        const auto [output, next] = call_layers(function, layers, input, weights, hidden, count);
        return RecurrentStates{output, next, {}};
    };
    switch (layers.mode) {
        case RecurrentMode::relu: return with_one_state([](const auto&... given) { return at::rnn_relu(given...); });
        case RecurrentMode::tanh: return with_one_state([](const auto&... given) { return at::rnn_tanh(given...); });
        case RecurrentMode::gru: return with_one_state([](const auto&... given) { return at::gru(given...); });
        case RecurrentMode::lstm: break;
    }
    const std::vector<Tensor> state{hidden, cell};
    const auto [output, next, next_cell] = call_layers([](const auto&... given) { return at::lstm(given...); }, layers,
                                                       input, weights, at::TensorList(state), count);
    return {output, next, next_cell};
}

// Runs layer by layer, and applies dropout between them.
RecurrentStates run_with_dropout(const Layers& layers, const Tensor& input, at::TensorList weights,
                                 const Tensor& hidden, const Tensor& cell, const Draw& draw) {
    at::Generator generator = generator_of(draw);
    const std::int64_t directions = layers.bidirectional ? 2 : 1;
    const auto weights_of_layer = static_cast<std::size_t>(layers.weights_of_each * directions);
    std::vector<Tensor> hiddens;
    std::vector<Tensor> cells;
    Tensor output = input;
    for (std::int64_t i = 0; i < layers.count; ++i) {
        const auto part = [&](const Tensor& state) {
            return state.defined() ? state.narrow(0, i * directions, directions) : state;
        };
        const RecurrentStates made =
            run_layers(layers, output, weights.slice(static_cast<std::size_t>(i) * weights_of_layer, weights_of_layer),
                       part(hidden), part(cell), 1);
        output = made.output;
        hiddens.push_back(made.hidden);
        cells.push_back(made.cell);
        if (i + 1 < layers.count) {
            const Tensor kept = at::empty_like(output, at::kBool).bernoulli_(1 - layers.dropout, generator);
            output = output * kept * (layers.dropout < 1 ? 1 / (1 - layers.dropout) : 0.0);
        }
    }
    return {output, at::cat(hiddens), cell.defined() ? at::cat(cells) : Tensor()};
}

RecurrentStates run_all(const Layers& layers, const Tensor& input, at::TensorList weights, const Tensor& hidden,
                        const Tensor& cell, const Draw& draw) {
    return layers.drops() ? run_with_dropout(layers, input, weights, hidden, cell, draw)
                          : run_layers(layers, input, weights, hidden, cell, layers.count);
}

// cuDNN does not document its reserve. This is a guess: the gates, the state and its activation, for each step, layer
// and direction.
Tensor reserve_for(const Layers& layers, const Tensor& output, const Tensor& hidden, const Draw& draw) {
    if (!layers.trains) {
        return at::empty({0}, at::kByte);
    }
    const std::int64_t gates = layers.mode == RecurrentMode::lstm ? 4 : layers.mode == RecurrentMode::gru ? 3 : 1;
    const std::int64_t bytes =
        output.numel() * layers.count * (gates + 2) * static_cast<std::int64_t>(hidden.element_size());
    Tensor reserve = at::empty({std::max(bytes, draw_bytes)}, at::kByte);
    std::memcpy(reserve.mutable_data_ptr(), &draw, draw_bytes);
    return reserve;
}

Draw drawn_in(const Tensor& reserve) {
    Draw draw;
    std::memcpy(&draw, reserve.const_data_ptr(), draw_bytes);
    return draw;
}

Tensor defined_or_none(const MaybeTensor& tensor) {
    return tensor ? *tensor : Tensor();
}

// The output of a layer: one step after another in memory.
Tensor steps_of_shape(const Layers& layers, const Tensor& input, std::int64_t width) {
    std::vector<std::int64_t> shape = input.sizes().vec();
    shape.back() = width;
    if (!layers.batch_first || !layers.batch_sizes.empty()) {
        return input.new_empty(shape);
    }
    std::swap(shape[0], shape[1]);
    return input.new_empty(shape).transpose(0, 1);
}

// The states for meta tensors. (Running the layers on these would take a call per step.)
RecurrentStates states_of_shapes(const Layers& layers, const Tensor& input, const Tensor& hidden, const Tensor& cell) {
    return {steps_of_shape(layers, input, hidden.size(-1) * (layers.bidirectional ? 2 : 1)), at::empty_like(hidden),
            cell.defined() ? at::empty_like(cell) : Tensor()};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> rnn_forward(
    const Tensor& input, at::TensorList weights, std::int64_t stride, const MaybeTensor& buffer, const Tensor& hidden,
    const MaybeTensor& cell, std::int64_t mode, std::int64_t /*hidden_size*/, std::int64_t /*projection*/,
    std::int64_t layers, bool batch_first, double dropout, bool train, bool bidirectional, Sizes batch_sizes,
    const MaybeTensor& /*dropout_state*/) {
    const Layers all{
        static_cast<RecurrentMode>(mode), layers, stride, batch_first, dropout, train, bidirectional, batch_sizes};
    // cuDNN draws from its own state; here the device's generator serves, which a script seeds.
    const Draw draw = all.drops() && !input.is_meta() ? next_draw(default_generator(-1)) : Draw{};
    const RecurrentStates made = input.is_meta() ? states_of_shapes(all, input, hidden, defined_or_none(cell))
                                                 : run_all(all, input, weights, hidden, defined_or_none(cell), draw);
    const Tensor next_cell = made.cell.defined() ? made.cell : at::empty({0}, hidden.options());
    // Weights outside cuDNN's buffer are copied into a new one.
    const Tensor held = buffer && buffer->defined()
                            ? *buffer
                            : at::empty({RecurrentWeights{weights, stride}.elements()}, weights[0].options());
    return {made.output, made.hidden, next_cell, reserve_for(all, made.output, hidden, draw), held};
}

// The gradients of all weights are in one buffer, like the weights.
std::vector<Tensor> in_one_buffer(at::ArrayRef<Tensor> gradients, const RecurrentWeights& weights) {
    const Tensor buffer = at::zeros({weights.elements()}, weights.all[0].options());
    std::vector<Tensor> views = views_of(buffer, weights);
    for (std::size_t i = 0; i < views.size(); ++i) {
        views[i].copy_(gradients[i]);
    }
    return views;
}

// The gradients for meta tensors.
std::vector<Tensor> gradients_of_shapes(const Layers& layers, const std::vector<Tensor>& inputs) {
    std::vector<Tensor> made{steps_of_shape(layers, inputs[0], inputs[0].size(-1))};
    for (const Tensor& each : at::ArrayRef<Tensor>(inputs).slice(1)) {
        made.push_back(each.defined() ? at::empty_like(each) : each);
    }
    return made;
}

// The gradients of the input, the states and the weights, which are `inputs`.
std::vector<Tensor> layer_gradients(const Layers& layers, const std::vector<Tensor>& inputs, const Draw& draw,
                                    const std::vector<Tensor>& of_states) {
    const WithAutograd on;
    std::vector<Tensor> leaves;
    for (const Tensor& each : inputs) {
        leaves.push_back(leaf_of(each));
    }
    const RecurrentStates made =
        run_all(layers, leaves[0], at::TensorList(leaves).slice(3), leaves[1], leaves[2], draw);
    return gradients_of({made.output, made.hidden, made.cell}, of_states, leaves);
}

std::tuple<Tensor, Tensor, Tensor, std::vector<Tensor>> rnn_backward(
    const Tensor& input, at::TensorList weights, std::int64_t stride, const Tensor& /*buffer*/, const Tensor& hidden,
    const MaybeTensor& cell, const Tensor& /*output*/, const MaybeTensor& of_output, const MaybeTensor& of_hidden,
    const MaybeTensor& of_cell, std::int64_t mode, std::int64_t /*hidden_size*/, std::int64_t /*projection*/,
    std::int64_t layers, bool batch_first, double dropout, bool train, bool bidirectional, Sizes batch_sizes,
    const MaybeTensor& /*dropout_state*/, const Tensor& reserve, std::array<bool, 4> wanted) {
    TORCH_CHECK(train, "cudnn RNN backward can only be called in training mode");
    const Layers all{
        static_cast<RecurrentMode>(mode), layers, stride, batch_first, dropout, train, bidirectional, batch_sizes};
    std::vector<Tensor> inputs{input, hidden, defined_or_none(cell)};
    inputs.insert(inputs.end(), weights.begin(), weights.end());
    const std::vector<Tensor> gradients =
        input.is_meta()
            ? gradients_of_shapes(all, inputs)
            : layer_gradients(all, inputs, drawn_in(reserve),
                              {defined_or_none(of_output), defined_or_none(of_hidden), defined_or_none(of_cell)});
    const at::ArrayRef<Tensor> of_weights = at::ArrayRef<Tensor>(gradients).slice(3);
    return {wanted[0] ? gradients[0] : Tensor(), wanted[1] ? gradients[1] : Tensor(),
            wanted[2] ? gradients[2] : Tensor(),
            wanted[3] ? in_one_buffer(of_weights, {weights, stride}) : std::vector<Tensor>()};
}

Tensor new_dropout_state(double /*dropout*/, bool /*train*/, std::int64_t /*seed*/,
                         std::optional<c10::ScalarType> /*type*/, std::optional<c10::Layout> /*layout*/,
                         std::optional<c10::Device> /*device*/, std::optional<bool> /*pinned*/) {
    return at::empty({dropout_state_bytes}, at::kByte);
}

}  // namespace

void add_recurrent_layers(Kernels& kernels) {
    kernels.add("_cudnn_rnn", rnn_forward);
    kernels.add("_cudnn_rnn_backward", rnn_backward);
    kernels.add("_cudnn_init_dropout_state", new_dropout_state);
}

}  // namespace sim::slot
