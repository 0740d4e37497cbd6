#include "libsim/training/operators/operator_list.hpp"

namespace sim::training {

namespace {

// The last product's result, which is never read again; PyTorch's policy keeps it anyway unless compiled.
double unread(const OperatorSizes& sizes, double bytes) {
    return sizes.compiled ? 0 : bytes;
}

Operator& add_activation(OperatorList& list, const OperatorSizes& sizes, double elements) {
    OperatorList::Passes passes =
        sizes.model.gated ? OperatorList::Passes{3, 5, 1, 1} : OperatorList::Passes{2, 3, 1, 1};
    if (sizes.eager) {
        passes = sizes.model.gated ? OperatorList::Passes{5, 8, 2, 3} : OperatorList::Passes{2, 3, 1, 1};
    }
    if (sizes.model.biases) {
        passes.forward += sizes.eager ? 2 : 0;
        passes.forward_kernels += sizes.eager ? 1 : 0;
        passes.backward += 1;  // the bias' gradient
        passes.backward_kernels += 1;
    }
    return list.memory("activation", elements, passes);
}

// Experts with biases (gpt-oss): Megatron Core adds the biases expert by expert and concatenates the parts, and its
// clamped GEGLU is a chain of PyTorch kernels, unless one kernel computes all experts' products and does both.
Operator& add_biased_activation(OperatorList& list, const OperatorSizes& sizes, double rows, double width,
                                double experts) {
    const double results = sizes.model.gated ? 2 : 1;
    list.memory("experts' biases", rows * (results * width + sizes.model.hidden), {4, 3, experts, experts});
    return list.memory("activation", rows * width, {19, 30, 8, 12});
}

Operator& add_expert_activation(OperatorList& list, const OperatorSizes& sizes, double rows, double width,
                                double experts) {
    const std::size_t first = list.size();
    const bool apart = sizes.model.biases && !sizes.layout.framework.grouped_experts;
    Operator& op =
        apart ? add_biased_activation(list, sizes, rows, width, experts) : add_activation(list, sizes, rows * width);
    list.mark_as(LayerModule::expert_activation, first);
    return op;
}

// The gate and the other half are matrices of their own.
void divide_up(Operator& up, const OperatorSizes& sizes, double width) {
    if (sizes.model.gated) {
        up.further_parts = 1;
        up.first_part = static_cast<float>(width);
    }
}

}  // namespace

// A gated activation function reads twice its width; PyTorch's policy keeps the first half.
void add_dense_ffn(OperatorList& list, const OperatorSizes& sizes, FeedForward which, std::int64_t width) {
    const int gate = sizes.model.gated ? 2 : 1;
    const double out = static_cast<double>(width) / sizes.tp;
    const double in = gate * out;
    const bool own = which == FeedForward::of_layer;
    const double stream = own ? sizes.bytes(sizes.stream) : 0;
    Operator& up = list.columns("up", gate * width, sizes.model.hidden);
    divide_up(up, sizes, out);
    up.bytes = {.values = sizes.bytes(in),
                .chosen = sizes.bytes(out),
                .weight_inputs = sizes.bytes(in) + stream,
                .gradients = own ? sizes.bytes(in) : 0};
    Operator& activation = add_activation(list, sizes, sizes.tokens * static_cast<double>(width) / sizes.tp);
    activation.bytes.values = sizes.input_bytes(out);
    activation.keeps_input = true;
    list.rows("down", sizes.model.hidden, width).bytes = {
        .chosen = unread(sizes, stream), .weight_inputs = sizes.bytes(out) + stream, .gradients = stream};
}

namespace {

void add_shared_experts(OperatorList& list, const OperatorSizes& sizes) {
    const std::size_t first = list.size();
    list.tensor_in();
    add_dense_ffn(list, sizes, FeedForward::shared_experts,
                  std::int64_t{sizes.model.experts.shared} * sizes.model.experts.ffn);
    list.tensor_out();
    if (sizes.model.experts.shared_gate) {
        list.everywhere("gate of shared experts", sizes.own_tokens, 1, sizes.model.hidden);
        list.memory("gated shared experts", sizes.own_tokens * sizes.model.hidden, {2, 3, 1, 2}).bytes.values =
            sizes.bytes(sizes.stream);
    }
    list.mark_as(LayerModule::shared_experts, first);
}

}  // namespace

namespace {

// The tokens that a rank dispatches to experts, and the rows that its own experts receive: on average as many as it
// sends; the rank with the fullest experts receives more, and the others wait for it. A rank's tokens are a share of
// its tensor-parallel group's, with or without sequence parallelism.
struct Visits {
    double tokens;
    double rows;      // tokens x top_k
    RoutedRows load;  // of the fullest rank, and of all
    double sent;      // rows that are not dropped
    double received;  // by the fullest rank
    double here;      // rows that its experts compute, spread evenly over them
    double experts;   // on the rank
    double width;     // of one expert on the rank
    double row_bytes;

