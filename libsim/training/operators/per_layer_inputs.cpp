#include "libsim/training/operators/operator_list.hpp"

namespace sim::training {

namespace {

// Products of all streams' coefficients are as small as this: every tensor-parallel rank has them, for its own tokens.
void add_small_product(OperatorList& list, const OperatorSizes& sizes, const char* name, std::int64_t outputs,
                       std::int64_t inputs) {
    list.everywhere(name, sizes.own_tokens, outputs, inputs).bytes.values =
        sizes.element * sizes.own_tokens * static_cast<double>(outputs);
}

}  // namespace

// All streams are the layer's input. A norm and a product of the first one give each token coefficients, by which the
// streams are mixed and added to themselves.
void add_predicted_streams(OperatorList& list, const OperatorSizes& sizes) {
    const int streams = sizes.model.per_layer->streams;
    const double all = sizes.bytes(streams * sizes.stream);
    if (streams == 1) {
        return;
    }
    Operator& norm = add_norm(list, sizes);
    norm.bytes = {.input = all, .values = sizes.input_bytes(sizes.stream)};
    add_small_product(list, sizes, "stream router", streams, sizes.model.hidden);
    add_small_product(list, sizes, "prediction coefficients", std::int64_t{streams} * streams, streams);
    Operator& mixed =
        list.memory("predicted streams", sizes.own_tokens * sizes.model.hidden, {3.0 * streams, 4.0 * streams, 2, 3});
    mixed.token_width = double{1} * streams * streams * sizes.model.hidden;
    mixed.bytes.values = all;
}

// Reads what attention reads; its result is added to the sum behind attention.
void add_low_rank_residual(OperatorList& list, const OperatorSizes& sizes) {
    const int rank = sizes.model.per_layer->rank;
    if (rank == 0) {
        return;
    }
    add_small_product(list, sizes, "low-rank down", rank, sizes.model.hidden);
    list.everywhere("low-rank up", sizes.own_tokens, sizes.model.hidden, rank);
    add_norm(list, sizes).bytes.values = sizes.bytes(sizes.stream);
    list.memory("low-rank residual", sizes.own_tokens * sizes.model.hidden, {4, 3, 1, 1});
}

// The first stream's change, times coefficients from the router of the prediction, corrects all streams; the gated
// inputs of the layer are then added to the others.
void add_corrected_streams(OperatorList& list, const OperatorSizes& sizes) {
    const PerLayerInputs& inputs = *sizes.model.per_layer;
    const int streams = inputs.streams;
    const double hidden = sizes.model.hidden;
    const double elements = sizes.own_tokens * hidden;
    if (streams > 1) {
        list.memory("norm and product of the stream router", elements, {3, 5.5, 2, 3}).token_width = streams * hidden;
        add_small_product(list, sizes, "correction coefficients", streams, streams);
        Operator& corrected = list.memory("corrected streams", elements, {2.0 * streams + 2, 3.0 * streams + 2, 2, 3});
        corrected.weights.norms = sizes.model.hidden;  // the scale of the first one
        corrected.bytes.values = sizes.bytes(2 * sizes.stream);
    }
    add_small_product(list, sizes, "per-layer gate", inputs.width, sizes.model.hidden);
    list.memory("gated inputs", sizes.own_tokens * inputs.width, {3, 5, 1, 2}).bytes.values =
        sizes.element * sizes.own_tokens * inputs.width;
    list.everywhere("per-layer projection", sizes.own_tokens, sizes.model.hidden, inputs.width);
    add_norm(list, sizes).bytes.values = sizes.bytes(sizes.stream);
    const double others = std::max(1, streams - 1);
    list.memory("sum with inputs", elements, {1 + 2 * others, others, 1, 1});
}

// The second table, whose rows are added to a projection of the words' embeddings, and the further streams.
void add_per_layer_tables(OperatorList& list, const OperatorSizes& sizes) {
    const PerLayerInputs& inputs = *sizes.model.per_layer;
    const std::int64_t width = std::int64_t{sizes.model.layers} * inputs.width;
    list.memory("per-layer embedding", sizes.tokens * static_cast<double>(width), {2, 4, 2, 3}).weights.matrix =
        inputs.vocabulary * width;
    list.tensor_out(static_cast<double>(width));
    list.everywhere("projection of embeddings", sizes.own_tokens, width, sizes.model.hidden);
    list.memory("norm and sum of inputs", sizes.own_tokens * static_cast<double>(width), {5, 6, 2, 3}).weights.norms =
        inputs.width;
    if (inputs.streams > 1) {
        const double others = inputs.streams - 1;
        Operator& product = list.everywhere("further streams", sizes.own_tokens,
                                            std::int64_t{inputs.streams - 1} * sizes.model.hidden, sizes.model.hidden);
        product.bytes.input = sizes.bytes(sizes.stream);
        list.memory("lengths of streams", sizes.own_tokens * others * sizes.model.hidden, {3, 5, 2, 3});
    }
}

// Products take the further streams back; the output layer reads the mean of all.
void add_sum_of_streams(OperatorList& list, const OperatorSizes& sizes) {
    const int streams = sizes.model.per_layer->streams;
    if (streams == 1) {
        return;
    }
    const double hidden = sizes.model.hidden;
    const double others = streams - 1;
    list.product("streams back", {sizes.own_tokens, hidden, hidden, others},
                 {.matrix = std::int64_t{streams - 1} * sizes.model.hidden * sizes.model.hidden, .everywhere = true});
    list.memory("mean of streams", sizes.own_tokens * hidden, {4 * others + 2, 6 * others + 1, 3, 4});
}

}  // namespace sim::training
