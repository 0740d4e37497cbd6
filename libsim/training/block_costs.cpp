#include "libsim/training/block_costs.hpp"

#include <algorithm>
#include <cmath>

namespace sim::training {

namespace {

// Launches per expert if experts' products are launched one by one: the product, the splitting, padding and quantising
// of its inputs, and the ordering of their scales. Chosen on measured runs (Qwen3-30B and gpt-oss in the BRIDGE sets).
constexpr double launches_of_expert = 5;

}  // namespace

BlockCosts::BlockCosts(const Transformer& model, const Machine& machine, const Layout& layout,
                       const BlockGroups& groups)
    : model_(&model), machine_(&machine), layout_(&layout), groups_(groups), kernels_(machine.gpu, layout) {}

double BlockCosts::busy_seconds(CollectiveKind kind, double bytes, const Footprint& members) const {
    return seconds(nccl_time(machine_->network, kind, std::llround(bytes), members)) *
           machine_->gpu.efficiency.busy_collective;
}

// The backward pass of an all-to-all is an all-to-all; of an all-gather a reduce-scatter, and vice versa.
double BlockCosts::expert_backward_seconds(const Operator& op) const {
    if (!op.backward_collective) {
        return forward_seconds(op);
    }
    return busy_seconds(*op.backward_collective, op.backward_bytes, groups_.expert_tensor);
}

double BlockCosts::tensor_seconds(std::optional<CollectiveKind> kind, double bytes) const {
    return kind ? busy_seconds(*kind, bytes, groups_.tensor) : 0;
}

// All-to-all. If a token goes to each node once and is forwarded there (DeepEP), only one copy per node crosses the
// network. Within the node all copies travel at the same time, except those for the GPU that received the token.
double BlockCosts::expert_seconds(double bytes) const {
    const Footprint& group = groups_.expert;
    const int nodes = static_cast<int>(ceil_div(group.members, group.on_node));
    const bool by_node = layout_->framework.dispatch_by_node && nodes > 1;
    const double across = by_node ? bytes * nodes_of_a_token(model_->experts, nodes) / model_->experts.top_k : bytes;
    const double all = seconds(nccl_time(machine_->network, CollectiveKind::all_to_all, std::llround(across), group));
    const double handed_on = by_node && group.on_node > 1 ? bytes * (group.on_node - 1) / group.on_node /
                                                                network::node_rate(machine_->network, group.on_node)
                                                          : 0;
    return std::max(all, handed_on) * machine_->gpu.efficiency.busy_collective;
}

double BlockCosts::context_collective_seconds(std::optional<CollectiveKind> kind, double bytes) const {
    const bool among_heads = kind == CollectiveKind::all_to_all && layout_->head_ranks() > 1;
    const Footprint& group = among_heads ? groups_.heads : groups_.context;
    return kind ? busy_seconds(*kind, bytes, group) : 0;
}

// Each round but the first hides behind the attention of the previous one.
double BlockCosts::context_seconds(double bytes, double core) const {
    const int rounds = layout_->ring_ranks() - 1;
    const bool across = groups_.context.on_node < groups_.context.members;
    const double hop = seconds(nccl_message_time(machine_->network, std::llround(bytes), across)) *
                       machine_->gpu.efficiency.busy_collective;
    return rounds * std::max(0.0, hop - core / layout_->ring_ranks());
}

double BlockCosts::forward_seconds(const Operator& op) const {
    switch (op.kind) {
        case OperatorKind::gemm: return kernels_.gemm(op.gemm, GemmKind::forward, op.format, 1 + op.further_parts);
        case OperatorKind::grouped_gemm: return kernels_.grouped_gemm(op.gemm, GemmKind::forward);
        case OperatorKind::scores: return kernels_.scores(op.gemm);
        case OperatorKind::flash:
            return kernels_.flash({op.forward_flops, op.heads, op.head_dim, op.keys, op.all_keys, false});
        case OperatorKind::scan:
            return kernels_.scan({.flops = op.forward_flops,
                                  .product_share = op.product_share,
                                  .turns = double{1} * op.forward_turns,
                                  .bytes = op.forward_bytes,
                                  .kernels = op.forward_kernels});
        case OperatorKind::memory: return kernels_.memory(op.forward_bytes, op.forward_kernels);
        case OperatorKind::tensor: return tensor_seconds(op.forward_collective, op.forward_bytes);
        // A ring runs beside the attention: context_seconds().
        case OperatorKind::context: return context_collective_seconds(op.forward_collective, op.forward_bytes);
        case OperatorKind::expert:
            return op.forward_collective ? busy_seconds(*op.forward_collective, op.forward_bytes, groups_.expert_tensor)
                                         : expert_seconds(op.forward_bytes);
    }
    return 0;
}

double BlockCosts::memory_backward_seconds(const Operator& op) const {
    return kernels_.memory(op.backward_bytes, op.backward_kernels);
}

double BlockCosts::host_seconds(double launches) const {
    return launches * machine_->gpu.efficiency.kernel_floor;
}

double BlockCosts::host_copy_seconds(double bytes) const {
    return bytes / machine_->host_link;
}

// The number of kernels that the host launches for an operator. Experts' products may take one kernel each, and
// quantising adds one. Collectives that a pass does not have are not launched, nor are kernels inside a CUDA graph.
double BlockCosts::launches_of(const Operator& op, double kernels, bool quantises) const {
    const Framework& framework = layout_->framework;
    const bool in_graph = framework.cuda_graphs == CudaGraphs::full ||
                          (framework.cuda_graphs == CudaGraphs::partial && !op.waits_for_routing);
    if (in_graph) {
        return 0;
    }
    const bool cast = quantises && op.format == Format::products && row_of(layout_->numerics.precision).quantises();
    const double each = cast ? 2 : 1;
    switch (op.kind) {
        case OperatorKind::gemm: return each;
        case OperatorKind::grouped_gemm: return framework.grouped_experts ? each : launches_of_expert * op.gemm.batch;
        default: return kernels;
    }
}

// For a pass that is not part of a pair. A schedule with pairs hides dispatch and combine in the pairs; without pairs,
// a framework that hides them runs every micro-batch beside another one.
double BlockCosts::exposed_alone(const std::vector<Operator>& operators) const {
    const bool hides = layout_->framework.overlap_experts && !layout_->parallelism.schedule->pairs;
    return hides ? exposed_dispatch(operators) : 1;
}

// Beside another micro-batch's computation, dispatch and combine of both passes hide behind the computation of both.
double BlockCosts::exposed_dispatch(const std::vector<Operator>& operators) const {
    double dispatch = 0;
    double others = 0;
    for (const Operator& op : operators) {
        if (op.kind == OperatorKind::expert && !op.forward_collective) {
            dispatch += 2 * expert_seconds(op.forward_bytes);
        } else if (op.kind == OperatorKind::gemm || op.kind == OperatorKind::grouped_gemm) {
            const Gradients gradients = gradients_of(op);
            others += forward_seconds(op) + gradients.input + gradients.weight;
        } else if (op.kind == OperatorKind::flash || op.kind == OperatorKind::scores || op.kind == OperatorKind::scan) {
            others += forward_seconds(op) + core_backward_seconds(op);
        }
    }
    return dispatch > 0 ? std::max(machine_->gpu.efficiency.tensor_exposed, (dispatch - others) / dispatch) : 1;
}

// A collective into a column-parallel product overlaps with that product; one out of a row-parallel product overlaps
// with the product before it.
double BlockCosts::tensor_forward_seconds(const std::vector<Operator>& operators, std::size_t at,
                                          double last_product) const {
    const Operator& op = operators[at];
    const double time = forward_seconds(op);
    if (!layout_->framework.overlap_tensor) {
        return time;
    }
    const double beside = op.hides_behind_weights ? next_product(operators, at) : last_product;
    return std::max(time * machine_->gpu.efficiency.tensor_exposed, time - beside);
}

double BlockCosts::next_product(const std::vector<Operator>& operators, std::size_t at) const {
    const auto next = std::find_if(operators.begin() + static_cast<std::ptrdiff_t>(at), operators.end(),
                                   [](const Operator& op) { return op.kind == OperatorKind::gemm; });
    return next == operators.end() ? 0 : forward_seconds(*next);
}

BlockCosts::Gradients BlockCosts::gradients_of(const Operator& op) const {
    const Gemm& g = op.gemm;
    const Gemm input{g.m, g.k, g.n, g.batch};
    if (op.weights_are == Trained::frozen) {
        return {op.kind == OperatorKind::grouped_gemm ? kernels_.grouped_gemm(input, GemmKind::input_gradient)
                                                      : kernels_.gemm(input, GemmKind::input_gradient, op.format),
                0};
    }
    if (op.kind == OperatorKind::grouped_gemm) {
        return {kernels_.grouped_gemm(input, GemmKind::input_gradient),
                kernels_.grouped_gemm(g, GemmKind::weight_gradient)};  // sums over its rows, which are `m`
    }
    return {kernels_.gemm(input, GemmKind::input_gradient, op.format),
            kernels_.gemm({g.n, g.k, g.m, g.batch}, GemmKind::weight_gradient, op.format)};
}

double BlockCosts::core_backward_seconds(const Operator& op) const {
    if (op.kind == OperatorKind::scan) {
        return kernels_.scan({.flops = op.backward_flops,
                              .product_share = op.product_share,
                              .turns = double{1} * op.backward_turns,
                              .bytes = op.backward_bytes,
                              .kernels = op.backward_kernels});
    }
    if (op.kind == OperatorKind::flash) {
        return kernels_.flash({op.backward_flops, op.heads, op.head_dim, op.keys, op.all_keys, true});
    }
    const Gemm& g = op.gemm;
    return kernels_.scores({g.m, g.k, g.n, g.batch}) + kernels_.scores({g.n, g.k, g.m, g.batch});
}

// A column-parallel product's collective overlaps with its weight gradient if the framework does so. It is never split
// into pieces that overlap with a product, because it carries the sum of several (queries, keys and values; gate and
// up).
double BlockCosts::tensor_backward_seconds(const Operator& op, double weight_gradient) const {
    const Framework& framework = layout_->framework;
    const double time = tensor_seconds(op.backward_collective, op.backward_bytes);
    const double never_hidden = time * machine_->gpu.efficiency.tensor_exposed;
    const bool follows = !layout_->parallelism.schedule->splits_backward;  // otherwise the weight gradient runs later
    if (op.hides_behind_weights && !framework.overlap_weight_gradients) {
        return time;
    }
    if (op.hides_behind_weights && follows) {
        return std::max(never_hidden, time - weight_gradient);
    }
    return framework.overlap_tensor ? never_hidden : time;
}

}  // namespace sim::training
