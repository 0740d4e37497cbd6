#include "libsim/training/operators/operator_list.hpp"

namespace sim::training {

namespace {

void add_activation(OperatorList& list, const OperatorSizes& sizes, double elements) {
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
    list.memory("activation", elements, passes);
}

// Experts with biases (gpt-oss): Megatron Core adds those expert by expert and puts the parts together again, and its
// clamped GEGLU is a chain of PyTorch's kernels, unless the products of all experts are one kernel, which does both.
void add_biased_activation(OperatorList& list, const OperatorSizes& sizes, double rows, double width, double experts) {
    const double results = sizes.model.gated ? 2 : 1;
    list.memory("experts' biases", rows * (results * width + sizes.model.hidden), {4, 3, experts, experts});
    list.memory("activation", rows * width, {19, 30, 8, 12});
}

void add_expert_activation(OperatorList& list, const OperatorSizes& sizes, double rows, double width, double experts) {
    const std::size_t first = list.size();
    if (sizes.model.biases && !sizes.layout.framework.grouped_experts) {
        add_biased_activation(list, sizes, rows, width, experts);
    } else {
        add_activation(list, sizes, rows * width);
    }
    list.mark_as(LayerModule::expert_activation, first);
}

}  // namespace

void add_dense_ffn(OperatorList& list, const OperatorSizes& sizes, std::int64_t width) {
    list.columns("up", (sizes.model.gated ? 2 : 1) * width, sizes.model.hidden);
    add_activation(list, sizes, sizes.tokens * static_cast<double>(width) / sizes.tp);
    list.rows("down", sizes.model.hidden, width);
}

namespace {

void add_shared_experts(OperatorList& list, const OperatorSizes& sizes) {
    const std::size_t first = list.size();
    list.tensor_in();
    add_dense_ffn(list, sizes, std::int64_t{sizes.model.experts.shared} * sizes.model.experts.ffn);
    list.tensor_out();
    list.mark_as(LayerModule::shared_experts, first);
}

}  // namespace

void add_experts(OperatorList& list, const OperatorSizes& sizes) {
    const Transformer& model = sizes.model;
    const Experts& experts = model.experts;
    const Layout& layout = sizes.layout;
    const double tokens = layout.parallelism.sequence_parallel ? sizes.own_tokens : sizes.tokens / sizes.tp;
    const double hidden = model.hidden;
    const std::size_t first = list.size();
    list.part_of_tokens();
    Operator& router = list.everywhere("router", tokens, experts.count, model.hidden);
    router.format = Format::rest;
    router.weights.biases = experts.router_bias ? experts.count : 0;
    list.memory("top-k", tokens * experts.count, {8, 6, 8, 6});

    const double rows = tokens * experts.top_k;
    const std::size_t routed = list.size();
    const auto dispatch = [&](const char* name) {
        if (layout.parallelism.ep > 1) {
            list.add({.name = name,
                      .kind = OperatorKind::expert,
                      .forward_bytes = rows * hidden * sizes.element,
                      .backward_bytes = rows * hidden * sizes.element});
        }
    };
    list.memory("permutation", rows * hidden, {2, 2, 2, 2});
    dispatch("dispatch");
    const auto within_experts = [&](const char* name, CollectiveKind forward, CollectiveKind backward) {
        if (layout.parallelism.expert_tp > 1) {
            const double bytes = rows * layout.parallelism.expert_tp * hidden * sizes.element;
            list.add({.name = name,
                      .kind = OperatorKind::expert,
                      .forward_bytes = bytes,
                      .backward_bytes = bytes,
                      .forward_collective = forward,
                      .backward_collective = backward});
        }
    };
    within_experts("all-gather of experts' tokens", CollectiveKind::all_gather, CollectiveKind::reduce_scatter);
    const double local = static_cast<double>(experts.count) / layout.parallelism.ep;
    const double here = rows * layout.parallelism.expert_tp / local;  // rows of each expert, balanced
    const double width = static_cast<double>(experts.ffn) / layout.parallelism.expert_tp;
    const std::int64_t results = (model.gated ? 2 : 1) * std::int64_t{experts.ffn};
    list.experts("experts up", {here, (model.gated ? 2 : 1) * width, hidden, local}, results, model.hidden);
    add_expert_activation(list, sizes, here * local, width, local);
    list.experts("experts down", {here, hidden, width, local}, model.hidden, experts.ffn);
    within_experts("reduce-scatter of experts' results", CollectiveKind::reduce_scatter, CollectiveKind::all_gather);
    dispatch("combine");
    list.memory("unpermutation", rows * hidden, {2, 2, 2, 2});
    list.mark_as_routed(routed);
    list.parts_together();
    if (experts.shared > 0) {
        add_shared_experts(list, sizes);
    }
    list.mark_as(LayerModule::experts, first);
}

}  // namespace sim::training
