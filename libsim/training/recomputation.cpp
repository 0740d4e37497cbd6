#include "libsim/training/recomputation.hpp"

#include <algorithm>
#include <iterator>

namespace sim::training {

namespace {

// What PyTorch's selective recomputation does again: it keeps attention, collectives' results and every second product.
std::vector<Operator> every_second_product(const std::vector<Operator>& operators) {
    std::vector<Operator> again;
    bool kept = false;
    for (const Operator& op : operators) {
        if (op.kind == OperatorKind::gemm) {
            kept = !kept;
        }
        if (op.kind == OperatorKind::memory || (op.kind == OperatorKind::gemm && !kept)) {
            again.push_back(op);
        }
    }
    return again;
}

std::vector<Operator> attention_core(const std::vector<Operator>& operators) {
    std::vector<Operator> core;
    std::copy_if(operators.begin(), operators.end(), std::back_inserter(core),
                 [](const Operator& op) { return op.is_attention_core; });
    return core;
}

}  // namespace

std::vector<Operator> recomputed(const std::vector<Operator>& operators, const Layout& layout) {
    switch (layout.framework.recompute) {
        case Recompute::none: return {};
        case Recompute::full: return operators;
        case Recompute::selective: break;
    }
    if (!layout.framework.flash_attention) {
        return attention_core(operators);
    }
    const bool by_operator = layout.parallelism.zero == 3 && layout.framework.loop != TrainingLoop::deepspeed;
    return by_operator ? every_second_product(operators) : std::vector<Operator>{};
}

}  // namespace sim::training
