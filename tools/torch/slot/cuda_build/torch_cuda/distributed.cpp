// What PyTorch's other libraries ask libtorch_cuda of NCCL. The process groups are the slot's own (process_group/).
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <cstdint>
#include <tuple>

namespace {
// The builder gives the version that this PyTorch was released with.
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

// How Python tells the watchdog of NCCL, which is not there, that it waits for the interpreter.
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

// PyTorch's bindings make one of these while they are imported, as a default argument. Nobody reads it: the class of
// that name in Python is the slot's. It has the base alone, and so less than the room that the bindings have made for
// it.
class ProcessGroupNCCL {
public:
    struct Options : Backend::Options {
        explicit Options(bool is_high_priority);
    };
};

ProcessGroupNCCL::Options::Options(bool /*is_high_priority*/) : Backend::Options("nccl") {}

}  // namespace c10d
