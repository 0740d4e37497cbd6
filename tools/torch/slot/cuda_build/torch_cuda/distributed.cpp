// Functions of libtorch_cuda that PyTorch's other libraries call for NCCL. The process groups are the slot's own
// (process_group/).
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <cstdint>
#include <tuple>

namespace {
// Set by the builder: the version that this PyTorch was released with.
constexpr int version[] = {NDSIM_NCCL_VERSION};  // major, minor, patch
}  // namespace

namespace torch::cuda::nccl {

std::uint64_t version();
std::uint64_t version() {
    return static_cast<std::uint64_t>(::version[0]) << 32 | static_cast<std::uint64_t>(::version[1]) << 16 |
           static_cast<std::uint64_t>(::version[2]);
}

const char* version_suffix();
const char* version_suffix() {
    return "";
}

}  // namespace torch::cuda::nccl

namespace c10d {

// Python's check for NCCL's watchdog, which does not exist here, whether the interpreter's lock is free.
using gil_checker_t = bool (*)();
gil_checker_t& get_gil_checker();
gil_checker_t& get_gil_checker() {
    static gil_checker_t checker = nullptr;
    return checker;
}

std::tuple<int, int, int> getNcclVersionTuple();
std::tuple<int, int, int> getNcclVersionTuple() {
    return {::version[0], ::version[1], ::version[2]};
}

namespace nvshmem_extension {
bool is_nvshmem_available();
bool is_nvshmem_available() {
    return false;
}
}  // namespace nvshmem_extension

// PyTorch's bindings create one of these during import, as a default argument. Nobody reads it: the Python class of
// that name is the slot's. It has only the base, which is smaller than the space that the bindings reserve.
class ProcessGroupNCCL {
public:
    struct Options : Backend::Options {
        explicit Options(bool is_high_priority);
    };
};

ProcessGroupNCCL::Options::Options(bool /*is_high_priority*/) : Backend::Options("nccl") {}

}  // namespace c10d
