#include "libsim/training/operators/operator_list.hpp"

#include <algorithm>

namespace sim::training {

namespace {

// Values per token on one rank.
struct LinearWidths {
    double keys;    // of queries and keys
    double values;  // of values, and of the result
    double mixed;   // of both: what the convolution reads
    double heads;

    LinearWidths(const LinearAttention& linear, double tp)
        : keys(static_cast<double>(linear.key_width()) / tp),
          values(static_cast<double>(linear.value_width()) / tp),
          mixed(keys + values),
          heads(linear.heads / tp) {}
};

// Queries, keys and values; the output gate, unless it has a low rank; the gates of each head.
void add_linear_projections(OperatorList& list, const OperatorSizes& sizes, const LinearAttention& linear,
                            const LinearKindRow& row) {
    const LinearWidths widths(linear, sizes.tp);
    const double gates = row.head_gates * widths.heads;
    const double gate = row.low_rank_gates ? 0 : widths.values;
    const std::int64_t outputs = linear.mixed_width() + (row.low_rank_gates ? 0 : linear.value_width()) +
                                 std::int64_t{row.head_gates} * linear.heads;
    const double all = sizes.bytes(widths.mixed + gate + gates);
    list.tensor_in();
    Operator& op = list.columns("query, key, value, gate", outputs, sizes.model.hidden);
    op.weights.biases = 0;
    op.bytes = {.values = all, .chosen = all, .weight_inputs = all + sizes.bytes(sizes.stream), .gradients = all};
}

// Every rank has the matrices to the small vectors, as with latent attention.
void add_low_rank_gates(OperatorList& list, const OperatorSizes& sizes, const LinearAttention& linear) {
    const std::int64_t decay = std::int64_t{linear.heads} * linear.key_dim;
    const std::int64_t small = std::int64_t{linear.key_dim} + linear.value_dim;
    const double widths = static_cast<double>(decay + linear.value_width()) / sizes.tp;
    list.everywhere("gates down", sizes.tokens, small, sizes.model.hidden).bytes.values =
        sizes.bytes(static_cast<double>(small));
    for (const auto& [name, outputs, inputs] :
         {std::tuple{"decay up", decay, linear.key_dim}, {"gate up", linear.value_width(), linear.value_dim}}) {
        list.columns(name, outputs, inputs).weights.biases = 0;
    }
    list.memory("activation of gates", sizes.tokens * widths, {2, 3, 2, 2}).bytes = {.values = sizes.bytes(widths),
                                                                                     .chosen = sizes.bytes(widths)};
}

// With parts of a sequence on the ranks of context parallelism, each computes the scan of the whole sequence for some
// heads (Megatron-Core, ssm/mamba_context_parallel.py), and for the groups of queries and keys that those read: where
// there are fewer groups than ranks, several ranks have the same one.
LinearAttention scanned_by(const OperatorSizes& sizes) {
    LinearAttention scanned = *sizes.model.linear;
    const Parallelism& axes = sizes.layout.parallelism;
    if (axes.cp > 1) {
        scanned.key_heads = std::max(scanned.key_heads, axes.cp * axes.tp);
    }
    return scanned;
}

// Gates come along: of each head, of each channel of the result, and by Kimi delta attention of each of the keys.
double exchanged_width(const OperatorSizes& sizes, const LinearAttention& scanned, const LinearKindRow& row) {
    const LinearWidths widths(scanned, sizes.tp);
    const double decay = row.low_rank_gates ? widths.heads * scanned.key_dim : 0;
    return widths.mixed + widths.values + decay + row.head_gates * widths.heads;
}

// The short convolution, if there is one, and the activation function behind it. Backward, flash-linear-attention
// convolves again, and sums and rounds the gradient of the weights in kernels of their own.
void add_short_convolution(OperatorList& list, const OperatorSizes& sizes, const LinearAttention& linear,
                           const LinearKindRow& row) {
    const LinearWidths widths(scanned_by(sizes), sizes.tp);
    const std::int64_t bias = row.convolution_bias ? linear.mixed_width() : 0;
    const std::int64_t channels = row.channel_bias ? std::int64_t{linear.heads} * linear.key_dim : 0;
    const bool convolves = linear.convolution > 0;
    const double kernels = convolves ? row.convolutions : 1;
    const bool again = convolves && row.convolves_again;
    Operator& op =
        list.memory(convolves ? "short convolution" : "activation of queries, keys, values",
                    sizes.tokens * widths.mixed, {2, again ? 6.0 : 3.0, kernels, again ? 4 * kernels : kernels});
    op.weights.biases =
        linear.convolution * linear.mixed_width() + bias + channels + std::int64_t{row.head_parameters} * linear.heads;
    op.token_width = linear.convolution * widths.mixed;
    op.bytes.values = row.keeps_convolved ? sizes.bytes(widths.mixed) : 0;
}

// Kernels that wait for products, kernels that go from chunk to chunk, and those that wait for the memory.
void add_scan(OperatorList& list, const OperatorSizes& sizes, const LinearAttention& linear, const LinearKindRow& row) {
    const auto bytes = [&](const ScanTraffic& of) { return sizes.bytes(numbers_of(of, linear) / sizes.tp); };
    const auto flops = [&](const ScanProducts& of) {
        return 2 * sizes.tokens * multiplications_of(of, linear) / sizes.tp;
    };
    const ScanPass& forward = row.forward;
    const ScanPass& backward = row.backward;
    if (row.product_share > 0) {
        list.add({.name = "products within chunks",
                  .kind = OperatorKind::scan,
                  .product_share = static_cast<float>(row.product_share),
                  .forward_flops = flops(forward.products),
                  .backward_flops = flops(backward.products),
                  .forward_kernels = double{1} * forward.product_kernels,
                  .backward_kernels = double{1} * backward.product_kernels});
    }
    const int chunks = static_cast<int>(ceil_div(sizes.model.sequence, kernel_chunk(linear)));
    list.add({.name = "states of chunks",
              .kind = OperatorKind::scan,
              .forward_turns = forward.turns * chunks,
              .backward_turns = backward.turns * chunks,
              .forward_bytes = bytes(forward.states),
              .backward_bytes = bytes(backward.states),
              .forward_kernels = double{1} * forward.state_kernels,
              .backward_kernels = double{1} * backward.state_kernels});
    Operator op{.name = "scan", .kind = OperatorKind::scan};
    op.forward_flops = flops(forward.hidden);
    op.backward_flops = flops(backward.hidden);
    op.forward_bytes = bytes(forward.traffic);
    op.backward_bytes = bytes(backward.traffic);
    op.forward_kernels = forward.kernels;
    op.backward_kernels = backward.kernels;
    op.token_width = row.multiplications(linear) / sizes.tp;
    const LinearWidths widths(linear, sizes.tp);
    const double result = sizes.bytes(widths.values);
    const double inverse = row.delta_rule ? sizes.bytes(widths.heads * linear.chunk) : 0;
    op.bytes = {.values = result + inverse, .chosen = result, .gradients = result};
    list.add(op);
}

}  // namespace

void add_linear_attention(OperatorList& list, const OperatorSizes& sizes) {
    const LinearAttention& linear = *sizes.model.linear;
    const LinearKindRow& row = row_of(linear.kind);
    const LinearWidths widths(linear, sizes.tp);
    add_linear_projections(list, sizes, linear, row);
    if (row.low_rank_gates) {
        add_low_rank_gates(list, sizes, linear);
    }
    const LinearAttention scanned = scanned_by(sizes);
    const int parts = sizes.layout.parallelism.cp;
    list.exchange_of_heads("all-to-all of what the scan reads", parts, exchanged_width(sizes, scanned, row));
    add_short_convolution(list, sizes, linear, row);
    add_scan(list, sizes, scanned, row);
    list.exchange_of_heads("all-to-all of results", parts, widths.values);
    Operator& norm = list.memory("gated norm", sizes.tokens * widths.values, {3, 5, 1, 3});
    norm.weights.norms = row.wide_norm ? linear.value_width() : linear.value_dim;
    norm.bytes.values = sizes.input_bytes(widths.values);
    Operator& projection = list.rows("projection", sizes.model.hidden, linear.value_width());
    projection.weights.biases = 0;
    projection.bytes.weight_inputs = sizes.bytes(widths.values + sizes.stream);
}

}  // namespace sim::training
