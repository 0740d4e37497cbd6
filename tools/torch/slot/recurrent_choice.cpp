#include "tools/torch/slot/choices.hpp"

#include "tools/torch/slot/recurrent_weights.hpp"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <ATen/native/RNN.h>
#include <c10/core/DeviceGuard.h>

#include <tuple>
#include <vector>

namespace sim::slot {

namespace {

using at::Tensor;
using at::TensorList;
using MaybeTensor = std::optional<Tensor>;

struct AskedLayers {
    RecurrentMode mode;
    bool has_biases;
    std::int64_t count;
    double dropout;
    bool trains;
    bool bidirectional;
    bool batch_first;
};

// The buffer that holds the weights after flatten_parameters; undefined if they are elsewhere.
Tensor buffer_of(const RecurrentWeights& weights) {
    const Tensor& first = weights.all[0];
    const std::int64_t elements = weights.elements();
    if (first.storage().nbytes() < static_cast<std::size_t>(elements) * first.element_size()) {
        return {};
    }
    const std::vector<std::int64_t> begins = weights.offsets();
    for (std::size_t i = 0; i < weights.all.size(); ++i) {
        const Tensor& weight = weights.all[i];
        if (!weight.is_contiguous() || weight.storage().data() != first.storage().data() ||
            weight.storage_offset() != begins[i]) {
            return {};
        }
    }
    return at::empty({0}, first.options()).set_(first.storage()).narrow(0, 0, elements);
}

// On a GPU it is created once per device, when a layer first uses dropout.
Tensor dropout_state(const AskedLayers& layers, const Tensor& input) {
    if (!layers.trains || layers.dropout == 0) {
        return {};
    }
    static std::vector<Tensor> states(static_cast<std::size_t>(at::detail::getCUDAHooks().deviceCount()));
    Tensor& state = states.at(static_cast<std::size_t>(input.device().index()));
    if (!state.defined()) {
        state = at::_cudnn_init_dropout_state(layers.dropout, layers.trains, 0, input.options().dtype(at::kByte));
    }
    return state;
}

RecurrentStates run_cudnn(const Tensor& input, at::IntArrayRef batch_sizes, const Tensor& hidden, const Tensor& cell,
                          TensorList weights, const AskedLayers& layers) {
    const c10::DeviceGuard on(input.device());
    const bool has_projection = cell.defined() && cell.size(2) != hidden.size(2);
    const std::int64_t stride = (layers.has_biases ? 4 : 2) + (has_projection ? 1 : 0);
    const auto [output, next, next_cell, reserve, buffer] =
        at::_cudnn_rnn(input, weights, stride, buffer_of({weights, stride}), hidden, cell,
                       static_cast<std::int64_t>(layers.mode), has_projection ? cell.size(2) : hidden.size(2),
                       has_projection ? hidden.size(2) : 0, layers.count, layers.batch_first, layers.dropout,
                       layers.trains, layers.bidirectional, batch_sizes, dropout_state(layers, input));
    return {output, next, next_cell};
}

at::IntArrayRef sizes_in(const Tensor& batch_sizes) {
    TORCH_CHECK(batch_sizes.dim() == 1, "batch_sizes tensor should be 1D");
    TORCH_CHECK(batch_sizes.device().is_cpu(), "batch_sizes tensor should be on CPU, but got ", batch_sizes.device());
    return {batch_sizes.const_data_ptr<std::int64_t>(), static_cast<std::size_t>(batch_sizes.size(0))};
}

void cudnn_lstm(Tensor& output, Tensor& hidden, Tensor& cell, const Tensor& input, TensorList state, TensorList weights,
                bool biases, std::int64_t layers, double dropout, bool trains, bool bidirectional, bool batch_first) {
    const RecurrentStates made =
        run_cudnn(input, {}, state[0], state[1], weights,
                  {RecurrentMode::lstm, biases, layers, dropout, trains, bidirectional, batch_first});
    std::tie(output, hidden, cell) = std::tie(made.output, made.hidden, made.cell);
}

void cudnn_packed_lstm(Tensor& output, Tensor& hidden, Tensor& cell, const Tensor& input, const Tensor& batch_sizes,
                       TensorList state, TensorList weights, bool biases, std::int64_t layers, double dropout,
                       bool trains, bool bidirectional) {
    const RecurrentStates made =
        run_cudnn(input, sizes_in(batch_sizes), state[0], state[1], weights,
                  {RecurrentMode::lstm, biases, layers, dropout, trains, bidirectional, false});
    std::tie(output, hidden, cell) = std::tie(made.output, made.hidden, made.cell);
}

template <RecurrentMode Mode>
void one_state(Tensor& output, Tensor& hidden, const Tensor& input, const Tensor& state, TensorList weights,
               bool biases, std::int64_t layers, double dropout, bool trains, bool bidirectional, bool batch_first) {
    const RecurrentStates made =
        run_cudnn(input, {}, state, {}, weights, {Mode, biases, layers, dropout, trains, bidirectional, batch_first});
    std::tie(output, hidden) = std::tie(made.output, made.hidden);
}

template <RecurrentMode Mode>
void packed_one_state(Tensor& output, Tensor& hidden, const Tensor& input, const Tensor& batch_sizes,
                      const Tensor& state, TensorList weights, bool biases, std::int64_t layers, double dropout,
                      bool trains, bool bidirectional) {
    const RecurrentStates made = run_cudnn(input, sizes_in(batch_sizes), state, {}, weights,
                                           {Mode, biases, layers, dropout, trains, bidirectional, false});
    std::tie(output, hidden) = std::tie(made.output, made.hidden);
}

// PyTorch's composite operators look the choice up in tables by device type, not in the dispatcher.
const bool is_choice_known = [] {
    using namespace at::native;
    lstm_cudnn_stub.set_cuda_dispatch_ptr(&cudnn_lstm);
    lstm_packed_cudnn_stub.set_cuda_dispatch_ptr(&cudnn_packed_lstm);
    gru_cudnn_stub.set_cuda_dispatch_ptr(&one_state<RecurrentMode::gru>);
    gru_packed_cudnn_stub.set_cuda_dispatch_ptr(&packed_one_state<RecurrentMode::gru>);
    rnn_tanh_cudnn_stub.set_cuda_dispatch_ptr(&one_state<RecurrentMode::tanh>);
    rnn_tanh_packed_cudnn_stub.set_cuda_dispatch_ptr(&packed_one_state<RecurrentMode::tanh>);
    rnn_relu_cudnn_stub.set_cuda_dispatch_ptr(&one_state<RecurrentMode::relu>);
    rnn_relu_packed_cudnn_stub.set_cuda_dispatch_ptr(&packed_one_state<RecurrentMode::relu>);
    return true;
}();

// Moves the weights into one new buffer, of which they become views.
Tensor flatten_weights(TensorList weights, std::int64_t stride, std::int64_t /*input_size*/, std::int64_t /*mode*/,
                       std::int64_t /*hidden_size*/, std::int64_t /*projection*/, std::int64_t /*layers*/,
                       bool /*batch_first*/, bool /*bidirectional*/) {
    TORCH_CHECK(!weights.empty(), "_cudnn_rnn_flatten_weight_: cannot flatten empty weight list");
    const RecurrentWeights all{weights, stride};
    Tensor buffer = at::zeros({all.elements()}, weights[0].options());
    const std::vector<Tensor> views = views_of(buffer, all);
    for (std::size_t i = 0; i < views.size(); ++i) {
        views[i].copy_(weights[i]);
        weights[i].set_data(views[i]);
    }
    return buffer;
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> run_in_half(
    const Tensor& input, TensorList weights, std::int64_t stride, const MaybeTensor& /*buffer*/, const Tensor& hidden,
    const MaybeTensor& cell, std::int64_t mode, std::int64_t hidden_size, std::int64_t projection, std::int64_t layers,
    bool batch_first, double dropout, bool train, bool bidirectional, at::IntArrayRef batch_sizes,
    const MaybeTensor& dropout_state) {
    const c10::impl::ExcludeDispatchKeyGuard below(c10::DispatchKey::Autocast);
    const c10::ScalarType half = at::autocast::get_autocast_dtype(c10::kCUDA);
    const auto cast = [half](const Tensor& tensor) {
        return tensor.defined() ? at::autocast::cached_cast(half, tensor) : tensor;
    };
    std::vector<Tensor> narrow;
    for (const Tensor& weight : weights) {
        narrow.push_back(weight.to(half));  // into a new buffer at each call, which autocast does not cache
    }
    return at::_cudnn_rnn(cast(input), narrow, stride, {}, cast(hidden), cell ? MaybeTensor(cast(*cell)) : cell, mode,
                          hidden_size, projection, layers, batch_first, dropout, train, bidirectional, batch_sizes,
                          dropout_state);
}

}  // namespace

void register_recurrent_weights(torch::Library& library) {
    library.impl("_cudnn_rnn_flatten_weight", flatten_weights);
}

void register_recurrent_autocast(torch::Library& library) {
    library.impl("_cudnn_rnn", run_in_half);
}

}  // namespace sim::slot
