// The look-up of the driver's functions by name, in the simulated driver library.
#include "tools/torch/slot/cuda_build/runtime/runtime.hpp"

#include <dlfcn.h>

namespace sim::slot {

static cudaError_t find(const char* name, void** function, cudaDriverEntryPointQueryResult* result) {
    *function = dlsym(RTLD_DEFAULT, name);
    if (result != nullptr) {
        *result = *function != nullptr ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    }
    return cudaSuccess;
}

}  // namespace sim::slot

extern "C" {

cudaError_t cudaGetDriverEntryPoint(const char* name, void** function, unsigned long long,
                                    cudaDriverEntryPointQueryResult* result) {
    return sim::slot::find(name, function, result);
}

cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result) {
    return sim::slot::find(name, function, result);
}

// These control NVIDIA's profilers, which do not exist here.
cudaError_t cudaProfilerStart() {
    return cudaSuccess;
}

cudaError_t cudaProfilerStop() {
    return cudaSuccess;
}
}
