// NCCL between the devices of one process, as used by DataParallel and torch.cuda.nccl: copies over the machine's links
// to one device, reductions there, and copies back.
#include <ATen/ATen.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <optional>
#include <vector>

namespace torch::cuda::nccl {

using Tensors = std::vector<at::Tensor>;
using Streams = std::vector<std::optional<c10::cuda::CUDAStream>>;
using Communicators = std::vector<void*>;

namespace {

// The values of ncclRedOp_t.
enum Sum { add = 0, multiply = 1, largest = 2, smallest = 3, average = 4 };

void join(at::Tensor& sum, const at::Tensor& part, int how) {
    switch (how) {
        case add:
        case average: sum.add_(part); return;
        case multiply: sum.mul_(part); return;
        case largest: sum.copy_(at::maximum(sum, part)); return;
        case smallest: sum.copy_(at::minimum(sum, part)); return;
        default: TORCH_CHECK_NOT_IMPLEMENTED(false, "ndsim does not simulate NCCL's reduction number ", how);
    }
}

}  // namespace

void reduce(const Tensors& inputs, at::Tensor& output, std::int32_t root, std::int32_t how, const Streams&,
            const Communicators&);
void reduce(const Tensors& inputs, at::Tensor& output, std::int32_t root, std::int32_t how, const Streams& /*streams*/,
            const Communicators& /*communicators*/) {
    const c10::cuda::CUDAGuard guard(output.device());
    const auto own = static_cast<std::size_t>(root);
    at::Tensor sum = inputs.at(own).clone();
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (i != own) {
            join(sum, inputs[i].to(output.device(), /*non_blocking=*/true), how);
        }
    }
    if (how == average) {
        sum.div_(static_cast<std::int64_t>(inputs.size()));
    }
    output.copy_(sum);
}

void all_reduce(const Tensors& inputs, Tensors& outputs, std::int32_t how, const Streams&, const Communicators&);
void all_reduce(const Tensors& inputs, Tensors& outputs, std::int32_t how, const Streams& streams,
                const Communicators& communicators) {
    reduce(inputs, outputs.at(0), 0, how, streams, communicators);
    for (std::size_t i = 1; i < outputs.size(); ++i) {
        outputs[i].copy_(outputs[0], /*non_blocking=*/true);
    }
}

void broadcast(at::TensorList tensors, std::int32_t root, const Streams&, const Communicators&);
void broadcast(at::TensorList tensors, std::int32_t root, const Streams& /*streams*/,
               const Communicators& /*communicators*/) {
    const auto from = static_cast<std::size_t>(root);
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        if (i != from) {
            tensors[i].copy_(tensors[from], /*non_blocking=*/true);
        }
    }
}

// Before 2.14 the first tensor is the root.
void broadcast(at::TensorList tensors, const Streams&, const Communicators&);
void broadcast(at::TensorList tensors, const Streams& streams, const Communicators& communicators) {
    broadcast(tensors, 0, streams, communicators);
}

}  // namespace torch::cuda::nccl
