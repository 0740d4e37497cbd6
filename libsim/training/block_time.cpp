#include "libsim/training/block_time.hpp"

#include "libsim/training/recomputation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sim::training {

namespace {

// Where experts' products are launched one by one: the product, its inputs split, padded and quantised, their scales
// put in order. Chosen on measured runs (Qwen3-30B and gpt-oss in the BRIDGE sets).
constexpr double launches_of_expert = 5;

Duration rounded(double seconds) {
    return duration_of_seconds(seconds);
}

Duration time_of(const std::vector<KernelSpan>& spans, std::size_t from) {
    Duration sum{0};
    for (std::size_t at = from; at < spans.size(); ++at) {
        sum += spans[at].time;
    }
    return sum;
}

Parts parts_of(const std::vector<KernelSpan>& spans) {
    Parts parts;
    for (const KernelSpan& span : spans) {
        parts[span.category] += span.time;
    }
    return parts;
}

}  // namespace

BlockTime& BlockTime::operator+=(const BlockTime& other) {
    forward += other.forward;
    backward_input += other.backward_input;
    backward_weight += other.backward_weight;
    paired_forward += other.paired_forward;
    paired_backward += other.paired_backward;
    forward_flops += other.forward_flops;
    backward_flops += other.backward_flops;
    recompute_flops += other.recompute_flops;
    return *this;
}

struct BlockTimes::InBf16 {
    Layout layout;
    BlockTimes times;

    InBf16(const BlockTimes& quantised, const Layout& all)
        : layout(all), times(*quantised.model_, *quantised.machine_, layout, quantised.groups_) {}
};

void BlockTimes::DeleteInBf16::operator()(InBf16* times) const {
    delete times;
}

BlockTimes::BlockTimes(const Transformer& model, const Machine& machine, const Layout& layout,
                       const BlockGroups& groups)
    : model_(&model),
      machine_(&machine),
      layout_(&layout),
      groups_(groups),
      kernels_(machine.gpu, layout),
      splits_backward_(layout.parallelism.schedule->splits_backward) {
    if (layout.numerics.first_layers_bf16 + layout.numerics.last_layers_bf16 > 0) {
        Layout all = layout;
        all.numerics = layout.numerics.in_bf16();
        in_bf16_.reset(new InBf16(*this, all));
    }
}

bool BlockTimes::is_in_bf16(int layer) const {
    return in_bf16_ != nullptr && layout_->numerics.leaves_in_bf16(layer, model_->layers);
}

double BlockTimes::busy_seconds(CollectiveKind kind, double bytes, const Footprint& members) const {
    return seconds(nccl_time(machine_->network, kind, std::llround(bytes), members)) *
           machine_->gpu.efficiency.busy_collective;
}

// An all-to-all goes back as it came; gathered tokens' gradients are reduced, and the other way round.
double BlockTimes::expert_backward_seconds(const Operator& op) const {
    if (!op.backward_collective) {
        return forward_seconds(op);
    }
    return busy_seconds(*op.backward_collective, op.backward_bytes, groups_.expert_tensor);
}

double BlockTimes::tensor_seconds(std::optional<CollectiveKind> kind, double bytes) const {
    return kind ? busy_seconds(*kind, bytes, groups_.tensor) : 0;
}

// All-to-all. Where a token goes to each node once and is handed on there (DeepEP), what crosses nodes is less by the
// experts that share a node. Within the node all copies travel, at the same time: all but those that stay on the GPU to
// which the token came.
double BlockTimes::expert_seconds(double bytes) const {
    const Footprint& group = groups_.expert;
    const int nodes = static_cast<int>(ceil_div(group.members, group.on_node));
    const bool by_node = layout_->framework.dispatch_by_node && nodes > 1;
    const double across = by_node ? bytes * nodes_of_a_token(model_->experts, nodes) / model_->experts.top_k : bytes;
    const double all = seconds(nccl_time(machine_->network, CollectiveKind::all_to_all, std::llround(across), group));
    const double handed_on =
        by_node && group.on_node > 1 ? bytes * (group.on_node - 1) / group.on_node / machine_->network.within : 0;
    return std::max(all, handed_on) * machine_->gpu.efficiency.busy_collective;
}

