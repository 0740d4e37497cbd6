// Kernels that touch only a part of a tensor: the elements that they pick or write.
#include "tools/torch/prices/works/parts.hpp"

#include <algorithm>

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

// Unless in place, the new tensor is first filled or copied as a whole.
Work scatter_work(const Asked& asked) {
    const Call& call = asked.call;
    const std::int64_t made = call.op().is_in_place ? 0 : call.written_bytes();
    const std::int64_t copied = call.tensor_named("self") == nullptr ? 0 : made;
    return memory_work(asked, static_cast<double>(bytes_put(call) + bytes_of_indices(call) + made + copied));
}

Work pick_work(const Asked& asked) {
    const Tensor& rows = asked.call.tensor({"target"});
    const std::int64_t each = element_bytes(rows.type) + element_bytes(asked.call.tensor({"self"}).type);
    return memory_work(asked, static_cast<double>(elements(rows) * each));
}

}  // namespace sim::torch::prices
