#include "libsim/training/operators/operator_list.hpp"

#include <array>

namespace sim::training {

namespace {

bool is_product(const Operator& op) {
    return op.kind == OperatorKind::gemm || op.kind == OperatorKind::grouped_gemm;
}

// A layer's operators with frozen weights, adapters beside its products, and unpacking before them.
class Adapted {
public:
    explicit Adapted(const Layout& layout)
        : layout_(layout), element_(element_bytes(layout)), kept_input_(kept_input_bytes(layout)) {}

    void add(const Operator& op) {
        if (op.weights_are != Trained::whole || !holds_weights(op)) {
            list_.push_back(op);
            return;
        }
        is_product(op) ? add_product(op) : add_rest(op);
    }

    std::vector<Operator> take() { return std::move(list_); }

private:
    static bool holds_weights(const Operator& op) { return is_product(op) || op.weights.matrix > 0 || op.keeps_input; }

    bool is_adapted(const Operator& op) const {
        LayerModules feed_forward = LayerModule::dense_ffn;
        feed_forward |= LayerModule::experts;
        return op.format == Format::products &&
               (layout_.adapters.targets == AdapterTargets::all_linear || !op.modules.has_any_of(feed_forward));
    }

    // A memory-bound operator: of a table, which now has no gradient, or one whose result is a product's input.
    void add_rest(Operator op) {
        if (op.weights.matrix > 0) {
            op.weights_are = Trained::frozen;
            op.backward_bytes = 0;
            op.backward_kernels = 0;
        }
        if (op.keeps_input) {
            producer_ = list_.size();
        }
        op.keeps_input = false;
        list_.push_back(op);
    }

    void add_product(Operator op) {
        const bool adapted = is_adapted(op);
        op.weights_are = Trained::frozen;
        op.backward_flops = op.forward_flops;  // only the input's gradient
        if (!adapted) {
            op.bytes.values -= op.keeps_input ? kept_input_ * op.gemm.m * op.gemm.k * op.gemm.batch : 0;
            op.bytes.weight_inputs = 0;
        }
        op.keeps_input = false;
        if (op.format == Format::products) {
            release_producer(adapted);
            add_unpacking(op);
        }
        list_.push_back(op);
        if (adapted) {
            add_adapters(op);
        }
    }

    // The input of a product is kept only for the gradient of weights.
    void release_producer(bool adapted) {
        if (producer_ != none) {
            list_[producer_].bytes.values *= adapted ? 1 : 0;
            producer_ = none;
        }
    }

    void add_unpacking(const Operator& op) {
        const BasePrecisionRow& base = row_of(layout_.adapters.base);
        if (base.quantises()) {
            const double bytes = op.gemm.n * op.gemm.k * op.gemm.batch * (base.bytes + element_);
            list_.push_back({.name = "unpacking of weights",
                             .kind = OperatorKind::memory,
                             .forward_bytes = bytes,
                             .backward_bytes = bytes,
                             .waits_for_routing = op.waits_for_routing,
                             .modules = op.modules});
        }
    }

    // A product that computes several matrices has a pair for each of them.
    void add_adapters(const Operator& op) {
        add_pair(op, first_outputs(op));
        for (int part = 0; part < op.further_parts; ++part) {
            add_pair(op, further_outputs(op));
        }
    }
    void add_pair(const Operator& op, double outputs) {
        const double rank = layout_.adapters.rank;
        const Gemm& gemm = op.gemm;
        const double rows = gemm.m * gemm.batch;
        Operator& down = add_half("adapter down", {gemm.m, rank, gemm.k, gemm.batch}, op);
        down.bytes.values = rows * rank * element_;  // what the second half's gradient is computed from
        down.bytes.chosen = down.bytes.values;
        add_half("adapter up", {gemm.m, outputs, rank, gemm.batch}, op);
        // The result is scaled and added to the product's, the gradient of the input to that of the product's input.
        const bool eager = layout_.framework.fusion == Fusion::eager;
        const double passes = eager ? 5 : 3;
        const double kernels = eager ? 2 : 1;
        list_.push_back({.name = "sum with adapter",
                         .kind = OperatorKind::memory,
                         .forward_bytes = passes * rows * outputs * element_,
                         .backward_bytes = (3 * gemm.k + (passes - 3) * outputs) * rows * element_,
                         .forward_kernels = kernels,
                         .backward_kernels = kernels,
                         .waits_for_routing = op.waits_for_routing,
                         .modules = op.modules});
    }
    Operator& add_half(const char* name, const Gemm& gemm, const Operator& beside) {
        Operator half{.name = name, .kind = beside.kind, .gemm = gemm};
        half.forward_flops = gemm.flops();
        half.backward_flops = 2 * half.forward_flops;
        half.waits_for_routing = beside.waits_for_routing;
        half.modules = beside.modules;
        half.weights = {.experts = beside.weights.experts, .visited = beside.weights.visited};
        half.weights_are = Trained::as_adapter;
        list_.push_back(half);
        return list_.back();
    }

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    const Layout& layout_;
    double element_;
    double kept_input_;
    std::vector<Operator> list_;
    std::size_t producer_ = none;  // the operator whose result the next product reads
};

}  // namespace

std::vector<Operator> with_adapters(std::vector<Operator> operators, const Layout& layout) {
    if (!layout.adapters.exist()) {
        return operators;
    }
    Adapted adapted(layout);
    for (const Operator& op : operators) {
        adapted.add(op);
    }
    return adapted.take();
}

}  // namespace sim::training
