// A call is an operator with its arguments and results, as its price depends on them: arguments by their names in the
// schema, tensors by the memory that is read and written.
#pragma once

#include "tools/torch/prices/operator.hpp"
#include "tools/torch/seam.hpp"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace sim::torch::prices {

// The memory of a tensor that a kernel touches. Tensors on the host cost the GPU nothing: their values are arguments of
// a kernel. `other` (quantised types, pairs of 4-bit values) counts one byte.
std::int64_t element_bytes(seam::Type type);
bool is_floating(seam::Type type);  // not complex
std::int64_t elements(const seam::Tensor& tensor);
// Bytes of GPU memory. An expanded dimension (stride 0) counts once, because its values repeat and stay in caches.
std::int64_t bytes(const seam::Tensor& tensor);

// The size of dimension `at`, from the end if negative, as in Python: -1 is the last. 1 for a missing dimension.
std::int64_t side_at(const seam::Tensor& tensor, std::int64_t at);
// The size of a dimension counted from the end: 1 is the last. 1 for a missing dimension.
std::int64_t side_from_end(const seam::Tensor& tensor, int at);

using Tensors = std::vector<const seam::Tensor*>;

// Refers to the operator, arguments and results that it is made from.
class Call {
public:
    // Requires: `arguments` has as many elements as the operator has arguments.
    Call(const Operator& op, const seam::Value* arguments, std::span<const seam::Value> results)
        : op_(&op), arguments_(arguments), results_(results) {}

    const Operator& op() const { return *op_; }
    const std::string& name() const { return op_->name; }
    std::span<const seam::Value> results() const { return results_; }

    // The first argument with one of these names that is a tensor, or else the first tensor of the call. Without any
    // tensor, one without dimensions.
    const seam::Tensor& tensor(std::initializer_list<std::string_view> names) const;
    // Null if the argument is not a tensor.
    const seam::Tensor* tensor_named(std::string_view name) const;
    // The tensors of a list argument, or the one tensor.
    Tensors tensors_named(std::string_view name) const;

    // Requires: is_asked_for(name).
    std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
    bool flag(std::string_view name, bool otherwise) const { return integer(name, otherwise ? 1 : 0) != 0; }
    std::span<const std::int64_t> integers(std::string_view name) const;

    Tensors inputs() const;   // tensors that are read
    Tensors written() const;  // written in place, or as out= arguments
    Tensors outputs() const;  // returned tensors, or else the written ones
    std::int64_t read_bytes() const;
    std::int64_t written_bytes() const;

    // The tensors of each argument that is a list, in the schema's order; empty lists are left out.
    std::vector<Tensors> lists() const;
    // A result, if it is a tensor.
    const seam::Tensor& result(std::size_t at = 0) const;
    bool has_result(std::size_t at) const;

private:
    const seam::Value* value_named(std::string_view name) const;

    const Operator* op_;
    const seam::Value* arguments_;
    std::span<const seam::Value> results_;
};

std::int64_t bytes(const Tensors& tensors);

}  // namespace sim::torch::prices
