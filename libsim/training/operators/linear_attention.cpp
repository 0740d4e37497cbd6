#include "libsim/training/operators/operator_list.hpp"

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

// The short convolution, if there is one, and the activation function behind it.
void add_short_convolution(OperatorList& list, const OperatorSizes& sizes, const LinearAttention& linear,
                           const LinearKindRow& row) {
    const LinearWidths widths(linear, sizes.tp);
    const std::int64_t bias = row.convolution_bias ? linear.mixed_width() : 0;
    const std::int64_t channels = row.channel_bias ? std::int64_t{linear.heads} * linear.key_dim : 0;
    Operator& op = list.memory(linear.convolution > 0 ? "short convolution" : "activation of queries, keys, values",
                               sizes.tokens * widths.mixed, {2, 3, 1, 1});
    op.weights.biases =
        linear.convolution * linear.mixed_width() + bias + channels + std::int64_t{row.head_parameters} * linear.heads;
    op.token_width = linear.convolution * widths.mixed;
    op.bytes.values = row.keeps_convolved ? sizes.bytes(widths.mixed) : 0;
}

// Its kernels read queries, keys and values and write the result, and pass the states of chunks to each other. By the
// delta rule they also pass updates, as wide as keys and values, and two matrices of a chunk's tokens.
void add_scan(OperatorList& list, const OperatorSizes& sizes, const LinearAttention& linear, const LinearKindRow& row) {
    const LinearWidths widths(linear, sizes.tp);
    const double state = widths.heads * linear.key_dim * linear.value_dim / linear.chunk;  // per token
    const double updates = row.delta_rule ? widths.heads * (linear.key_dim + linear.value_dim) : 0;
    const double inner = row.delta_rule ? 2 * widths.heads * linear.chunk : 0;
    const double moved = sizes.bytes(widths.mixed + widths.values + 2 * (updates + inner));
    Operator op{.name = "scan", .kind = OperatorKind::scan};
    op.forward_flops = 2 * sizes.tokens * widths.heads * executed_multiplications(linear);
    op.backward_flops = row.backward_work * op.forward_flops;
    op.forward_bytes = moved + row.state_passes * sizes.tokens * state;
    op.backward_bytes = row.backward_work * op.forward_bytes;
    op.forward_kernels = row.forward_kernels;
    op.backward_kernels = row.backward_kernels;
    op.token_width = row.multiplications(linear) / sizes.tp;
    const double result = sizes.bytes(widths.values);
    op.bytes = {.values = result + sizes.bytes(inner / 2), .chosen = result, .gradients = result};
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
    add_short_convolution(list, sizes, linear, row);
    add_scan(list, sizes, linear, row);
    Operator& norm = list.memory("gated norm", sizes.tokens * widths.values, {3, 5, 1, 2});
    norm.weights.norms = row.wide_norm ? linear.value_width() : linear.value_dim;
    norm.bytes.values = sizes.input_bytes(widths.values);
    Operator& projection = list.rows("projection", sizes.model.hidden, linear.value_width());
    projection.weights.biases = 0;
    projection.bytes.weight_inputs = sizes.bytes(widths.values + sizes.stream);
}

}  // namespace sim::training
