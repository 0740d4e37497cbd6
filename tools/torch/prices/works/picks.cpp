// Kernels that touch only a part of a tensor: the elements that they pick or write.
#include "tools/torch/prices/works/parts.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace sim::torch::prices {

using seam::Tensor;

namespace {

// Indices and masks: all inputs except the table and floating-point tensors.
std::int64_t bytes_of_indices(const Call& call) {
    std::int64_t sum = 0;
    const Tensor* table =
        call.tensor_named("self") != nullptr ? call.tensor_named("self") : call.tensor_named("weight");
    for (const Tensor* one : call.inputs()) {
        sum += one == table || is_floating(one->type) ? 0 : bytes(*one);
    }
    return sum;
}

const Tensor* first_named(const Call& call, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (const Tensor* found = call.tensor_named(name)) {
            return found;
        }
    }
    return nullptr;
}

std::int64_t elements_of_rows(const Tensor& indices, const Tensor& table) {
    return elements(indices) * side_from_end(table, 1);
}

// The number of elements written if a scalar or a rule is written instead of a tensor.
std::int64_t elements_put(const Call& call) {
    const Tensor* indices = first_named(call, {"indices", "index"});
    if (indices == nullptr) {
        return 0;
    }
    const Tensor& into = call.tensor({"self"});
    if (call.name() == "index_fill") {
        const std::int64_t dim = call.integer("dim", 0);
        const std::int64_t at = dim < 0 ? dim + into.dimensions : dim;
        const std::int64_t side = at >= 0 && at < into.dimensions ? into.sizes[at] : 1;
        return elements(into) / std::max<std::int64_t>(1, side) * elements(*indices);
    }
    return call.name() == "embedding_renorm" ? elements_of_rows(*indices, into) : elements(*indices);
}

// The source is read, and the destination is read and written. Gradients of bags are spread over their rows.
std::int64_t bytes_put(const Call& call) {
    const Tensor* indices = first_named(call, {"indices"});
    if (call.name().starts_with("_embedding_bag") && indices != nullptr) {
        const Tensor& gradient = call.tensor({"grad"});
        return bytes(gradient) + 2 * elements_of_rows(*indices, gradient) * element_bytes(gradient.type);
    }
    if (const Tensor* put = first_named(call, {"grad_output", "source", "src", "values"})) {
        return 3 * bytes(*put);
    }
    return elements_put(call) * element_bytes(call.tensor({"self"}).type) * (call.name() == "embedding_renorm" ? 2 : 1);
}

}  // namespace

Work gather_work(const Asked& asked) {
    const std::int64_t count = 2 * asked.call.written_bytes() + bytes_of_indices(asked.call);
    return memory_work(asked, static_cast<double>(count));
}

Work bags_work(const Asked& asked) {
    const Call& call = asked.call;
    const Tensor& table = call.tensor({"weight"});
    const Tensor& indices = call.tensor({"indices"});
    const std::int64_t rows = elements_of_rows(indices, table) * element_bytes(table.type);
    const Tensor* gradient = call.tensor_named("grad");
    const std::int64_t count =
        rows + bytes_of_indices(call) + call.written_bytes() + (gradient == nullptr ? 0 : bytes(*gradient));
    return memory_work(asked, static_cast<double>(count));
}

namespace {

// Elements accessed one by one that take as long as an atomic addition to 16 bits, which swaps 32 bits until nobody
// else has changed them, and as putting an element to where an index says. Measured: docs/torch-prices.md.
constexpr double atomic_addition = 6.5;
constexpr double put_by_index = 3;

double put_one_by_one(const Call& call) {
    const Tensor* put = first_named(call, {"source", "src", "values"});
    if (put == nullptr || !put->is_on_gpu) {
        return 0;
    }
    const auto count = static_cast<double>(elements(*put));
    if (call.name() == "index_add" || call.name() == "scatter_add") {
        return element_bytes(put->type) == 2 ? atomic_addition * count : 0;
    }
    const bool is_put = call.name().find("index_put") != std::string::npos || call.name() == "index_copy";
    return is_put ? put_by_index * count : 0;
}

constexpr std::int64_t most_without_sort = 3072;  // tokens

// Many tokens are sorted, so that each row of the table is written once: the gradients of each piece of equal tokens
// are summed in fp32, one element at a time, and then those of all pieces. Source: aten/src/ATen/native/cuda/
// EmbeddingBackwardKernel.cu.
Work embedding_gradient_work(const Asked& asked, const Tensor& gradient, const Tensor& tokens) {
    const auto count = static_cast<double>(elements(gradient));
    const double sums = 4 * count;
    std::vector<Pass> passes = radix_sort(elements(tokens), element_bytes(tokens.type));
    passes.push_back({.bytes = static_cast<double>(asked.call.written_bytes())});
    passes.push_back({.bytes = static_cast<double>(bytes(gradient)) + sums, .single = 2 * count});
    passes.push_back({.bytes = sums + static_cast<double>(bytes(gradient)), .single = 2 * count});
    return passes_work(asked, passes);
}

}  // namespace

// Unless in place, the new tensor is first filled or copied as a whole.
Work scatter_work(const Asked& asked) {
    const Call& call = asked.call;
    const Tensor* gradient = call.tensor_named("grad_output");
    const Tensor* indices = call.tensor_named("indices");
    if (call.name() == "embedding_dense_backward" && gradient != nullptr && indices != nullptr && indices->is_on_gpu &&
        elements(*indices) > most_without_sort) {
        return embedding_gradient_work(asked, *gradient, *indices);
    }
    const std::int64_t made = call.op().is_in_place ? 0 : call.written_bytes();
    const std::int64_t copied = call.tensor_named("self") == nullptr ? 0 : made;
    return passes_work(asked, {{.bytes = static_cast<double>(bytes_put(call) + bytes_of_indices(call) + made + copied),
                                .single = put_one_by_one(call)}});
}

Work pick_work(const Asked& asked) {
    const Tensor& rows = asked.call.tensor({"target"});
    const std::int64_t each = element_bytes(rows.type) + element_bytes(asked.call.tensor({"self"}).type);
    return memory_work(asked, static_cast<double>(elements(rows) * each));
}

}  // namespace sim::torch::prices
