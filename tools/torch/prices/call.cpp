#include "tools/torch/prices/call.hpp"

#include "libsim/check.hpp"

#include <numeric>

namespace sim::torch::prices {

using seam::Tensor;
using seam::Value;

namespace {

constexpr Tensor no_tensor{};

bool is_tensor(const Value& value) {
    return value.kind == seam::Kind::tensor && value.tensors != nullptr;
}

void collect(const Value& value, Tensors& found) {
    const std::int32_t count = is_tensor(value) ? 1 : value.kind == seam::Kind::tensors ? value.count : 0;
    for (std::int32_t at = 0; at < count; ++at) {
        found.push_back(value.tensors + at);
    }
}

}  // namespace

std::int64_t bytes(const Tensors& tensors) {
    return std::accumulate(tensors.begin(), tensors.end(), std::int64_t{0},
                           [](std::int64_t sum, const Tensor* tensor) { return sum + bytes(*tensor); });
}

const Value* Call::value_named(std::string_view name) const {
    for (std::size_t at = 0; at < op_->arguments.size(); ++at) {
        if (op_->arguments[at].name == name) {
            return arguments_ + at;
        }
    }
    return nullptr;
}

const Tensor* Call::tensor_named(std::string_view name) const {
    const Value* value = value_named(name);
    return value != nullptr && is_tensor(*value) ? value->tensors : nullptr;
}

const Tensor& Call::tensor(std::initializer_list<std::string_view> names) const {
    for (const std::string_view name : names) {
        if (const Tensor* found = tensor_named(name)) {
            return *found;
        }
    }
    for (std::size_t at = 0; at < op_->arguments.size(); ++at) {
        const Value& value = arguments_[at];
        if (is_tensor(value) || (value.kind == seam::Kind::tensors && value.count > 0)) {
            return *value.tensors;
        }
    }
    return no_tensor;
}

Tensors Call::tensors_named(std::string_view name) const {
    Tensors found;
    if (const Value* value = value_named(name)) {
        collect(*value, found);
    }
    return found;
}

std::int64_t Call::integer(std::string_view name, std::int64_t otherwise) const {
    check(is_asked_for(name), "{} is no part of a call's signature", name);
    const Value* value = value_named(name);
    const bool is_there = value != nullptr && (value->kind == seam::Kind::integer || value->kind == seam::Kind::flag);
    return is_there ? value->integer : otherwise;
}

std::span<const std::int64_t> Call::integers(std::string_view name) const {
    check(is_asked_for(name), "{} is no part of a call's signature", name);
    const Value* value = value_named(name);
    if (value == nullptr || value->kind != seam::Kind::integers) {
        return {};
    }
    return {value->integers, static_cast<std::size_t>(value->count)};
}

Tensors Call::inputs() const {
    Tensors found;
    for (std::size_t at = 0; at < op_->arguments.size(); ++at) {
        if (op_->arguments[at].is_read) {
            collect(arguments_[at], found);
        }
    }
    return found;
}

Tensors Call::written() const {
    Tensors found;
    for (std::size_t at = 0; at < op_->arguments.size(); ++at) {
        if (op_->arguments[at].is_written) {
            collect(arguments_[at], found);
        }
    }
    return found;
}

Tensors Call::outputs() const {
    Tensors found;
    for (const Value& value : results_) {
        collect(value, found);
    }
    return found.empty() ? written() : found;
}

std::int64_t Call::read_bytes() const {
    return bytes(inputs()) * op_->readings;
}

std::int64_t Call::written_bytes() const {
    return bytes(outputs());
}

std::vector<Tensors> Call::lists() const {
    std::vector<Tensors> found;
    for (std::size_t at = 0; at < op_->arguments.size(); ++at) {
        if (arguments_[at].kind == seam::Kind::tensors && arguments_[at].count > 0) {
            collect(arguments_[at], found.emplace_back());
        }
    }
    return found;
}

bool Call::has_result(std::size_t at) const {
    return at < results_.size() && is_tensor(results_[at]);
}

const Tensor& Call::result(std::size_t at) const {
    if (has_result(at)) {
        return *results_[at].tensors;
    }
    const Tensors found = outputs();
    return found.empty() ? no_tensor : *found.front();
}

}  // namespace sim::torch::prices
