#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

#include <map>
#include <utility>

namespace sim::slot {

namespace {

struct Failures {
    cudaError_t last = cudaSuccess;
    std::map<cudaError_t, std::string> texts;
};
thread_local Failures failures;

struct Known {
    cudaError_t error;
    const char* name;
    const char* text;
};
constexpr Known known[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorPeerAccessAlreadyEnabled, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {cudaErrorStreamCaptureUnjoined, "cudaErrorStreamCaptureUnjoined", "capturing stream has unjoined work"},
    {cudaErrorStreamCaptureIsolation, "cudaErrorStreamCaptureIsolation",
     "dependency created on uncaptured work in another stream"},
    {cudaErrorCapturedEvent, "cudaErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const Known& known_error(cudaError_t error) {
    for (const Known& one : known) {
        if (one.error == error) {
            return one;
        }
    }
    return known[std::size(known) - 1];
}

}  // namespace

void explain(cudaError_t error, std::string text) {
    if (text.empty()) {
        failures.texts.erase(error);
    } else {
        failures.texts[error] = std::move(text);
    }
}

cudaError_t failed(cudaError_t error, std::string text) {
    failures.last = error;
    explain(error, std::move(text));
    return error;
}

cudaError_t failed_in_simulator() {
    const char* why = gpu().error != nullptr ? gpu().error() : nullptr;
    const std::int32_t number = gpu().error_number != nullptr ? gpu().error_number() : 0;
    return failed(number != 0 ? static_cast<cudaError_t>(number) : cudaErrorUnknown, why != nullptr ? why : "");
}

cudaError_t not_simulated(const std::string& what) {
    return failed(cudaErrorNotSupported, "ndsim does not simulate " + what);
}

}  // namespace sim::slot

using namespace sim::slot;

extern "C" {

// Called by the stubs in the generated part of this library that replace missing functions.
__attribute__((visibility("hidden"))) long ndsim_missing(const char* name) {
    return not_simulated(name);
}

cudaError_t cudaGetLastError() {
    return std::exchange(failures.last, cudaSuccess);
}

cudaError_t cudaPeekAtLastError() {
    return failures.last;
}

const char* cudaGetErrorString(cudaError_t error) {
    const auto text = failures.texts.find(error);
    return text != failures.texts.end() ? text->second.c_str() : known_error(error).text;
}

const char* cudaGetErrorName(cudaError_t error) {
    return known_error(error).name;
}
}
