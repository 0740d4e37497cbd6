// cuDNN's version, which PyTorch checks for compatibility. Its operators are never called here: PyTorch's CPU kernels
// replace them. The builder sets the version that this PyTorch was released with.
#include <cstddef>

namespace {
constexpr int version[] = {NDSIM_CUDNN_VERSION};  // major, minor, patch
}

extern "C" {

int cudnnGetProperty(int which, int* value) {
    *value = version[which];
    return 0;
}

std::size_t cudnnGetVersion() {
    return static_cast<std::size_t>(version[0] * 10000 + version[1] * 100 + version[2]);
}
}
