// A call is an operator with its arguments and results, as its price depends on it: arguments by their names in the
// schema, tensors by what is read of them and written.
#pragma once

#include "tools/torch/prices/operator.hpp"
#include "tools/torch/prices/tensors.hpp"
#include "tools/torch/seam.hpp"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace sim::torch::prices {

using Tensors = std::vector<const seam::Tensor*>;

// It refers to what it is made of.
class Call {
public:
    // Requires: `arguments` are as many as the operator has.
    Call(const Operator& op, const seam::Value* arguments, std::span<const seam::Value> results)
        : op_(&op), arguments_(arguments), results_(results) {}

    const Operator& op() const { return *op_; }
    const std::string& name() const { return op_->name; }
    std::span<const seam::Value> results() const { return results_; }

    // The first argument of such a name that is a tensor; or else the first tensor of all, which has no sides where
    // there is none.
    const seam::Tensor& tensor(std::initializer_list<std::string_view> names) const;
    // Null where it is none.
    const seam::Tensor* tensor_named(std::string_view name) const;
    // The tensors of a list; of one tensor, itself.
    Tensors tensors_named(std::string_view name) const;

    // Requires: is_asked_for(name).
    std::int64_t integer(std::string_view name, std::int64_t otherwise) const;
    bool flag(std::string_view name, bool otherwise) const { return integer(name, otherwise ? 1 : 0) != 0; }
    std::span<const std::int64_t> integers(std::string_view name) const;

    Tensors inputs() const;   // what is read
    Tensors written() const;  // in place, or as results that the caller gave
    Tensors outputs() const;  // what is returned, or else what is written
    std::int64_t read_bytes() const;
    std::int64_t written_bytes() const;

    // The tensors of each argument that is a list of them, in the schema's order; no list is empty.
    std::vector<Tensors> lists() const;
    // Of the first result, if it is one.
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
