// The data movement of torch.nn.DataParallel and torch.cuda.comm between the devices of a process: copies over the
// machine's links, each on the current streams of both devices, as in PyTorch.
#include "tools/torch/slot/versions.hpp"

#include <ATen/ATen.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/csrc/cuda/comm.h>
#include <torch/csrc/utils/tensor_flatten.h>

#include <numeric>

namespace torch::cuda {

namespace {

using Streams = std::optional<std::vector<std::optional<c10::cuda::CUDAStream>>>;

at::Device device_at(std::int64_t index) {
    return {at::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

// Makes one stream after the other current on its device, and restores the previous ones at the end.
class StreamsInTurn {
public:
    explicit StreamsInTurn(const Streams& streams) : streams_(&streams) {}
    void use(std::size_t index, at::Device device) {
        if (!*streams_ || !(**streams_)[index]) {
            return;
        }
        const c10::cuda::CUDAStream& stream = *(**streams_)[index];
        TORCH_CHECK(stream.device_index() == device.index(), "Expected the device associated with the stream at index ",
                    index, " (was ", stream.device_index(), ") to match the device supplied at that index (expected ",
                    device.index(), ")");
        guard_.reset_stream(stream);
    }

private:
    const Streams* streams_;
    c10::cuda::OptionalCUDAStreamGuard guard_;
};

std::vector<at::Tensor> split(const at::Tensor& tensor, std::size_t parts,
                              const std::optional<std::vector<std::int64_t>>& sizes, std::int64_t dimension) {
    if (!sizes) {
        return tensor.chunk(static_cast<std::int64_t>(parts), dimension);
    }
    const std::int64_t sum = std::accumulate(sizes->begin(), sizes->end(), std::int64_t{0});
    TORCH_CHECK(sum == tensor.size(dimension),
                "given chunk sizes don't sum up to the tensor's size (sum(chunk_sizes) == ", sum, ", but expected ",
                tensor.size(dimension), ")");
    return tensor.split_with_sizes(*sizes, dimension);
}

bool are_channels_last(at::TensorList tensors) {
    return std::all_of(tensors.begin(), tensors.end(), [](const at::Tensor& tensor) {
        return tensor.suggest_memory_format() == at::MemoryFormat::ChannelsLast;
    });
}

}  // namespace

std::vector<at::Tensor> broadcast(const at::Tensor& tensor, at::IntArrayRef devices) {
    std::vector<at::Tensor> copies;
    for (const std::int64_t device : devices) {
        const bool is_there = copies.empty() && tensor.is_cuda();
        TORCH_CHECK(!is_there || tensor.get_device() == device,
                    "Expected source tensor to have the same device as the first device");
        copies.push_back(
            is_there ? tensor
                     : tensor.to(device_at(device), tensor.scalar_type(), /*non_blocking=*/true, /*copy=*/true));
    }
    return copies;
}

std::vector<at::Tensor>& broadcast_out(const at::Tensor& tensor, std::vector<at::Tensor>& copies) {
    for (at::Tensor& copy : copies) {
        copy.copy_(tensor, /*non_blocking=*/true);
    }
    return copies;
}

// Tensors of one type are sent as one, up to the size of the buffer.
tensor_list2d broadcast_coalesced(at::TensorList tensors, at::IntArrayRef devices, std::size_t buffer_size) {
    for (const at::Tensor& tensor : tensors) {
        TORCH_CHECK(tensor.get_device() == devices[0], "All tensors must be on devices[0]: ", devices[0]);
        TORCH_CHECK_NOT_IMPLEMENTED(!tensor.is_sparse(), "ndsim does not simulate the broadcast of sparse tensors");
    }
    tensor_list2d all(devices.size());
    all[0] = tensors.vec();
    for (const auto& together : torch::utils::take_tensors(tensors, buffer_size)) {
        const std::vector<at::Tensor> flat = broadcast(torch::utils::flatten_dense_tensors(together.tensors), devices);
        for (std::size_t i = 1; i < devices.size(); ++i) {
            const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(devices[i]));
            for (const at::Tensor& part : torch::utils::unflatten_dense_tensors(flat[i], together.tensors)) {
                // A variable of its own, so that writing to it does not count as writing to the other parts of the
                // buffer.
                all[i].push_back(torch::autograd::make_variable(part.tensor_data(), false));
            }
        }
    }
    for (std::size_t i = 1; i < devices.size(); ++i) {
        torch::utils::reorder_tensors_like(all[i], tensors);
    }
    return all;
}

std::vector<at::Tensor> scatter(const at::Tensor& tensor, at::IntArrayRef devices,
                                const std::optional<std::vector<std::int64_t>>& sizes, std::int64_t dimension,
                                const Streams& streams) {
    std::vector<at::Tensor> parts = split(tensor, devices.size(), sizes, dimension);
    StreamsInTurn turn(streams);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        turn.use(i, device_at(devices[i]));
        parts[i] =
            parts[i].to(device_at(devices[i]), /*non_blocking=*/true, /*copy=*/false, at::MemoryFormat::Preserve);
    }
    return parts;
}

std::vector<at::Tensor>& scatter_out(const at::Tensor& tensor, std::vector<at::Tensor>& parts, std::int64_t dimension,
                                     const Streams& streams) {
    std::vector<std::int64_t> sizes;
    for (const at::Tensor& part : parts) {
        sizes.push_back(part.size(dimension));
    }
    const std::vector<at::Tensor> from = split(tensor, parts.size(), sizes, dimension);
    StreamsInTurn turn(streams);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        turn.use(i, parts[i].device());
        parts[i].copy_(from[i], /*non_blocking=*/true);
    }
    return parts;
}

at::Tensor& gather_out(at::TensorList tensors, at::Tensor& whole, std::int64_t dimension) {
    TORCH_CHECK(!tensors.empty(), "Expected at least one tensor to gather from");
    std::int64_t begin = 0;
    for (const at::Tensor& tensor : tensors) {
        TORCH_CHECK(tensor.is_cuda(), "Expected all input tensors to be CUDA tensors");
        whole.narrow(dimension, begin, tensor.size(dimension)).copy_(tensor, /*non_blocking=*/true);
        begin += tensor.size(dimension);
    }
    return whole;
}

// Device -1 is the host; no number means the current device.
at::Tensor gather(at::TensorList tensors, std::int64_t dimension, std::optional<std::int32_t> target) {
    TORCH_CHECK(!tensors.empty(), "Expected at least one tensor to gather from");
    const std::int64_t along = at::maybe_wrap_dim(dimension, tensors[0].dim());
    std::vector<std::int64_t> size = tensors[0].sizes().vec();
    size[static_cast<std::size_t>(along)] = 0;
    for (const at::Tensor& tensor : tensors) {
        size[static_cast<std::size_t>(along)] += tensor.size(along);
    }
    const at::Device device = target == -1 ? at::Device(at::kCPU) : device_at(target.value_or(-1));
    const auto format = are_channels_last(tensors) ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
    at::Tensor whole = at::empty(size, tensors[0].options().device(device), format);
    return gather_out(tensors, whole, along);
}

}  // namespace torch::cuda
