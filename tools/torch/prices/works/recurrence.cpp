// A recurrent network in one call: for each layer and direction, one product for the inputs of all steps, and for each
// step one product with the state and the kernel for the next state. Layers and directions are priced in sequence,
// although cuDNN may run some of them concurrently.
#include "tools/torch/prices/works/parts.hpp"

#include <algorithm>

namespace sim::torch::prices {

using seam::Tensor;
using training::GemmKind;

namespace {

struct Network {
    double rows = 0;  // in all steps together
    double steps = 0;
    double batch = 0;  // per step, on average
    double width = 0;  // of the input
    double gates = 0;  // width of all gates together
    double hidden = 0;
    double output = 0;  // per direction: narrower than the state if projected
    double layers = 0;
    double directions = 0;
    double element = 0;

    double width_of(int layer) const { return layer == 0 ? width : output * directions; }
    // A step reads the two products for its gates, and reads and writes its states.
    double bytes_of_step() const { return (2 * gates + 3 * hidden) * batch * element; }
};

double gates_of(std::int64_t mode) {
    constexpr std::int64_t lstm = 2;
    constexpr std::int64_t gru = 3;
    return mode == lstm ? 4 : mode == gru ? 3 : 1;
}

Network network_of(const Call& call) {
    const Tensor& input = call.tensor({"input"});
    const auto batches = call.integers("batch_sizes");
    const bool batch_first = call.flag("batch_first", false);
    const std::int64_t width = side_from_end(input, 1);
    const std::int64_t rows = elements(input) / std::max<std::int64_t>(1, width);
    const std::int64_t steps =
        batches.empty() ? side_from_end(input, batch_first ? 2 : 3) : static_cast<std::int64_t>(batches.size());
    const std::int64_t hidden = call.integer("hidden_size", 0);
    const std::int64_t projected = call.integer("proj_size", 0);
    return {.rows = static_cast<double>(rows),
            .steps = static_cast<double>(steps),
            .batch = static_cast<double>(rows) / static_cast<double>(std::max<std::int64_t>(1, steps)),
            .width = static_cast<double>(width),
            .gates = gates_of(call.integer("mode", 0)) * static_cast<double>(hidden),
            .hidden = static_cast<double>(hidden),
            .output = static_cast<double>(projected > 0 ? projected : hidden),
            .layers = static_cast<double>(call.integer("num_layers", 1)),
            .directions = call.flag("bidirectional", false) ? 2.0 : 1.0,
            .element = static_cast<double>(element_bytes(input.type))};
}

// Adds up the products and the kernels between them.
class Sum {
public:
    Sum(const Asked& asked, const Tensor& input)
        : asked_(&asked), precision_(precision_of(input, asked.tf32.convolutions)) {}

    void product(const training::Gemm& shape, GemmKind kind, double times) {
        const auto count = static_cast<std::int64_t>(times);
        time_ += asked_->times.matrix_product(shape, kind, precision_) * count;
        flops_ += shape.flops() * times;
    }
    void memory(double bytes, double times) { time_ += asked_->times.memory(bytes) * static_cast<std::int64_t>(times); }
    Work work() const { return multiplied(*asked_, time_, "recurrent network", flops_, precision_); }

private:
    const Asked* asked_;
    training::OperatorPrecision precision_;
    Duration time_{};
    double flops_ = 0;
};

}  // namespace

Work recurrence_work(const Asked& asked) {
    const Network of = network_of(asked.call);
    if (std::min({of.rows, of.hidden, of.layers}) <= 0) {
        return {};
    }
    Sum sum(asked, asked.call.tensor({"input"}));
    for (int layer = 0; layer < static_cast<int>(of.layers); ++layer) {
        sum.product({of.rows, of.gates, of.width_of(layer)}, GemmKind::forward, of.directions);
        sum.product({of.batch, of.gates, of.output}, GemmKind::forward, of.directions * of.steps);
        sum.memory(of.bytes_of_step(), of.directions * of.steps);
    }
    return sum.work();
}

Work recurrence_backward_work(const Asked& asked) {
    const Network of = network_of(asked.call);
    if (std::min({of.rows, of.hidden, of.layers}) <= 0) {
        return {};
    }
    Sum sum(asked, asked.call.tensor({"input"}));
    for (int layer = 0; layer < static_cast<int>(of.layers); ++layer) {
        const double width = of.width_of(layer);
        sum.memory(of.bytes_of_step(), of.directions * of.steps);
        sum.product({of.batch, of.output, of.gates}, GemmKind::input_gradient, of.directions * of.steps);
        sum.product({of.rows, width, of.gates}, GemmKind::input_gradient, of.directions);
        sum.product({of.gates, width, of.rows}, GemmKind::weight_gradient, of.directions);
        sum.product({of.gates, of.output, of.rows}, GemmKind::weight_gradient, of.directions);
    }
    return sum.work();
}

}  // namespace sim::torch::prices
