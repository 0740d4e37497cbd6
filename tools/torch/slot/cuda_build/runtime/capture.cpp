// Queries whether streams are being captured. PyTorch gets graphs themselves from the slot (graphs/).
#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

namespace sim::slot {

namespace {

std::int64_t capture_of(cudaStream_t stream) {
    return has_gpu() && !is_never_used(stream) ? gpu().capture_status(seam_stream(stream)) : 0;
}

cudaStreamCaptureStatus state_of(std::int64_t capture) {
    return capture == 0  ? cudaStreamCaptureStatusNone
           : capture > 0 ? cudaStreamCaptureStatusActive
                         : cudaStreamCaptureStatusInvalidated;
}

}  // namespace

}  // namespace sim::slot

using namespace sim::slot;

extern "C" {

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    *status = state_of(capture_of(stream));
    return cudaSuccess;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t**, const void*, std::size_t*) {
#else
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t* graph, const cudaGraphNode_t**, std::size_t*) {
#endif
    const std::int64_t capture = capture_of(stream);
    *status = state_of(capture);
    if (id != nullptr) {
        *id = static_cast<unsigned long long>(capture > 0 ? capture : 0);
    }
    if (graph != nullptr) {
        *graph = reinterpret_cast<cudaGraph_t>(capture > 0 ? capture : 0);
    }
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
    thread_local cudaStreamCaptureMode own = cudaStreamCaptureModeGlobal;
    const cudaStreamCaptureMode before = own;
    own = *mode;
    *mode = before;
    return cudaSuccess;
}
}