    explicit Visits(const OperatorSizes& sizes)
        : tokens(sizes.layout.parallelism.sequence_parallel ? sizes.own_tokens : sizes.tokens / sizes.tp),
          rows(tokens * sizes.model.experts.top_k),
          load(routed_rows(sizes.layout.batch.expert_load, sizes.layout.framework.capacity_factor,
                           sizes.model.experts.count, sizes.layout.parallelism.ep)),
          sent(rows * load.kept),
          received(rows * load.fullest),
          here(received * sizes.layout.parallelism.expert_tp),
          experts(static_cast<double>(sizes.model.experts.count) / sizes.layout.parallelism.ep),
          width(static_cast<double>(sizes.model.experts.ffn) / sizes.layout.parallelism.expert_tp),
          row_bytes(sizes.model.hidden * sizes.element) {}
};

void add_router(OperatorList& list, const OperatorSizes& sizes, const Visits& visits) {
    const Experts& experts = sizes.model.experts;
    list.part_of_tokens();
    Operator& router = list.everywhere("router", visits.tokens, experts.count, sizes.model.hidden);
    router.format = Format::rest;
    router.weights.biases = experts.router_bias ? experts.count : 0;
    router.bytes.weight_inputs = sizes.bytes(sizes.stream);
    list.memory("top-k", visits.tokens * experts.count, {8, 6, 8, 6}).bytes.values =
        2 * 4 * visits.tokens * experts.count;  // logits and scores, in fp32
}

void add_dispatch(OperatorList& list, const OperatorSizes& sizes, const Visits& visits, const char* name) {
    if (sizes.layout.parallelism.ep > 1) {
        list.add({.name = name,
                  .kind = OperatorKind::expert,
                  .forward_bytes = visits.received * visits.row_bytes,
                  .backward_bytes = visits.received * visits.row_bytes});
    }
}

void add_within_experts(OperatorList& list, const OperatorSizes& sizes, const Visits& visits, const char* name,
                        CollectiveKind forward, CollectiveKind backward) {
    if (sizes.layout.parallelism.expert_tp > 1) {
        list.add({.name = name,
                  .kind = OperatorKind::expert,
                  .forward_bytes = visits.here * visits.row_bytes,
                  .backward_bytes = visits.here * visits.row_bytes,
                  .forward_collective = forward,
                  .backward_collective = backward});
    }
}

// The inputs came from other ranks, so gradients and inputs exist on both sides of the dispatch.
void add_expert_products(OperatorList& list, const OperatorSizes& sizes, const Visits& visits) {
    const std::int64_t hidden = sizes.model.hidden;
    const std::int64_t ffn = sizes.model.experts.ffn;
    const int gate = sizes.model.gated ? 2 : 1;
    const double rows = visits.here / visits.experts;  // per expert, if balanced
    const double inputs = visits.here * sizes.model.hidden;
    const double in = visits.here * gate * visits.width;
    const double out = visits.here * visits.width;
    const double h = sizes.model.hidden;
    // The times are those of the fullest rank, the FLOPs those of an average one.
    const double average = visits.load.kept / visits.load.fullest;
    Operator& up = list.experts("experts up", {rows, gate * visits.width, h, visits.experts}, gate * ffn, hidden);
    divide_up(up, sizes, visits.width);
    up.forward_flops *= average;
    up.backward_flops *= average;
    up.bytes = {.values = sizes.kept_input * inputs + sizes.element * in,
                .chosen = sizes.element * out,
                .weight_inputs = sizes.element * (inputs + in),
                .gradients = sizes.element * (inputs + out)};
    up.keeps_input = true;
    Operator& activation = add_expert_activation(list, sizes, rows * visits.experts, visits.width, visits.experts);
    activation.bytes.values = sizes.kept_input * out;
    activation.keeps_input = true;
    Operator& down = list.experts("experts down", {rows, h, visits.width, visits.experts}, hidden, ffn);
    down.forward_flops *= average;
    down.backward_flops *= average;
    down.bytes = {.weight_inputs = sizes.element * (inputs + out), .gradients = sizes.element * (inputs + out)};
}

}  // namespace

void add_experts(OperatorList& list, const OperatorSizes& sizes) {
    const Visits visits(sizes);
    const double values = visits.sent * sizes.model.hidden;
    const double stream = sizes.bytes(sizes.stream);
    const std::size_t first = list.size();
    add_router(list, sizes, visits);
    const std::size_t routed = list.size();
    list.memory("permutation", values, {2, 2, 2, 2});
    add_dispatch(list, sizes, visits, "dispatch");
    add_within_experts(list, sizes, visits, "all-gather of experts' tokens", CollectiveKind::all_gather,
                       CollectiveKind::reduce_scatter);
    add_expert_products(list, sizes, visits);
    add_within_experts(list, sizes, visits, "reduce-scatter of experts' results", CollectiveKind::reduce_scatter,
                       CollectiveKind::all_gather);
    add_dispatch(list, sizes, visits, "combine");
    list.memory("unpermutation", values, {2, 2, 2, 2}).bytes = {.chosen = unread(sizes, stream),
                                                                .weight_inputs = stream};
    list.mark_as_routed(routed);
    list.parts_together();
    if (sizes.model.experts.shared > 0) {
        add_shared_experts(list, sizes);
    }
    list.mark_as(LayerModule::experts, first);
}

}  // namespace sim::training
