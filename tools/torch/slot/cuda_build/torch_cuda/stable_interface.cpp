// PyTorch's stable C interface to devices and streams, with which binary extensions for several versions of PyTorch are
// linked in libtorch_cuda. Its headers declare these functions only with the CUDA toolkit.
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/inductor/aoti_torch/utils.h>

#include <cstdlib>
#include <cstring>

namespace sim::slot {

namespace {

c10::DeviceIndex index_of(std::int32_t device) {
    return static_cast<c10::DeviceIndex>(device);
}

// The stream of a runtime handle, which is what extensions have.
c10::cuda::CUDAStream stream_of_handle(void* stream, std::int32_t device) {
    return c10::cuda::getStreamFromExternal(static_cast<cudaStream_t>(stream), index_of(device));
}

}  // namespace

}  // namespace sim::slot

using namespace sim::slot;

extern "C" {

AOTITorchError aoti_torch_create_cuda_guard(std::int32_t device, c10::cuda::CUDAGuard** guard) {
    AOTI_TORCH_CONVERT_EXCEPTION_TO_ERROR_CODE({ *guard = new c10::cuda::CUDAGuard(index_of(device)); });
}

AOTITorchError aoti_torch_delete_cuda_guard(c10::cuda::CUDAGuard* guard) {
    AOTI_TORCH_CONVERT_EXCEPTION_TO_ERROR_CODE({ delete guard; });
}

AOTITorchError aoti_torch_cuda_guard_set_index(c10::cuda::CUDAGuard* guard, std::int32_t device) {
    AOTI_TORCH_CONVERT_EXCEPTION_TO_ERROR_CODE({ guard->set_index(index_of(device)); });
}

AOTITorchError aoti_torch_create_cuda_stream_guard(void* stream, std::int32_t device,
                                                   c10::cuda::CUDAStreamGuard** guard) {
    AOTI_TORCH_CONVERT_EXCEPTION_TO_ERROR_CODE(
        { *guard = new c10::cuda::CUDAStreamGuard(stream_of_handle(stream, device)); });
}

AOTITorchError aoti_torch_delete_cuda_stream_guard(c10::cuda::CUDAStreamGuard* guard) {
    AOTI_TORCH_CONVERT_EXCEPTION_TO_ERROR_CODE({ delete guard; });
}

AOTITorchError aoti_torch_get_current_cuda_stream(std::int32_t device, void** stream) {
    AOTI_TORCH_CONVERT_EXCEPTION_TO_ERROR_CODE(
        { *stream = c10::cuda::getCurrentCUDAStream(index_of(device)).stream(); });
}

AOTITorchError torch_set_current_cuda_stream(void* stream, std::int32_t device) {
    AOTI_TORCH_CONVERT_EXCEPTION_TO_ERROR_CODE({ c10::cuda::setCurrentCUDAStream(stream_of_handle(stream, device)); });
}

AOTITorchError torch_get_cuda_stream_from_pool(bool has_high_priority, std::int32_t device, void** stream) {
    AOTI_TORCH_CONVERT_EXCEPTION_TO_ERROR_CODE(
        { *stream = c10::cuda::getStreamFromPool(has_high_priority, index_of(device)).stream(); });
}

AOTITorchError torch_cuda_stream_synchronize(void* stream, std::int32_t device) {
    AOTI_TORCH_CONVERT_EXCEPTION_TO_ERROR_CODE({ stream_of_handle(stream, device).synchronize(); });
}

AOTITorchError torch_c10_cuda_check_msg(std::int32_t error, const char* file, const char* function, std::uint32_t line,
                                        bool with_device_assertions, char** message) {
    *message = nullptr;
    try {
        c10::cuda::c10_cuda_check_implementation(error, file, function, static_cast<int>(line), with_device_assertions);
    } catch (const c10::Error& failed) {
        *message = strdup(failed.what_without_backtrace());
    }
    return AOTI_TORCH_SUCCESS;
}

void torch_c10_cuda_free_error_msg(char* message) {
    std::free(message);
}
}
