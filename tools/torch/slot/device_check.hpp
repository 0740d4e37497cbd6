// Tensors of one call must be on one device: a mixture is refused, as on a GPU.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/operator_name.h>

#include <string_view>

namespace sim::slot {

// Operators that take tensors of the host beside those of a GPU, such as indices, and lists of tensors on several
// devices.
bool takes_host_tensors(std::string_view name);

class DeviceCheck {
public:
    void meets(const at::Tensor& tensor);
    // An argument that names a device.
    void names(c10::Device device);
    // Throws PyTorch's own words.
    void check(const c10::OperatorName& name) const;
    // The one that the call is of: that of its first tensor on a GPU, else the one that it names, else the current one.
    c10::DeviceIndex device() const;

private:
    c10::DeviceIndex first_ = -1;
    c10::DeviceIndex other_ = -1;  // of a tensor on another GPU
    c10::DeviceIndex named_ = -1;
    bool meets_host_ = false;  // in a tensor that is no number
};

}  // namespace sim::slot
