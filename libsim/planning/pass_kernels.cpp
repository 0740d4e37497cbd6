#include "libsim/planning/pass_kernels.hpp"

namespace sim::planning {

using training::BlockTime;
using training::GradientBucket;
using training::KernelSpan;
using training::Parts;
using training::StepWork;
using training::TimeCategory;

namespace {

using Kernels = std::vector<KernelSpan>;

void append(Kernels& kernels, const Kernels& more) {
    kernels.insert(kernels.end(), more.begin(), more.end());
}

void append(Kernels& kernels, const Parts& parts) {
    const Duration tensor = parts[TimeCategory::tensor];
    kernels.push_back({"kernels", TimeCategory::compute, parts.total() - tensor});
    kernels.push_back({"tensor-parallel collectives", TimeCategory::tensor, tensor});
}

Parts parts_of(StepWork work, const BlockTime& block) {
    switch (work) {
        case StepWork::forward: return block.forward;
        case StepWork::backward_input: return block.backward_input;
        case StepWork::backward_weight: return block.backward_weight;
        default: break;
    }
    Parts both = block.backward_input;
    both += block.backward_weight;
    return both;
}

}  // namespace

PassKernels::PassKernels(const TrainingCase& what)
    : times_(what.model, what.machine, what.layout, training::block_groups(what.layout, what.machine)) {}

Kernels PassKernels::of(StepWork work, int first, const GradientBucket& bucket) {
    Kernels kernels;
    const bool forward = work == StepWork::forward;
    if (forward ? bucket.with_embedding : bucket.with_output) {
        append(kernels, parts_of(work, forward ? times_.of_embedding() : times_.of_output()));
    }
    for (int i = 0; i < bucket.layers; ++i) {
        const int layer = forward ? first + i : first + bucket.layers - 1 - i;
        switch (work) {
            case StepWork::forward: append(kernels, times_.forward_kernels(layer)); break;
            case StepWork::backward: append(kernels, times_.backward_kernels(layer)); break;
            default: append(kernels, parts_of(work, times_.of_layer(layer))); break;
        }
    }
    if (forward ? bucket.with_output : bucket.with_embedding) {
        append(kernels, parts_of(work, forward ? times_.of_output() : times_.of_embedding()));
    }
    return kernels;
}

bool is_exposed(const KernelSpan& kernel) {
    return kernel.category == TimeCategory::tensor || kernel.category == TimeCategory::context ||
           kernel.category == TimeCategory::expert;
}

}  // namespace sim::planning
