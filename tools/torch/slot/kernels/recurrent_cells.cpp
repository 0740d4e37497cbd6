// One step of an LSTM and of a GRU, as in a GPU's fused kernel, from the products of input and hidden state with their
// weights. Cho et al., EMNLP 2014; Hochreiter and Schmidhuber, Neural Computation 9 (1997).
#include "tools/torch/slot/kernels/kernels.hpp"

#include <ATen/ATen.h>

#include <tuple>

namespace sim::slot {

namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;

constexpr std::int64_t lstm_gates = 4;
constexpr std::int64_t gru_gates = 3;
constexpr std::int64_t gru_kept = 5;

Tensor with_bias(const Tensor& gates, const MaybeTensor& bias) {
    return bias && bias->defined() ? gates + *bias : gates;
}

// The workspace keeps the gates after their activation functions.
std::tuple<Tensor, Tensor, Tensor> lstm_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& cell,
                                             const MaybeTensor& input_bias, const MaybeTensor& hidden_bias) {
    const Tensor sum = with_bias(hidden_gates, hidden_bias) + with_bias(input_gates, input_bias);
    const auto gates = sum.chunk(lstm_gates, 1);
    const Tensor in = gates[0].sigmoid();
    const Tensor forget = gates[1].sigmoid();
    const Tensor candidate = gates[2].tanh();
    const Tensor out = gates[3].sigmoid();
    const Tensor next = forget * cell + in * candidate;
    return {out * next.tanh(), next, at::cat({in, forget, candidate, out}, 1)};
}

std::tuple<Tensor, Tensor, Tensor> lstm_cell_backward(const MaybeTensor& of_hidden, const MaybeTensor& of_next,
                                                      const Tensor& cell, const Tensor& next, const Tensor& workspace,
                                                      bool has_bias) {
    const bool hidden_counts = of_hidden && of_hidden->defined();
    const bool next_counts = of_next && of_next->defined();
    if (!hidden_counts && !next_counts) {
        return {};
    }
    const auto gates = workspace.chunk(lstm_gates, 1);
    const Tensor &in = gates[0], &forget = gates[1], &candidate = gates[2], &out = gates[3];
    const Tensor squashed = next.tanh();
    const Tensor gradient = hidden_counts ? *of_hidden : at::zeros_like(next);
    Tensor of_cell = at::tanh_backward(gradient * out, squashed);
    if (next_counts) {
        of_cell = of_cell + *of_next;
    }
    const Tensor of_gates =
        at::cat({at::sigmoid_backward(of_cell * candidate, in), at::sigmoid_backward(of_cell * cell, forget),
                 at::tanh_backward(of_cell * in, candidate), at::sigmoid_backward(gradient * squashed, out)},
                1);
    return {of_gates, of_cell * forget, has_bias ? of_gates.sum(0) : Tensor()};
}

std::tuple<Tensor, Tensor> gru_cell(const Tensor& input_gates, const Tensor& hidden_gates, const Tensor& hidden,
                                    const MaybeTensor& input_bias, const MaybeTensor& hidden_bias) {
    const auto of_input = with_bias(input_gates, input_bias).chunk(gru_gates, 1);
    const auto of_hidden = with_bias(hidden_gates, hidden_bias).chunk(gru_gates, 1);
    const Tensor reset = (of_hidden[0] + of_input[0]).sigmoid();
    const Tensor update = (of_hidden[1] + of_input[1]).sigmoid();
    const Tensor candidate = (of_input[2] + of_hidden[2] * reset).tanh();
    const Tensor next = (hidden - candidate) * update + candidate;
    return {next, at::cat({reset, update, candidate, hidden, of_hidden[2]}, 1)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> gru_cell_backward(const Tensor& gradient, const Tensor& workspace,
                                                                     bool has_bias) {
    const auto kept = workspace.chunk(gru_kept, 1);
    const Tensor &reset = kept[0], &update = kept[1], &candidate = kept[2], &hidden = kept[3], &product = kept[4];
    const Tensor of_hidden = gradient * update;
    const Tensor of_update = at::sigmoid_backward(gradient * (hidden - candidate), update);
    const Tensor of_candidate = at::tanh_backward(gradient - of_hidden, candidate);
    const Tensor of_reset = at::sigmoid_backward(of_candidate * product, reset);
    const Tensor of_input_gates = at::cat({of_reset, of_update, of_candidate}, 1);
    const Tensor of_hidden_gates = at::cat({of_reset, of_update, of_candidate * reset}, 1);
    return {of_input_gates, of_hidden_gates, of_hidden, has_bias ? of_input_gates.sum(0) : Tensor(),
            has_bias ? of_hidden_gates.sum(0) : Tensor()};
}

}  // namespace

void add_recurrent_cells(Kernels& kernels) {
    kernels.add("_thnn_fused_lstm_cell", lstm_cell);
    kernels.add("_thnn_fused_lstm_cell_backward_impl", lstm_cell_backward);
    kernels.add("_thnn_fused_gru_cell", gru_cell);
    kernels.add("_thnn_fused_gru_cell_backward", gru_cell_backward);
}

}  // namespace sim::slot
