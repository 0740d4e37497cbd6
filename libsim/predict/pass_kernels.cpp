#include "libsim/predict/pass_kernels.hpp"

#include <array>

namespace sim::predict {

using training::BlockTime;
using training::GradientBucket;
using training::KernelSpan;
using training::StepWork;

namespace {

using Kernels = std::vector<KernelSpan>;

void append(Kernels& kernels, const Kernels& more) {
    kernels.insert(kernels.end(), more.begin(), more.end());
}

void append(Kernels& kernels, const TimeParts& parts) {
    constexpr std::array names{
        KernelSpan{"kernels", TimeCategory::compute, Duration{0}},
        KernelSpan{"kernels, again", TimeCategory::recompute, Duration{0}},
        KernelSpan{"waiting for the host", TimeCategory::overhead, Duration{0}},
        KernelSpan{"tensor-parallel collectives", TimeCategory::tensor, Duration{0}},
        KernelSpan{"context-parallel messages", TimeCategory::context, Duration{0}},
        KernelSpan{"expert-parallel collectives", TimeCategory::expert, Duration{0}},
    };
    for (KernelSpan kernel : names) {
        kernel.time = parts[kernel.category];
        kernels.push_back(kernel);
    }
}

TimeParts parts_of(StepWork work, const BlockTime& block) {
    switch (work) {
        case StepWork::forward: return block.forward;
        case StepWork::backward_input: return block.backward_input;
        case StepWork::backward_weight: return block.backward_weight;
        case StepWork::paired_forward: return block.paired_forward;
        case StepWork::paired_backward: return block.paired_backward;
        default: break;
    }
    TimeParts both = block.backward_input;
    both += block.backward_weight;
    return both;
}

}  // namespace

PassKernels::PassKernels(const TrainingCase& what)
    : times_(what.model, what.machine, what.layout, training::block_groups(what.layout, what.machine)),
      outputs_further_(what.model.mtp_layers) {}

Kernels PassKernels::of(StepWork work, int first, const GradientBucket& bucket) {
    Kernels kernels;
    const bool forward = is_forward(work);
    const auto add = [&](const BlockTime& block) { append(kernels, parts_of(work, block)); };
    // Adds the kernels after the layers: predictions, and an output for each of them and for the model's own.
    const auto behind = [&] {
        for (int number = 0; number < bucket.predictions; ++number) {
            add(times_.of_embedding());
            add(times_.of_prediction(number));
        }
        for (int output = 0; bucket.with_output && output < 1 + outputs_further_; ++output) {
            add(times_.of_output());
        }
    };
    if (!forward) {
        behind();
    } else if (bucket.with_embedding) {
        add(times_.of_embedding());
    }
    for (int i = 0; i < bucket.layers; ++i) {
        const int layer = forward ? first + i : first + bucket.layers - 1 - i;
        switch (work) {
            case StepWork::forward: append(kernels, times_.forward_kernels(layer)); break;
            case StepWork::backward: append(kernels, times_.backward_kernels(layer)); break;
            default: append(kernels, parts_of(work, times_.of_layer(layer))); break;
        }
    }
    if (forward) {
        behind();
    } else if (bucket.with_embedding) {
        add(times_.of_embedding());
    }
    return kernels;
}

bool is_exposed(const KernelSpan& kernel) {
    return kernel.category == TimeCategory::tensor || kernel.category == TimeCategory::context ||
           kernel.category == TimeCategory::expert;
}

}  // namespace sim::predict
