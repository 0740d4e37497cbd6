#include "libsim/interop/trace_files/event_reader.hpp"

#include "libsim/config/errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

namespace sim::trace_files {

namespace {

// Categories of GPU events. Profilers before PyTorch 1.12 capitalized them.
struct GpuCategory {
    std::string_view name;
    bool copies;
};
constexpr GpuCategory gpu_categories[] = {
    {"kernel", false}, {"gpu_memcpy", true}, {"gpu_memset", true},
    {"Kernel", false}, {"Memcpy", true},     {"Memset", true},
};

// Substrings of kernel names such as ncclDevKernel_AllReduce_Sum_bf16_RING_LL(…), ncclKernel_SendRecv… and
// ncclAllReduceRingLLKernel_sum_f32(…). A name that is contained in another comes after it.
struct NcclOperation {
    std::string_view in_name;
    OpKind kind;
    const char* label;
};
constexpr NcclOperation nccl_operations[] = {
    {"AllReduce", OpKind::collective, "all-reduce"},
    {"ReduceScatter", OpKind::collective, "reduce-scatter"},
    {"AllGather", OpKind::collective, "all-gather"},
    {"AllToAll", OpKind::collective, "all-to-all"},
    {"Broadcast", OpKind::collective, "broadcast"},
    {"Reduce", OpKind::collective, "reduce"},
    {"SendRecv", OpKind::send, "send and receive"},
    {"Send", OpKind::send, "send"},
    {"Recv", OpKind::receive, "receive"},
};

// Bytes per element, by the names of c10::ScalarType and of torch.dtype.
struct ElementType {
    std::string_view name;
    std::int64_t bytes;
};
constexpr ElementType element_types[] = {
    {"Float", 4},  {"float32", 4}, {"BFloat16", 2},      {"bfloat16", 2},    {"Half", 2},          {"float16", 2},
    {"Double", 8}, {"float64", 8}, {"Byte", 1},          {"uint8", 1},       {"Char", 1},          {"int8", 1},
    {"Bool", 1},   {"bool", 1},    {"Short", 2},         {"int16", 2},       {"Int", 4},           {"int32", 4},
    {"Long", 8},   {"int64", 8},   {"Float8_e4m3fn", 1}, {"Float8_e5m2", 1}, {"float8_e4m3fn", 1}, {"float8_e5m2", 1},
};

std::int64_t bytes_of_element(const std::string& name) {
    const auto* const found = std::find_if(std::begin(element_types), std::end(element_types),
                                           [&](const ElementType& type) { return type.name == name; });
    return found == std::end(element_types) ? 0 : found->bytes;
}

// 0 if the event does not give it.
std::int64_t message_bytes(const JsonEvent& event, const std::string& where) {
    if (!event.has(EventField::elements)) {
        return 0;
    }
    const std::int64_t elements = event.whole(EventField::elements, where);
    std::int64_t bytes = 0;
    if (elements < 0 ||
        __builtin_mul_overflow(elements, bytes_of_element(event.text(EventField::element_type)), &bytes)) {
        throw config::UsageError(fmt::format("{}: In msg nelems is out of range: {}", where, elements));
    }
    return bytes;
}

KinetoKernel nccl_kernel(const JsonEvent& event, const std::string& name, const std::string& where) {
    KinetoKernel kernel{.kind = OpKind::collective, .label = name, .measure = Measure::bytes};
    const auto* const operation =
        std::find_if(std::begin(nccl_operations), std::end(nccl_operations),
                     [&](const NcclOperation& o) { return name.find(o.in_name) != std::string::npos; });
    if (operation != std::end(nccl_operations)) {
        kernel.kind = operation->kind;
        kernel.label = operation->label;
    }
    kernel.amount = message_bytes(event, where);
    if (kernel.kind != OpKind::collective) {
        const bool receives = event.has(EventField::source);
        if (receives || event.has(EventField::target)) {
            const std::int64_t peer = event.whole(receives ? EventField::source : EventField::target, where);
            kernel.kind = receives ? OpKind::receive : OpKind::send;
            kernel.label = receives ? "receive" : "send";
            kernel.peer = peer >= 0 && peer < (1 << 20) ? static_cast<int>(peer) : -1;
        }
    }
    return kernel;
}

bool is_nccl(const std::string& name) {
    return name.starts_with("nccl") || name.starts_with("rccl");
}

}  // namespace

std::optional<KinetoKernel> kineto_kernel(const JsonEvent& event, const std::string& where) {
    if (event.text(EventField::phase) != "X") {
        return std::nullopt;
    }
    const auto* const category =
        std::find_if(std::begin(gpu_categories), std::end(gpu_categories),
                     [&](const GpuCategory& c) { return c.name == event.text(EventField::category); });
    if (category == std::end(gpu_categories)) {
        return std::nullopt;
    }
    const std::string& name = event.text(EventField::name);
    if (is_nccl(name)) {
        return nccl_kernel(event, name, where);
    }
    return KinetoKernel{.label = name, .measure = category->copies ? Measure::bytes : Measure::flops};
}

}  // namespace sim::trace_files
