#include "libsim/training/recomputation.hpp"

#include "libsim/training/precision.hpp"

#include <algorithm>
#include <iterator>

namespace sim::training {

namespace {

bool gathers_activations(const Operator& op) {
    return op.kind == OperatorKind::tensor && op.forward_collective == CollectiveKind::all_gather &&
           op.hides_behind_weights;
}

// The operators that PyTorch's selective recomputation repeats: it keeps attention, the results of reduce-scatters and
// every second product in 16 bits. torchtitan's _save_list has neither an all-gather nor a product with scales by row.
std::vector<Operator> every_second_product(const std::vector<Operator>& operators, Precision precision) {
    std::vector<Operator> again;
    bool kept = false;
    for (const Operator& op : operators) {
        if (op.kind == OperatorKind::gemm) {
            kept = !kept && !(op.format == Format::products && row_of(precision).by_layer);
        }
        if (op.kind == OperatorKind::memory || (op.kind == OperatorKind::gemm && !kept) || gathers_activations(op)) {
            again.push_back(op);
        }
    }
    return again;
}

std::vector<Operator> parts_of(const std::vector<Operator>& operators, LayerModules modules) {
    std::vector<Operator> parts;
    std::copy_if(operators.begin(), operators.end(), std::back_inserter(parts),
                 [&](const Operator& op) { return op.modules.has_any_of(modules); });
    return parts;
}

}  // namespace

bool recomputes_by_operator(const Layout& layout) {
    const Framework& framework = layout.framework;
    return framework.recompute == Recompute::selective && framework.flash_attention && layout.parallelism.zero == 3 &&
           framework.loop != TrainingLoop::deepspeed;
}

LayerModules recomputed_modules(const Layout& layout) {
    const Framework& framework = layout.framework;
    if (framework.recompute != Recompute::selective || recomputes_by_operator(layout)) {
        return {};
    }
    LayerModules modules;
    for (const LayerModuleRow& row : layer_modules()) {
        const bool is_not_kept = framework.flash_attention && row.one == LayerModule::core_attention;
        if (framework.recompute_modules.has(row.one) && !is_not_kept) {
            modules |= row.one;
        }
    }
    return modules;
}

LayerModules missing_modules(const Transformer& model) {
    LayerModules missing;
    const auto needs = [&](bool there, LayerModules modules) {
        if (!there) {
            missing |= modules;
        }
    };
    needs(model.latent.has_value(), LayerModule::latent_up);
    needs(model.has_dense_ffn(), LayerModule::dense_ffn);
    needs(model.experts.count > 0, LayerModule::experts);
    needs(model.experts.count > 0, LayerModule::expert_activation);
    needs(model.experts.shared > 0, LayerModule::shared_experts);
    return missing;
}
std::vector<Operator> recomputed(const std::vector<Operator>& operators, const Layout& layout) {
    switch (layout.framework.recompute) {
        case Recompute::none: return {};
        case Recompute::full: return operators;
        case Recompute::selective: break;
    }
    return recomputes_by_operator(layout) ? every_second_product(operators, layout.numerics.precision)
                                          : parts_of(operators, recomputed_modules(layout));
}

}  // namespace sim::training
