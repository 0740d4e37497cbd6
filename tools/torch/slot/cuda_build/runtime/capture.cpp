// No stream is ever being captured: CUDA graphs are not simulated here.
#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

using namespace sim::slot;

extern "C" {

cudaError_t cudaStreamIsCapturing(cudaStream_t, cudaStreamCaptureStatus* status) {
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t*, const cudaGraphNode_t**, const void*, std::size_t*) {
#else
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t, cudaStreamCaptureStatus* status, unsigned long long* id,
                                     cudaGraph_t*, const cudaGraphNode_t**, std::size_t*) {
#endif
    *status = cudaStreamCaptureStatusNone;
    if (id != nullptr) {
        *id = 0;
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
