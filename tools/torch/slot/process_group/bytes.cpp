#include "tools/torch/slot/process_group/bytes.hpp"

#include "tools/torch/slot/aliases.hpp"
#include "tools/torch/slot/hollow.hpp"

#include <ATen/ATen.h>

#include <array>
#include <cstring>

namespace sim::slot {

using c10d::ReduceOp;

std::int64_t bytes_of(const Tensors& tensors) {
    std::int64_t bytes = 0;
    for (const at::Tensor& tensor : tensors) {
        bytes += static_cast<std::int64_t>(tensor.nbytes());
    }
    return bytes;
}

at::Tensor packed(const Tensors& tensors) {
    if (is_hollow_run() && is_large(static_cast<std::size_t>(bytes_of(tensors)))) {
        return at::empty({0}, at::TensorOptions(at::kByte).device(at::kCPU));
    }
    if (tensors.size() == 1) {
        return on_cpu(tensors.front()).contiguous();
    }
    at::Tensor all = at::empty({bytes_of(tensors)}, at::TensorOptions(at::kByte).device(at::kCPU));
    auto* to = static_cast<char*>(all.mutable_data_ptr());
    for (const at::Tensor& tensor : tensors) {
        const at::Tensor solid = on_cpu(tensor).contiguous();
        std::memcpy(to, solid.const_data_ptr(), solid.nbytes());
        to += solid.nbytes();
    }
    return all;
}

void unpack(const void* bytes, const Tensors& tensors) {
    const auto* from = static_cast<const char*>(bytes);
    for (const at::Tensor& tensor : tensors) {
        const at::Tensor target = on_cpu(tensor);
        const auto count = static_cast<std::int64_t>(target.nbytes());
        if (count > 0 && target.is_contiguous()) {
            std::memcpy(target.mutable_data_ptr(), from, static_cast<std::size_t>(count));
        } else if (count > 0) {
            target.copy_(elements({from, count}, target.scalar_type()).view(target.sizes()));
        }
        from += count;
    }
}

at::Tensor elements(const seam::Bytes& part, c10::ScalarType type) {
    const std::int64_t count = part.count / static_cast<std::int64_t>(c10::elementSize(type));
    return at::from_blob(const_cast<void*>(part.first), {count}, at::TensorOptions(type).device(at::kCPU));
}

std::string name_of(const ReduceOp& op) {
    static constexpr std::array names{"SUM", "AVG", "PRODUCT", "MIN", "MAX", "BAND", "BOR", "BXOR", "PREMUL_SUM"};
    const auto index = static_cast<std::size_t>(op.op_);
    return index < names.size() ? names[index] : "UNUSED";
}

at::Tensor premultiplied(const at::Tensor& input, const ReduceOp& op) {
    if (!(op == ReduceOp::PREMUL_SUM)) {
        return input;
    }
    const auto* const factor = reinterpret_cast<const c10d::NCCLPreMulSumSupplement*>(op.supplement_.get());
    return factor->tensor_factor.defined() ? input.mul(on_cpu(factor->tensor_factor))
                                           : input.mul(factor->double_factor);
}

void check_reduction(const ReduceOp& op, c10::ScalarType type, bool is_nccl) {
    const bool is_bitwise = op == ReduceOp::BAND || op == ReduceOp::BOR || op == ReduceOp::BXOR;
    TORCH_CHECK_VALUE(!(is_nccl && is_bitwise), "Cannot use ReduceOp.", name_of(op), " with NCCL");
    const bool orders = op == ReduceOp::MIN || op == ReduceOp::MAX;
    TORCH_CHECK_VALUE(!(orders && c10::isComplexType(type)), "all_reduce does not support ReduceOp.", name_of(op),
                      " on complex tensors");
    TORCH_CHECK_TYPE(!(op == ReduceOp::AVG && type == at::kBool), "Cannot use ReduceOp.AVG with Boolean inputs");
}

namespace {

void combine(at::Tensor& total, const at::Tensor& part, const ReduceOp& op) {
    switch (op.op_) {
        case ReduceOp::PRODUCT: total.mul_(part); return;
        case ReduceOp::MIN: at::minimum_out(total, total, part); return;
        case ReduceOp::MAX: at::maximum_out(total, total, part); return;
        case ReduceOp::BAND: total.bitwise_and_(part); return;
        case ReduceOp::BOR: total.bitwise_or_(part); return;
        case ReduceOp::BXOR: total.bitwise_xor_(part); return;
        default: total.add_(part); return;
    }
}

}  // namespace

at::Tensor reduced(Parts parts, c10::ScalarType type, const ReduceOp& op) {
    at::Tensor total = elements(parts.front(), type).clone();
    for (const seam::Bytes& part : parts.subspan(1)) {
        combine(total, elements(part, type), op);
    }
    if (op == ReduceOp::AVG) {
        const auto count = static_cast<std::int64_t>(parts.size());
        c10::isIntegralType(type, true) ? total.div_(count, "trunc") : total.div_(count);
    }
    return total;
}

}  // namespace sim::slot