// Each of cp - 1 rounds hides behind the attention of the round before.
double BlockTimes::context_seconds(double bytes, double core) const {
    const int rounds = layout_->parallelism.cp - 1;
    const bool across = groups_.context.on_node < groups_.context.members;
    const double hop = seconds(nccl_message_time(machine_->network, std::llround(bytes), across)) *
                       machine_->gpu.efficiency.busy_collective;
    return rounds * std::max(0.0, hop - core / layout_->parallelism.cp);
}

double BlockTimes::forward_seconds(const Operator& op) const {
    switch (op.kind) {
        case OperatorKind::gemm: return kernels_.gemm(op.gemm, GemmKind::forward, op.format);
        case OperatorKind::grouped_gemm: return kernels_.grouped_gemm(op.gemm, GemmKind::forward);
        case OperatorKind::scores: return kernels_.scores(op.gemm);
        case OperatorKind::flash: return kernels_.flash({op.forward_flops, op.heads, op.head_dim, op.tokens, false});
        case OperatorKind::memory: return kernels_.memory(op.forward_bytes, op.forward_kernels);
        case OperatorKind::tensor: return tensor_seconds(op.forward_collective, op.forward_bytes);
        case OperatorKind::context: return 0;  // beside the attention: context_seconds()
        case OperatorKind::expert:
            return op.forward_collective ? busy_seconds(*op.forward_collective, op.forward_bytes, groups_.expert_tensor)
                                         : expert_seconds(op.forward_bytes);
    }
    return 0;
}

