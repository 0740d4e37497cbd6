// The check that all tensors of a call are on one device: a mixture is refused, as on a GPU.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/operator_name.h>

#include <string_view>

namespace sim::slot {

// True for operators that also take host tensors, such as indices, or lists of tensors on several devices.
bool takes_host_tensors(std::string_view name);

class DeviceCheck {
public:
    void meets(const at::Tensor& tensor);
    // Notes an argument that names a device.
    void names(c10::Device device);
    // Throws PyTorch's own message.
    void check(const c10::OperatorName& name) const;
    // The device of the call: that of its first GPU tensor, else the one that it names, else the current one.
    c10::DeviceIndex device() const;

private:
    c10::DeviceIndex first_ = -1;
    c10::DeviceIndex other_ = -1;  // of a tensor on another GPU
    c10::DeviceIndex named_ = -1;
    bool meets_host_ = false;  // in a tensor that is not a wrapped number
};

}  // namespace sim::slot
