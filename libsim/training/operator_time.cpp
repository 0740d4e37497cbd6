#include "libsim/training/operator_time.hpp"

#include <utility>

namespace sim::training {

namespace {

// `kernel_floor` is the host's time per kernel of the model, fitted to host-bound runs; one of the model's kernels
// stands for several operators of an eager framework. A GPT layer in eager mode without flash attention has 20 forward
// and 26 backward kernels in the model (operators.hpp; a test counts them). PyTorch 2.13 executes it as 56 and 92
// operators (also counted by a test), which launch 23 and 32 kernels; the others are views, which pass through the same
// Python and dispatcher. A kernel of an eager framework therefore has its share of the layer's floor, including the
// views around it: 25 us on a host of H100s. A kernel launched by compiled code has one operator's share: 9.3 us.
constexpr double floors_of_layer = 20 + 26;
constexpr double operators_of_layer = 56 + 92;
constexpr double kernels_of_layer = 23 + 32;

double first_there(double wanted, double second, double third) {
    return wanted > 0 ? wanted : second > 0 ? second : third;
}

// The precision as a quantised format; none if it is not quantised.
std::optional<Precision> format_of(OperatorPrecision precision) {
    switch (precision) {
        case OperatorPrecision::fp8: return Precision::fp8;
        case OperatorPrecision::fp8_rowwise: return Precision::fp8_rowwise;
        case OperatorPrecision::fp8_block: return Precision::fp8_block;
        case OperatorPrecision::mxfp8: return Precision::mxfp8;
        case OperatorPrecision::nvfp4: return Precision::nvfp4;
        case OperatorPrecision::fp32:
        case OperatorPrecision::tf32:
        case OperatorPrecision::fp16:
        case OperatorPrecision::bf16: break;
    }
    return {};
}

// Fallbacks: bf16 on Volta, and tf32 on GPUs without its units, run on the fp32 units. Quantised formats without units
// run in 16 bits.
double units_of(const Accelerator& gpu, OperatorPrecision precision) {
    const double half = gpu.bf16_flops > 0 ? gpu.bf16_flops : gpu.fp16_flops;
    switch (precision) {
        case OperatorPrecision::fp32: return gpu.fp32_flops > 0 ? gpu.fp32_flops : half;
        case OperatorPrecision::tf32: return first_there(gpu.tf32_flops, gpu.fp32_flops, half);
        case OperatorPrecision::fp16: return first_there(gpu.fp16_flops, gpu.fp32_flops, half);
        case OperatorPrecision::bf16: return first_there(gpu.bf16_flops, gpu.fp32_flops, half);
        case OperatorPrecision::fp8:
        case OperatorPrecision::fp8_rowwise:
        case OperatorPrecision::fp8_block:
        case OperatorPrecision::mxfp8:
        case OperatorPrecision::nvfp4: return first_there(gpu.peak(*format_of(precision)), half, gpu.fp32_flops);
    }
    return half;
}

double bytes_of(OperatorPrecision precision) {
    return precision == OperatorPrecision::fp32 || precision == OperatorPrecision::tf32 ? 4 : 2;
}

constexpr std::array operator_precisions{
    OperatorPrecision::fp32,      OperatorPrecision::tf32,  OperatorPrecision::fp16,
    OperatorPrecision::bf16,      OperatorPrecision::fp8,   OperatorPrecision::fp8_rowwise,
    OperatorPrecision::fp8_block, OperatorPrecision::mxfp8, OperatorPrecision::nvfp4};

KernelTimes kernels_of(const Accelerator& gpu, OperatorPrecision precision, int flash_version) {
    const std::optional<Precision> format = format_of(precision);
    if (format && gpu.peak(*format) > 0) {
        return {gpu, *format, flash_version};
    }
    return {gpu, units_of(gpu, precision) * gpu.sustained_clock, bytes_of(precision), flash_version};
}

Accelerator with_operators_alone(Accelerator gpu) {
    Efficiency& efficiency = gpu.efficiency;
    if (efficiency.stream_share > 0) {
        efficiency.memory_share = efficiency.stream_share;
    }
    return gpu;
}

template <std::size_t... at>
std::array<KernelTimes, sizeof...(at)> kernels_of_all(const Accelerator& gpu, int flash_version,
                                                      std::index_sequence<at...> /*of precisions*/) {
    return {kernels_of(gpu, operator_precisions[at], flash_version)...};
}

}  // namespace

const char* name_of(OperatorPrecision precision) {
    switch (precision) {
        case OperatorPrecision::fp32: return "fp32";
        case OperatorPrecision::tf32: return "tf32";
        case OperatorPrecision::fp16: return "fp16";
        case OperatorPrecision::bf16: return "bf16";
        case OperatorPrecision::fp8:
        case OperatorPrecision::fp8_rowwise:
        case OperatorPrecision::fp8_block:
        case OperatorPrecision::mxfp8:
        case OperatorPrecision::nvfp4: return name_of(*format_of(precision));
    }
    return "";
}

const char* name_of(GemmKind kind) {
    switch (kind) {
        case GemmKind::forward: return "forward";
        case GemmKind::input_gradient: return "input_gradient";
        case GemmKind::weight_gradient: return "weight_gradient";
    }
    return "";
}

OperatorTimes::OperatorTimes(const Accelerator& gpu, std::optional<int> flash_version)
    : gpu_(std::make_unique<const Accelerator>(with_operators_alone(gpu))),
      kernels_(kernels_of_all(*gpu_, flash_version.value_or(flash_version_of_torch),
                              std::make_index_sequence<operator_precisions.size()>())),
      version_of_cudnn_(flash_version.value_or(std::max(gpu.flash_version, flash_version_of_torch))) {}

const KernelTimes& OperatorTimes::kernels(OperatorPrecision precision) const {
    return kernels_[static_cast<std::size_t>(precision)];
}

Duration OperatorTimes::matrix_product(const Gemm& shape, GemmKind kind, OperatorPrecision precision) const {
    const KernelTimes& times = kernels(precision);
    return duration_of_seconds(shape.batch > 1 ? times.scores(shape) : times.gemm(shape, kind));
}

Duration OperatorTimes::grouped_product(const Gemm& shape, GemmKind kind, OperatorPrecision precision,
                                        double gradient_bytes) const {
    return duration_of_seconds(kernels(precision).grouped_gemm(shape, kind, gradient_bytes));
}

Duration OperatorTimes::convolution(const Gemm& shape, GemmKind kind, double bytes, OperatorPrecision precision) const {
    return duration_of_seconds(kernels(precision).convolution(shape, kind, bytes));
}

Duration OperatorTimes::flash(const KernelTimes::Flash& pass, OperatorPrecision precision) const {
    return duration_of_seconds(kernels(precision).flash(pass));
}

Duration OperatorTimes::memory(double bytes, double single) const {
    return duration_of_seconds(kernels_[0].elements(bytes, single));
}

Duration OperatorTimes::launch() const {
    return duration_of_seconds(gpu_->efficiency.kernel_floor * floors_of_layer / kernels_of_layer);
}

Duration OperatorTimes::compiled_launch() const {
    return duration_of_seconds(gpu_->efficiency.kernel_floor * floors_of_layer / operators_of_layer);
}

double OperatorTimes::peak(OperatorPrecision precision) const {
    return units_of(*gpu_, precision);
}

}  // namespace sim::training
