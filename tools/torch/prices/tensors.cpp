#include "tools/torch/prices/call.hpp"

#include <algorithm>

namespace sim::torch::prices {

using seam::Tensor;
using seam::Type;

std::int64_t element_bytes(Type type) {
    switch (type) {
        case Type::int16:
        case Type::float16:
        case Type::bfloat16: return 2;
        case Type::int32:
        case Type::float32:
        case Type::complex32: return 4;
        case Type::int64:
        case Type::float64:
        case Type::complex64: return 8;
        case Type::complex128: return 16;
        case Type::other:
        case Type::flag:
        case Type::uint8:
        case Type::int8:
        case Type::float8: break;
    }
    return 1;
}

bool is_floating(Type type) {
    return type == Type::float8 || type == Type::float16 || type == Type::bfloat16 || type == Type::float32 ||
           type == Type::float64;
}

std::int64_t elements(const Tensor& tensor) {
    std::int64_t count = 1;
    for (int at = 0; at < tensor.dimensions; ++at) {
        count *= tensor.sizes[at];
    }
    return count;
}

std::int64_t bytes(const Tensor& tensor) {
    if (!tensor.is_on_gpu) {
        return 0;
    }
    std::int64_t count = element_bytes(tensor.type);
    for (int at = 0; at < tensor.dimensions; ++at) {
        const bool is_expanded = tensor.strides != nullptr && tensor.strides[at] == 0;
        count *= is_expanded ? std::min<std::int64_t>(tensor.sizes[at], 1) : tensor.sizes[at];
    }
    return count;
}

std::int64_t side_at(const Tensor& tensor, std::int64_t at) {
    const std::int64_t place = at < 0 ? at + tensor.dimensions : at;
    return place >= 0 && place < tensor.dimensions ? tensor.sizes[place] : 1;
}

std::int64_t side_from_end(const Tensor& tensor, int at) {
    return at <= tensor.dimensions ? tensor.sizes[tensor.dimensions - at] : 1;
}

}  // namespace sim::torch::prices