// What the host launches for an operator: a product of experts may be one kernel for each, and what is quantised takes
// one more. Collectives that a pass does without are not launched, nor is what a CUDA graph holds.
double BlockTimes::launches_of(const Operator& op, double kernels, bool quantises) const {
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

// Of a pass that is in no pair. A schedule that has pairs hides dispatch and combine in these; without pairs, a
// framework that hides them runs every micro-batch beside another one.
double BlockTimes::exposed_alone(const std::vector<Operator>& operators) const {
    const bool hides = layout_->framework.overlap_experts && !layout_->parallelism.schedule->pairs;
    return hides ? exposed_dispatch(operators) : 1;
}

// Where another micro-batch's computation runs beside them, dispatch and combine of both passes hide behind that of
// both.
double BlockTimes::exposed_dispatch(const std::vector<Operator>& operators) const {
    double dispatch = 0;
    double others = 0;
    for (const Operator& op : operators) {
        if (op.kind == OperatorKind::expert && !op.forward_collective) {
            dispatch += 2 * expert_seconds(op.forward_bytes);
        } else if (op.kind == OperatorKind::gemm || op.kind == OperatorKind::grouped_gemm) {
            const Gradients gradients = gradients_of(op);
            others += forward_seconds(op) + gradients.input + gradients.weight;
        } else if (op.kind == OperatorKind::flash || op.kind == OperatorKind::scores) {
            others += forward_seconds(op) + core_backward_seconds(op);
        }
    }
    return dispatch > 0 ? std::max(machine_->gpu.efficiency.tensor_exposed, (dispatch - others) / dispatch) : 1;
}

void BlockTimes::forward(const std::vector<Operator>& operators, bool again, double exposed,
                         std::vector<KernelSpan>& spans) const {
    double core = 0;
    const std::size_t before = spans.size();
    double launches = 0;
    double last_product = 0;
    for (std::size_t at = 0; at < operators.size(); ++at) {
        const Operator& op = operators[at];
        TimeCategory category = again ? TimeCategory::recompute : TimeCategory::compute;
        double time = forward_seconds(op);
        if (op.kind == OperatorKind::tensor) {
            category = again ? TimeCategory::recompute : TimeCategory::tensor;
            if (layout_->framework.overlap_tensor) {
                // Into a column-parallel product: beside that one. Out of a row-parallel one: beside the one before.
                const double beside = op.hides_behind_weights ? next_product(operators, at) : last_product;
                time = std::max(time * machine_->gpu.efficiency.tensor_exposed, time - beside);
            }
        } else if (op.kind == OperatorKind::context) {
            time = context_seconds(op.forward_bytes, core);
            category = TimeCategory::context;
        } else if (op.kind == OperatorKind::expert) {
            time *= op.forward_collective ? 1 : exposed;
            category = again ? TimeCategory::recompute : TimeCategory::expert;
        }
        if (op.kind == OperatorKind::gemm) {
            last_product = time;
        }
        if (op.is_attention_core) {
            core += time;
        }
        spans.push_back({op.name, category, rounded(time)});
        launches += time > 0 ? launches_of(op, op.forward_kernels, true) : 0;
    }
    add_wait_for_host(launches, before, spans);
}

double BlockTimes::next_product(const std::vector<Operator>& operators, std::size_t at) const {
    const auto next = std::find_if(operators.begin() + static_cast<std::ptrdiff_t>(at), operators.end(),
                                   [](const Operator& op) { return op.kind == OperatorKind::gemm; });
    return next == operators.end() ? 0 : forward_seconds(*next);
}

// Where the GPU is faster than the host that launches its kernels, it waits.
void BlockTimes::add_wait_for_host(double launches, std::size_t from, std::vector<KernelSpan>& spans) const {
    const Duration host = rounded(launches * machine_->gpu.efficiency.kernel_floor);
    const Duration gpu = time_of(spans, from);
    if (host > gpu) {
        spans.push_back({"waiting for the host", TimeCategory::overhead, host - gpu});
    }
}

// Both gradients of a product.
BlockTimes::Gradients BlockTimes::gradients_of(const Operator& op) const {
    const Gemm& g = op.gemm;
    const Gemm input{g.m, g.k, g.n, g.batch};
    if (op.kind == OperatorKind::grouped_gemm) {
        return {kernels_.grouped_gemm(input, GemmKind::input_gradient),
                kernels_.grouped_gemm(g, GemmKind::weight_gradient)};  // sums over its rows, which are `m`
    }
    return {kernels_.gemm(input, GemmKind::input_gradient, op.format),
            kernels_.gemm({g.n, g.k, g.m, g.batch}, GemmKind::weight_gradient, op.format)};
}

double BlockTimes::core_backward_seconds(const Operator& op) const {
    if (op.kind == OperatorKind::flash) {
        return kernels_.flash({op.backward_flops, op.heads, op.head_dim, op.tokens, true});
    }
    const Gemm& g = op.gemm;
    return kernels_.scores({g.m, g.k, g.n, g.batch}) + kernels_.scores({g.n, g.k, g.m, g.batch});
}

// A column-parallel product's collective runs beside its weight gradient where the framework does so. It is never cut
// into pieces with a product: it carries the sum of several (queries, keys and values; gate and up).
double BlockTimes::tensor_backward_seconds(const Operator& op, double weight_gradient) const {
    const Framework& framework = layout_->framework;
    const double time = tensor_seconds(op.backward_collective, op.backward_bytes);
    const double never_hidden = time * machine_->gpu.efficiency.tensor_exposed;
    const bool follows = !splits_backward_;  // otherwise the weight gradient comes some time later
    if (op.hides_behind_weights && !framework.overlap_weight_gradients) {
        return time;
    }
    if (op.hides_behind_weights && follows) {
        return std::max(never_hidden, time - weight_gradient);
    }
    return framework.overlap_tensor ? never_hidden : time;
}

// From the last operator to the first.
void BlockTimes::backward(const std::vector<Operator>& operators, double exposed, std::vector<KernelSpan>& input,
                          std::vector<KernelSpan>& weight) const {
    const std::size_t before = input.size();
    double weight_gradient = 0;  // of the last product
    double input_launches = 0;
    double weight_launches = 0;
    double core = 0;
    std::size_t exchange = 0;  // where keys and values go round, beside the attention that comes after it here
    const Operator* exchanged = nullptr;
    for (auto at = operators.rbegin(); at != operators.rend(); ++at) {
        const Operator& op = *at;
        double time = 0;
        TimeCategory category = TimeCategory::compute;
        switch (op.kind) {
            case OperatorKind::gemm:
            case OperatorKind::grouped_gemm: {
                const Gradients gradients = gradients_of(op);
                time = gradients.input;
                weight_gradient = gradients.weight;
                weight.push_back({op.name, TimeCategory::compute, rounded(weight_gradient)});
                weight_launches += launches_of(op, 1, false);
                break;
            }
            case OperatorKind::scores:
            case OperatorKind::flash:
                time = core_backward_seconds(op);
                core += time;
                break;
            case OperatorKind::memory: time = kernels_.memory(op.backward_bytes, op.backward_kernels); break;
            case OperatorKind::tensor:
                time = tensor_backward_seconds(op, weight_gradient);
                category = TimeCategory::tensor;
                break;
            case OperatorKind::context:
                exchange = input.size();
                exchanged = &op;
                category = TimeCategory::context;
                break;
            case OperatorKind::expert:
                time = expert_backward_seconds(op) * (op.backward_collective ? 1 : exposed);
                category = TimeCategory::expert;
                break;
        }
        input.push_back({op.name, category, rounded(time)});
        input_launches += time > 0 ? launches_of(op, op.backward_kernels, true) : 0;
    }
    if (exchanged != nullptr) {
        input[exchange].time = rounded(context_seconds(exchanged->backward_bytes, core));
    }
    add_wait_for_host(input_launches, before, input);
    add_wait_for_host(weight_launches, 0, weight);
}

BlockTimes::Passes BlockTimes::passes(const std::vector<Operator>& operators, const std::vector<Operator>& again,
                                      double exposed) const {
    Passes both;
    forward(operators, false, exposed, both.forward);
    forward(again, true, exposed, both.input);
    backward(operators, exposed, both.input, both.weight);
    return both;
}

BlockTime BlockTimes::sum(const std::vector<Operator>& operators, const std::vector<Operator>& again) const {
    BlockTime time;
    const Passes alone = passes(operators, again, exposed_alone(operators));
    time.forward = parts_of(alone.forward);
    time.backward_input = parts_of(alone.input);
    time.backward_weight = parts_of(alone.weight);
    if (layout_->parallelism.schedule->pairs) {
        const Passes paired = passes(operators, again, exposed_dispatch(operators));
        time.paired_forward = parts_of(paired.forward);
        time.paired_backward = parts_of(paired.input);
        time.paired_backward += parts_of(paired.weight);
    }
    for (const Operator& op : operators) {
        time.forward_flops += op.forward_flops;
        time.backward_flops += op.backward_flops;
    }
    for (const Operator& op : again) {
        time.recompute_flops += op.forward_flops;
    }
    return time;
}

bool BlockTimes::are_alike(int layer, int other) const {
    return model_->has_experts(layer) == model_->has_experts(other) &&
           model_->window_of(layer) == model_->window_of(other) && is_in_bf16(layer) == is_in_bf16(other);
}

const BlockTime& BlockTimes::of_layer(int layer) {
    if (is_in_bf16(layer)) {
        return in_bf16_->times.of_layer(layer);
    }
    const bool experts = model_->has_experts(layer);
    const int window = model_->window_of(layer);
    for (const Sort& sort : sorts_) {
        if (sort.experts == experts && sort.window == window) {
            return sort.time;
        }
    }
    const std::vector<Operator> operators = layer_operators(*model_, *layout_, layer);
    sorts_.reserve(8);  // references stay: layers come in two sorts of feed-forward part and two windows
    sorts_.push_back({experts, window, sum(operators, recomputed(operators, *layout_))});
    return sorts_.back().time;
}

BlockTime BlockTimes::of_embedding() const {
    return sum(embedding_operators(*model_, *layout_), {});
}

BlockTime BlockTimes::of_prediction(int number) const {
    const std::vector<Operator> operators = prediction_operators(*model_, *layout_, number);
    return sum(operators, recomputed(operators, *layout_));
}

BlockTime BlockTimes::of_output() const {
    return sum(output_operators(*model_, *layout_), {});
}

std::vector<KernelSpan> BlockTimes::forward_kernels(int layer) const {
    if (is_in_bf16(layer)) {
        return in_bf16_->times.forward_kernels(layer);
    }
    const std::vector<Operator> operators = layer_operators(*model_, *layout_, layer);
    std::vector<KernelSpan> spans;
    forward(operators, false, exposed_alone(operators), spans);
    return spans;
}

std::vector<KernelSpan> BlockTimes::backward_kernels(int layer) const {
    if (is_in_bf16(layer)) {
        return in_bf16_->times.backward_kernels(layer);
    }
    const std::vector<Operator> operators = layer_operators(*model_, *layout_, layer);
    const double exposed = exposed_alone(operators);
    std::vector<KernelSpan> spans;
    forward(recomputed(operators, *layout_), true, exposed, spans);
    std::vector<KernelSpan> weight;
    backward(operators, exposed, spans, weight);
    spans.insert(spans.end(), weight.begin(), weight.end());
    return spans;
}

}  // namespace sim::training
