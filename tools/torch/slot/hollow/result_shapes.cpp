#include "tools/torch/slot/hollow/result_shapes.hpp"

#include "tools/torch/slot/below_autograd.hpp"
#include "tools/torch/slot/hollow/tensors_of.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace sim::slot {

namespace {

// The result of one of our kernels may share the memory of an argument.
void note_memory(ResultShapes& shapes, const c10::IValue& shape, const c10::IValue& given, std::size_t argument) {
    if (shape.isTensor() && given.isTensor() && shape.toTensor().is_meta() && given.toTensor().is_cuda()) {
        shapes.lies_in.emplace_back(shape.toTensor().storage(), argument);
    }
}

ResultShapes results_on_meta(const c10::OperatorHandle& op, const HollowTraits& traits,
                             std::span<const c10::IValue> given) {
    ResultShapes shapes;
    for (std::size_t i = 0; i < given.size(); ++i) {
        shapes.results.push_back(meta_of(given[i]));
        if (traits.own != nullptr) {
            note_memory(shapes, shapes.results.back(), given[i], i);
        }
    }
    const BelowAutograd below;
    if (traits.picks_by_mask) {
        shapes.results = {picked_by_mask(given[0].toTensor(), given[1].toTensor())};
        return shapes;
    }
    const c10::DispatchKeySet meta(c10::DispatchKey::Meta);
    if (traits.own != nullptr) {
        traits.own->function.callBoxed(op, meta, &shapes.results);
    } else {
        op.redispatchBoxed(meta, &shapes.results);
    }
    return shapes;
}

bool lies_in(const at::Tensor& result, const c10::Storage& storage) {
    return result.is_meta() && result.storage().unsafeGetStorageImpl() == storage.unsafeGetStorageImpl();
}

// Values that one of our kernels returns, such as seeds of dropout, differ in each call.
bool can_be_remembered(ResultShapes& shapes) {
    std::erase_if(shapes.lies_in, [&](const auto& each) {
        return !any_tensor(shapes.results, [&](const at::Tensor& result) { return lies_in(result, each.first); });
    });
    return !any_tensor(shapes.results, [](const at::Tensor& result) { return !result.is_meta(); });
}

}  // namespace

std::shared_ptr<const ResultShapes> shapes_of_results(const c10::OperatorHandle& op, const HollowTraits& traits,
                                                      std::span<const c10::IValue> given) {
    const auto found = [&] { return std::make_shared<ResultShapes>(results_on_meta(op, traits, given)); };
    try {
        if (traits.is_shaped_by_numbers) {
            return found();
        }
        const CallSignature signature(op, given);
        if (!signature.is_complete()) {
            return found();
        }
        if (auto known = known_shapes(signature)) {
            return known;
        }
        auto shapes = found();
        return can_be_remembered(*shapes) ? remember_shapes(signature, std::move(*shapes)) : shapes;
    } catch (const c10::NotImplementedError&) {
        return nullptr;
    }
}

}  // namespace sim::slot
