#include "tools/torch/slot/call.hpp"

#include "tools/torch/slot/layouts.hpp"
#include "tools/torch/slot/storage.hpp"

#include <ATen/core/Tensor.h>

namespace sim::slot {

seam::Type type_of(c10::ScalarType type) {
    using seam::Type;
    switch (type) {
        case c10::ScalarType::Bool: return Type::flag;
        case c10::ScalarType::Byte: return Type::uint8;
        case c10::ScalarType::Char: return Type::int8;
        case c10::ScalarType::Short:
        case c10::ScalarType::UInt16: return Type::int16;
        case c10::ScalarType::Int:
        case c10::ScalarType::UInt32: return Type::int32;
        case c10::ScalarType::Long:
        case c10::ScalarType::UInt64: return Type::int64;
        case c10::ScalarType::Float8_e4m3fn:
        case c10::ScalarType::Float8_e5m2:
        case c10::ScalarType::Float8_e4m3fnuz:
        case c10::ScalarType::Float8_e5m2fnuz: return Type::float8;
        case c10::ScalarType::Half: return Type::float16;
        case c10::ScalarType::BFloat16: return Type::bfloat16;
        case c10::ScalarType::Float: return Type::float32;
        case c10::ScalarType::Double: return Type::float64;
        case c10::ScalarType::ComplexHalf: return Type::complex32;
        case c10::ScalarType::ComplexFloat: return Type::complex64;
        case c10::ScalarType::ComplexDouble: return Type::complex128;
        default: return Type::other;
    }
}

bool launches(const c10::FunctionSchema& schema) {
    bool makes = schema.returns().empty();
    for (const c10::Argument& result : schema.returns()) {
        const bool is_view = result.alias_info() != nullptr && !result.alias_info()->isWrite();
        const c10::TypeKind kind = result.type()->kind();
        makes = makes || (!is_view && (kind == c10::TypeKind::TensorType || kind == c10::TypeKind::ListType));
    }
    return makes;
}

seam::Tensor facts_of(const at::Tensor& tensor) {
    if (!tensor.defined()) {
        return {};
    }
    seam::Tensor facts{.type = type_of(tensor.scalar_type()), .is_on_gpu = tensor.is_cuda()};
    if (has_strides(tensor) && !tensor.unsafeGetTensorImpl()->is_python_dispatch()) {
        facts.sizes = tensor.sizes().data();
        facts.strides = tensor.strides().data();
        facts.dimensions = static_cast<std::int32_t>(tensor.dim());
        facts.is_contiguous = tensor.is_contiguous();
        facts.offset = tensor.storage_offset();
        facts.storage = id_of(*tensor.storage().unsafeGetStorageImpl());
    }
    return facts;
}

void Facts::add(const at::Tensor& tensor) {
    values_.push_back(
        {.kind = tensor.defined() ? seam::Kind::tensor : seam::Kind::none, .count = tensor.defined() ? 1 : 0});
    if (tensor.defined()) {
        add_facts(tensor);
    }
}

// A tensor made of others is described by its memory, which is kept because the facts refer to its sizes.
void Facts::add_facts(const at::Tensor& tensor) {
    if (has_strides(tensor) || tensor.unsafeGetTensorImpl()->is_python_dispatch()) {
        tensors_.push_back(facts_of(tensor));
        return;
    }
    kept_.push_back(memory_of(tensor));
    tensors_.push_back(facts_of(kept_.back()));
}

void Facts::add(const c10::IValue& value) {
    using seam::Kind;
    if (value.isTensor()) {
        add(value.toTensor());
    } else if (value.isTensorList() || value.isOptionalTensorList()) {
        seam::Value list{.kind = Kind::tensors};
        for (const c10::IValue& each : value.toListRef()) {
            if (each.isTensor()) {
                add_facts(each.toTensor());
            } else {
                tensors_.emplace_back();
            }
            ++list.count;
        }
        values_.push_back(list);
    } else if (value.isDouble()) {
        values_.push_back({.kind = Kind::number, .number = value.toDouble()});
    } else if (value.isBool()) {
        values_.push_back({.kind = Kind::flag, .integer = value.toBool() ? 1 : 0});
    } else if (value.isInt()) {
        values_.push_back({.kind = Kind::integer, .integer = value.toInt()});
    } else if (value.isIntList() || value.isBoolList()) {
        seam::Value list{.kind = Kind::integers};
        for (const c10::IValue& each : value.toList()) {
            integers_.push_back(each.isBool() ? (each.toBool() ? 1 : 0) : each.toInt());
            ++list.count;
        }
        values_.push_back(list);
    } else {
        values_.push_back({});
    }
}

std::span<const seam::Value> Facts::values() {
    const seam::Tensor* tensor = tensors_.data();
    const std::int64_t* integer = integers_.data();
    for (seam::Value& value : values_) {
        if (value.kind == seam::Kind::tensor || value.kind == seam::Kind::tensors) {
            value.tensors = tensor;
            tensor += value.count;
        } else if (value.kind == seam::Kind::integers) {
            value.integers = integer;
            integer += value.count;
        }
    }
    return {values_.data(), values_.size()};
}

}  // namespace sim::slot
