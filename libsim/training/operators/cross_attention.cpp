#include "libsim/training/operators/operator_list.hpp"

namespace sim::training {

// Keys and values are computed from the encoder's result, which every tensor-parallel rank has.
void add_cross_attention(OperatorList& list, const OperatorSizes& sizes) {
    const Transformer& model = sizes.model;
    const double keys = model.encoder->sequence;
    const double encoded = sizes.layout.batch.micro * keys;
    const double heads = model.heads / sizes.tp;
    const double keys_and_values = sizes.key_width + sizes.value_width;
    const AttentionHead head{.keys = static_cast<double>(model.head_dim),
                             .values = static_cast<double>(model.head_dim)};
    list.tensor_in();
    Operator& query = list.columns("cross query", model.query_width(), model.hidden);
    query.bytes = {.values = sizes.bytes(sizes.query_width),
                   .chosen = sizes.bytes(sizes.query_width),
                   .weight_inputs = sizes.bytes(sizes.query_width + sizes.stream),
                   .gradients = sizes.bytes(sizes.query_width)};
    const double kept = sizes.element * encoded * keys_and_values;
    const std::int64_t outputs = model.key_width() + model.value_width();
    Operator& pair = list.product("cross key, value", {encoded, keys_and_values, static_cast<double>(model.hidden)},
                                  {.matrix = outputs * model.hidden, .rows = Rows::encoded});
    pair.weights.biases = model.biases || model.qkv_biases ? outputs : 0;
    pair.bytes = {.values = kept, .chosen = kept / 2, .weight_inputs = kept, .gradients = kept};
    Operator core{.name = "cross attention", .kind = OperatorKind::flash};
    core.forward_flops = 2 * sizes.tokens * keys * heads * head.forward();
    core.backward_flops = 2 * sizes.tokens * keys * heads * head.backward();
    core.heads = heads * sizes.layout.batch.micro;
    core.head_dim = head.values;
    core.keys = keys;
    core.cross_width = heads * head.forward();
    core.modules = LayerModule::core_attention;
    core.bytes = {.values = 4 * heads * sizes.tokens,
                  .chosen = 4 * heads * sizes.tokens + sizes.bytes(sizes.result_width)};
    list.add(core);
    list.rows("cross projection", model.hidden, model.output_width()).bytes = {
        .values = sizes.bytes(sizes.result_width),
        .weight_inputs = sizes.bytes(sizes.result_width + sizes.stream),
        .gradients = sizes.bytes(sizes.result_width)};
}

}  // namespace sim::training
