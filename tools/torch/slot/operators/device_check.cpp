#include "tools/torch/slot/operators/device_check.hpp"

#include "tools/torch/slot/device.hpp"

#include <algorithm>
#include <array>

namespace sim::slot {

bool takes_host_tensors(std::string_view name) {
    using namespace std::string_view_literals;
    // Like CUDA's kernels, these take indices on the host, and an optimizer's scalar arguments.
    static constexpr std::array names{"aten::index"sv,
                                      "aten::index_put"sv,
                                      "aten::index_put_"sv,
                                      "aten::_index_put_impl_"sv,
                                      "aten::_unsafe_index"sv,
                                      "aten::_unsafe_index_put"sv,
                                      "aten::tensor_split"sv,
                                      "aten::_to_copy"sv,
                                      "aten::copy_"sv,
                                      "aten::copy"sv,
                                      "aten::_copy_from"sv,
                                      "aten::_copy_from_and_resize"sv,
                                      "aten::_ctc_loss"sv,
                                      "aten::_use_cudnn_ctc_loss"sv,
                                      "aten::_cudnn_ctc_loss"sv,
                                      "aten::repeat_interleave"sv,
                                      "aten::_pack_padded_sequence"sv};
    static constexpr std::array lists{"aten::_foreach_"sv, "aten::_amp_"sv, "aten::_fused_adam"sv, "aten::_fused_sgd"sv,
                                      "aten::_nested_"sv};
    return std::find(names.begin(), names.end(), name) != names.end() ||
           std::any_of(lists.begin(), lists.end(),
                       [name](std::string_view beginning) { return name.substr(0, beginning.size()) == beginning; });
}

void DeviceCheck::meets(const at::Tensor& tensor) {
    if (!tensor.defined()) {
        return;
    }
    if (!tensor.is_cuda()) {
        meets_host_ = meets_host_ || (tensor.device().is_cpu() && tensor.dim() > 0);
        return;
    }
    const c10::DeviceIndex device = tensor.device().index();
    if (first_ < 0) {
        first_ = device;
    } else if (first_ != device) {
        other_ = device;
    }
}

void DeviceCheck::names(c10::Device device) {
    named_ = device.index() < 0 ? current_device() : device.index();
}

void DeviceCheck::check(const c10::OperatorName& name) const {
    TORCH_CHECK(other_ < 0, "Expected all tensors to be on the same device, but found at least two devices, cuda:",
                static_cast<int>(first_), " and cuda:", static_cast<int>(other_), "! (when checking in ", name, ")");
    TORCH_CHECK(first_ < 0 || !meets_host_,
                "Expected all tensors to be on the same device, but found at least two devices, cuda:",
                static_cast<int>(first_), " and cpu! (when checking in ", name, ")");
}

c10::DeviceIndex DeviceCheck::device() const {
    return first_ >= 0 ? first_ : named_ >= 0 ? named_ : current_device();
}

}  // namespace sim::slot
