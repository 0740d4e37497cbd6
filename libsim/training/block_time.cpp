#include "libsim/training/block_time.hpp"

#include "libsim/training/memory.hpp"
#include "libsim/training/recomputation.hpp"
#include "libsim/training/tower.hpp"

#include <algorithm>
#include <iterator>

namespace sim::training {

namespace {

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

TimeParts parts_of(const std::vector<KernelSpan>& spans) {
    TimeParts parts;
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

BlockTimes::BlockTimes(const Transformer& model, const Machine& machine, const Layout& layout,
                       const BlockGroups& groups)
    : model_(&model), layout_(&layout), costs_(model, machine, layout, groups) {
    if (layout.numerics.first_layers_bf16 + layout.numerics.last_layers_bf16 > 0) {
        Layout all = layout;
        all.numerics = layout.numerics.in_bf16();
        layout_in_bf16_ = std::make_unique<const Layout>(all);
        in_bf16_ = std::make_unique<BlockTimes>(model, machine, *layout_in_bf16_, groups);
    }
}

bool BlockTimes::is_in_bf16(int layer) const {
    return in_bf16_ != nullptr && layout_->numerics.leaves_in_bf16(layer, model_->layers);
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
        double time = costs_.forward_seconds(op);
        if (op.kind == OperatorKind::tensor) {
            category = again ? TimeCategory::recompute : TimeCategory::tensor;
            time = costs_.tensor_forward_seconds(operators, at, last_product);
        } else if (op.kind == OperatorKind::context) {
            time = op.is_ring() ? costs_.context_seconds(op.forward_bytes, core) : time;
            category = TimeCategory::context;
        } else if (op.kind == OperatorKind::expert) {
            time *= op.forward_collective ? 1 : exposed;
            category = again ? TimeCategory::recompute : TimeCategory::expert;
        }
        if (op.kind == OperatorKind::gemm) {
            last_product = time;
        }
        if (op.modules.has(LayerModule::core_attention)) {
            core += time;
        }
        spans.push_back({op.name, category, rounded(time)});
        launches += time > 0 ? costs_.launches_of(op, op.forward_kernels, true) : 0;
    }
    add_wait_for_host(launches, before, spans);
}

// The GPU waits if it is faster than the host that launches its kernels.
void BlockTimes::add_wait_for_host(double launches, std::size_t from, std::vector<KernelSpan>& spans) const {
    const Duration host = rounded(costs_.host_seconds(launches));
    const Duration gpu = time_of(spans, from);
    if (host > gpu) {
        spans.push_back({"waiting for the host", TimeCategory::overhead, host - gpu});
    }
}

// A layer's copies run beside the next layer, which is assumed to take as long.
void BlockTimes::add_wait_for_copies(double copied, Duration beside, std::vector<KernelSpan>& spans) const {
    const Duration copies = copied > 0 ? rounded(costs_.host_copy_seconds(copied)) : Duration{0};
    if (copies > beside) {
        spans.push_back({"waiting for copies of activations", TimeCategory::overhead, copies - beside});
    }
}

// From the last operator to the first.
void BlockTimes::backward(const std::vector<Operator>& operators, double exposed, std::vector<KernelSpan>& input,
                          std::vector<KernelSpan>& weight) const {
    const std::size_t before = input.size();
    double weight_gradient = 0;  // of the product visited last
    double input_launches = 0;
    double weight_launches = 0;
    double core = 0;
    std::size_t exchange = 0;  // index of the exchange that runs beside the attention visited after it
    const Operator* exchanged = nullptr;
    for (auto at = operators.rbegin(); at != operators.rend(); ++at) {
        const Operator& op = *at;
        double time = 0;
        TimeCategory category = TimeCategory::compute;
        switch (op.kind) {
            case OperatorKind::gemm:
            case OperatorKind::grouped_gemm: {
                const BlockCosts::Gradients gradients = costs_.gradients_of(op);
                time = gradients.input;
                weight_gradient = gradients.weight;
                if (op.weights_are != Trained::frozen) {
                    weight.push_back({op.name, TimeCategory::compute, rounded(weight_gradient)});
                    // The host launches an adapter's short kernels while the long ones of input gradients run.
                    (op.weights_are == Trained::as_adapter ? input_launches : weight_launches) +=
                        costs_.launches_of(op, 1, false);
                }
                break;
            }
            case OperatorKind::scores:
            case OperatorKind::flash:
                time = costs_.core_backward_seconds(op);
                core += time;
                break;
            case OperatorKind::scan: time = costs_.core_backward_seconds(op); break;
            case OperatorKind::memory: time = costs_.memory_backward_seconds(op); break;
            case OperatorKind::tensor:
                time = costs_.tensor_backward_seconds(op, weight_gradient);
                category = TimeCategory::tensor;
                break;
            case OperatorKind::context:
                if (op.is_ring()) {
                    exchange = input.size();
                    exchanged = &op;
                }
                time = costs_.context_collective_seconds(op.backward_collective, op.backward_bytes);
                category = TimeCategory::context;
                break;
            case OperatorKind::expert:
                time = costs_.expert_backward_seconds(op) * (op.backward_collective ? 1 : exposed);
                category = TimeCategory::expert;
                break;
        }
        input.push_back({op.name, category, rounded(time)});
        input_launches += time > 0 ? costs_.launches_of(op, op.backward_kernels, true) : 0;
    }
    if (exchanged != nullptr) {
        input[exchange].time = rounded(costs_.context_seconds(exchanged->backward_bytes, core));
    }
    add_wait_for_host(input_launches, before, input);
    add_wait_for_host(weight_launches, 0, weight);
}

BlockTimes::Passes BlockTimes::passes(const std::vector<Operator>& operators, const std::vector<Operator>& again,
                                      double exposed, double copied) const {
    Passes both;
    forward(operators, false, exposed, both.forward);
    add_wait_for_copies(copied, time_of(both.forward, 0), both.forward);
    forward(again, true, exposed, both.input);
    backward(operators, exposed, both.input, both.weight);
    add_wait_for_copies(copied, time_of(both.input, 0) + time_of(both.weight, 0), both.input);
    return both;
}

BlockTime BlockTimes::sum(const std::vector<Operator>& operators, const std::vector<Operator>& again,
                          double copied) const {
    BlockTime time;
    const Passes alone = passes(operators, again, costs_.exposed_alone(operators), copied);
    time.forward = parts_of(alone.forward);
    time.backward_input = parts_of(alone.input);
    time.backward_weight = parts_of(alone.weight);
    if (layout_->parallelism.schedule->pairs) {
        const Passes paired = passes(operators, again, costs_.exposed_dispatch(operators), copied);
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

BlockTimes::Sort BlockTimes::sort_of(int layer) const {
    return {.kind = model_->kind_of(layer),
            .window = model_->window_of(layer),
            .rotates = model_->rotates(layer),
            .offloaded = is_offloaded(layer)};
}

bool BlockTimes::are_alike(int layer, int other) const {
    return sort_of(layer) == sort_of(other) && is_in_bf16(layer) == is_in_bf16(other);
}

bool BlockTimes::is_offloaded(int layer) const {
    return layer < layout_->framework.offloaded_layers;
}

double BlockTimes::copied_bytes(int layer) const {
    return is_offloaded(layer) ? static_cast<double>(layer_activations(*model_, *layout_, layer)) : 0;
}

const BlockTime& BlockTimes::of_layer(int layer) {
    if (is_in_bf16(layer)) {
        return in_bf16_->of_layer(layer);
    }
    const Sort wanted = sort_of(layer);
    for (const auto& [sort, time] : sorts_) {
        if (sort == wanted) {
            return time;
        }
    }
    const std::vector<Operator> operators = layer_operators(*model_, *layout_, layer);
    // Reserved so that references stay valid: layers with attention also differ by window, all by offloading.
    sorts_.reserve(2 * (LayerKind::count + 3));
    sorts_.push_back({wanted, sum(operators, recomputed(operators, *layout_), copied_bytes(layer))});
    return sorts_.back().second;
}

BlockTime BlockTimes::of_embedding() const {
    return sum(embedding_operators(*model_, *layout_), {});
}

BlockTime BlockTimes::of_tower() const {
    BlockTime all;
    for (const TowerPart& part : tower_parts(*model_, *layout_)) {
        const bool repeats = part.is_layer && part.trained;
        BlockTime one = sum(part.operators, repeats ? recomputed(part.operators, *layout_) : std::vector<Operator>{});
        if (!part.trained) {
            one = {.forward = one.forward, .paired_forward = one.paired_forward, .forward_flops = one.forward_flops};
        }
        for (int time = 0; time < part.times; ++time) {
            all += one;
        }
    }
    return all;
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
        return in_bf16_->forward_kernels(layer);
    }
    const std::vector<Operator> operators = layer_operators(*model_, *layout_, layer);
    return passes(operators, {}, costs_.exposed_alone(operators), copied_bytes(layer)).forward;
}

std::vector<KernelSpan> BlockTimes::backward_kernels(int layer) const {
    if (is_in_bf16(layer)) {
        return in_bf16_->backward_kernels(layer);
    }
    const std::vector<Operator> operators = layer_operators(*model_, *layout_, layer);
    Passes both =
        passes(operators, recomputed(operators, *layout_), costs_.exposed_alone(operators), copied_bytes(layer));
    both.input.insert(both.input.end(), both.weight.begin(), both.weight.end());
    return both.input;
}

}  // namespace sim::training
