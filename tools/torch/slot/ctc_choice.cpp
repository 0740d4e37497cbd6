#include "tools/torch/slot/choices.hpp"

#include <ATen/ATen.h>
#include <ATen/Context.h>

namespace sim::slot {

namespace {

using at::Tensor;

constexpr std::int64_t longest_target = 256;

bool chooses_cudnn(const Tensor& log_probabilities, const Tensor& targets, at::IntArrayRef input_lengths,
                   at::IntArrayRef target_lengths, std::int64_t blank) {
    if (!at::globalContext().userEnabledCuDNN() || blank != 0 || targets.dim() != 1 ||
        targets.scalar_type() != at::kInt || !targets.device().is_cpu() || !targets.is_contiguous() ||
        log_probabilities.scalar_type() != at::kFloat || log_probabilities.dim() != 3) {
        return false;
    }
    for (std::size_t i = 0; i < target_lengths.size(); ++i) {
        if (input_lengths[i] != log_probabilities.size(0) || target_lengths[i] >= longest_target ||
            target_lengths[i] > input_lengths[i]) {
            return false;
        }
    }
    return true;
}

// For lengths on the GPU, PyTorch takes cuDNN's kernel only while it captures a graph.
bool never_for_tensors(const Tensor& /*log_probabilities*/, const Tensor& /*targets*/, const Tensor& /*input_lengths*/,
                       const Tensor& /*target_lengths*/, std::int64_t /*blank*/) {
    return false;
}

bool never(const Tensor& /*log_probabilities*/, const Tensor& /*targets*/, at::IntArrayRef /*input_lengths*/,
           at::IntArrayRef /*target_lengths*/, std::int64_t /*blank*/) {
    return false;
}

bool exists(const char* name) {
    return c10::Dispatcher::singleton().findSchema({name, ""}).has_value();
}

}  // namespace

void register_ctc_choice(torch::Library& library) {
    library.impl("_use_cudnn_ctc_loss", chooses_cudnn);
    library.impl("_use_cudnn_ctc_loss.Tensor", never_for_tensors);
    // Since 2.11 PyTorch also asks for AMD's.
    if (exists("aten::_use_miopen_ctc_loss")) {
        library.impl("_use_miopen_ctc_loss", never);
        library.impl("_use_miopen_ctc_loss.Tensor", never_for_tensors);
    }
}

}  // namespace sim::slot
