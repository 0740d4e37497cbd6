// Functions of libtorch_cuda that PyTorch's other libraries call for devices and for CUDA's libraries.
#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/generator.hpp"
#include "tools/torch/slot/operators/memory_kernels.hpp"
#include "tools/torch/slot/sleep.hpp"
#include "tools/torch/slot/storage.hpp"
#include "tools/torch/slot/versions.hpp"

#include <ATen/cuda/CUDAContext.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/StorageImpl.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <string>
#include <vector>

namespace at::cuda {

cudaDeviceProp* getDeviceProperties(c10::DeviceIndex device) {
    static std::vector<cudaDeviceProp> all = [] {
        std::vector<cudaDeviceProp> properties(static_cast<std::size_t>(c10::cuda::device_count()));
        for (std::size_t i = 0; i < properties.size(); ++i) {
            C10_CUDA_CHECK(cudaGetDeviceProperties(&properties[i], static_cast<int>(i)));
        }
        return properties;
    }();
    return &all.at(static_cast<std::size_t>(device < 0 ? c10::cuda::current_device() : device));
}

bool canDeviceAccessPeer(c10::DeviceIndex device, c10::DeviceIndex peer) {
    int can = 0;
    C10_CUDA_CHECK(cudaDeviceCanAccessPeer(&can, device, peer));
    return can != 0;
}

namespace detail {
const Generator& getDefaultCUDAGenerator(c10::DeviceIndex device) {
    return sim::slot::default_generator(device);
}
}  // namespace detail

void sleep(std::int64_t cycles);
void sleep(std::int64_t cycles) {
    sim::slot::sleep(cycles);
}

// Programs request this handle only to initialize cuBLAS; it cannot be used. Before 2.14 without the argument.
cublasHandle_t getCurrentCUDABlasHandle(bool /*set_up*/);
cublasHandle_t getCurrentCUDABlasHandle(bool /*set_up*/) {
    static char nothing;
    return reinterpret_cast<cublasHandle_t>(&nothing);
}
cublasHandle_t getCurrentCUDABlasHandle() {
    return getCurrentCUDABlasHandle(true);
}

// A simulated matrix product needs no workspace.
void clearCublasWorkspaces();
void clearCublasWorkspaces() {}
std::size_t getChosenWorkspaceSize();
std::size_t getChosenWorkspaceSize() {
    return 0;
}
std::size_t getCUDABlasLtWorkspaceSize();
std::size_t getCUDABlasLtWorkspaceSize() {
    return 0;
}
void setChosenWorkspaceSize(std::size_t bytes);
void setChosenWorkspaceSize(std::size_t /*bytes*/) {}
void setCUDABlasLtWorkspaceSize(std::size_t bytes);
void setCUDABlasLtWorkspaceSize(std::size_t /*bytes*/) {}
void resetChosenWorkspaceSize();
void resetChosenWorkspaceSize() {}
void resetCUDABlasLtWorkspaceSize();
void resetCUDABlasLtWorkspaceSize() {}

// Until 2.7; later versions use the hooks.
Allocator* getCachingHostAllocator();
Allocator* getCachingHostAllocator() {
    return at::detail::getCUDAHooks().getPinnedMemoryAllocator();
}
void CachingHostAllocator_emptyCache();
void CachingHostAllocator_emptyCache() {}

sim::slot::PoolId graph_pool_handle();
sim::slot::PoolId graph_pool_handle() {
    return sim::slot::new_pool(true);
}

}  // namespace at::cuda

namespace at::native {

void resize_bytes_cuda(c10::StorageImpl* storage, std::size_t bytes);
void resize_bytes_cuda(c10::StorageImpl* storage, std::size_t bytes) {
    sim::slot::resize(*storage, bytes);
}

void _cudnn_clear_dropout_state();
void _cudnn_clear_dropout_state() {}

}  // namespace at::native

namespace at::detail {

TensorBase empty_strided_cuda(IntArrayRef size, IntArrayRef stride, ScalarType type, std::optional<Device> device);
TensorBase empty_strided_cuda(IntArrayRef size, IntArrayRef stride, ScalarType type, std::optional<Device> device) {
    return sim::slot::empty_strided(size, stride, type, std::nullopt, device, std::nullopt);
}

}  // namespace at::detail

namespace torch {

// Memory from other processes: there is none.
bool CudaIPCCollect();
bool CudaIPCCollect() {
    return false;
}

}  // namespace torch
