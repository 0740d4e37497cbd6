#include "tools/torch/slot/hollow/shapes.hpp"

#include "tools/torch/slot/aliases.hpp"
#include "tools/torch/slot/below_autograd.hpp"
#include "tools/torch/slot/call.hpp"
#include "tools/torch/slot/errors.hpp"
#include "tools/torch/slot/hollow.hpp"
#include "tools/torch/slot/hollow/result_shapes.hpp"
#include "tools/torch/slot/hollow/routing.hpp"
#include "tools/torch/slot/hollow/tensors_of.hpp"
#include "tools/torch/slot/storage.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>

namespace sim::slot {

namespace {

bool is_written(const c10::Argument& argument) {
    return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
}

// A hollow Python number arrives as nan.
bool is_nan(const c10::IValue& value) {
    return value.isDouble() && std::isnan(value.toDouble());
}

bool is_among(const std::vector<std::size_t>& places, std::size_t place) {
    return std::ranges::find(places, place) != places.end();
}

// Whether the call reads any tensor for which `is` holds.
template <class Is>
bool reads_any(const HollowTraits& traits, std::span<const c10::IValue> given, Is&& is) {
    for (std::size_t i = 0; i < given.size(); ++i) {
        const bool is_read = !traits.overwrites || !is_among(traits.written, i);
        if (is_read && any_tensor_in(given[i], is)) {
            return true;
        }
    }
    return false;
}

// Whether what it overwrites is worth computing: small tensors, or integers that fill their storage.
bool overwrites_countable(const HollowTraits& traits, std::span<const c10::IValue> given) {
    return std::ranges::all_of(traits.written, [&](std::size_t i) {
        return !any_tensor_in(given[i], [](const at::Tensor& tensor) {
            return is_large(tensor) && !(is_countable(tensor) && tensor.nbytes() == tensor.storage().nbytes());
        });
    });
}

// A mask with known values determines how many elements it picks.
bool is_known_mask(const at::Tensor& tensor) {
    return is_mask(tensor) && !is_hollow(tensor);
}

bool is_nan_of_python(const at::Tensor& tensor) {
    return tensor.unsafeGetTensorImpl()->is_wrapped_number() && tensor.scalar_type() == at::kDouble &&
           std::isnan(*tensor.const_data_ptr<double>());
}

at::Tensor hollow_like(const at::Tensor& shape, Memories& memories, c10::Device device) {
    if (!shape.defined()) {
        return shape;
    }
    const c10::DispatchKeySet key(device.is_cuda() ? c10::DispatchKey::CUDA : c10::DispatchKey::CPU);
    at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(memories.of(shape, device), key, shape.dtype());
    made.unsafeGetTensorImpl()->set_sizes_and_strides(shape.sizes(), shape.strides(), shape.storage_offset());
    mark_skipped(made);
    return made;
}

c10::IValue hollow_like(const c10::IValue& shape, Memories& memories, c10::Device device) {
    if (shape.isTensor()) {
        return hollow_like(shape.toTensor(), memories, device);
    }
    if (shape.isTensorList()) {
        c10::List<at::Tensor> list;
        for (const c10::IValue& each : shape.toListRef()) {
            list.push_back(hollow_like(each.toTensor(), memories, device));
        }
        return list;
    }
    return shape;
}

// Resizes the program's out= tensors to the results.
void fit_outputs(const HollowTraits& traits, std::span<const c10::IValue> given, std::span<const c10::IValue> shapes) {
    for (std::size_t i = 0; i < std::min(shapes.size(), traits.written.size()); ++i) {
        const c10::IValue& output = given[traits.written[i]];
        if (output.isTensor() && shapes[i].isTensor() && output.toTensor().sizes() != shapes[i].toTensor().sizes()) {
            at::Tensor(output.toTensor()).resize_(shapes[i].toTensor().sizes());
        }
    }
}

// topk(Tensor self, int k, int dim, …) -> (values, indices)
void choose_where_hollow(const HollowTraits& traits, std::span<const c10::IValue> given,
                         std::span<const c10::IValue> results) {
    if (!traits.chooses || results.size() != 2 || !is_hollow(results[1].toTensor())) {
        return;
    }
    const at::Tensor& scores = given[0].toTensor();
    const std::int64_t dim = given[2].toInt();
    choose(results[1].toTensor(), scores.dim() == 0 ? 1 : scores.size(dim), dim);
}

// Hollow values count as finite, so that loss scaling does not make a script skip its optimizer's step.
bool is_flag_of_infinite(const c10::OperatorHandle& op, const c10::Argument& argument) {
    return op.operator_name().name == "aten::_amp_foreach_non_finite_check_and_unscale_" &&
           argument.name() == "found_inf";
}

constexpr std::array<std::string_view, 3> overwriting{"aten::zero_", "aten::fill_", "aten::random_"};

// Whether integers are computed from zeros that are not written yet, as in zeros_like(scores).int().
bool makes_whole_numbers_of_zeros(const c10::OperatorHandle& op, const HollowTraits& traits,
                                  std::span<const c10::IValue> given) {
    if (!traits.written.empty() || traits.is_shaped_by_numbers ||
        reads_any(traits, given, [](const at::Tensor& tensor) { return lacks_numbers(tensor) && !is_zeros(tensor); })) {
        return false;
    }
    const auto shapes = shapes_of_results(op, traits, given);
    return shapes && std::ranges::all_of(shapes->results, [](const c10::IValue& result) {
               return result.isTensor() && is_countable(result.toTensor());
           });
}

// Whether all masks that it picks by have known values.
bool knows_what_it_picks(const HollowTraits& traits, std::span<const c10::IValue> given) {
    if (traits.picks_by_mask) {
        return any_tensor_in(given[1], is_known_mask);
    }
    const auto picks = std::ranges::find_if(given, &c10::IValue::isOptionalTensorList);
    return picks != given.end() &&
           !any_tensor_in(*picks, [](const at::Tensor& index) { return is_mask(index) && !is_known_mask(index); });
}

// x[mask] = 0 with a host scalar is masked_fill on a GPU.
bool fills(const c10::IValue& value) {
    return value.isTensor() && value.toTensor().is_cpu() && value.toTensor().numel() == 1;
}

}  // namespace

HollowTraits hollow_traits(const c10::OperatorHandle& op) {
    HollowTraits traits{.is_shaped_by_numbers = op.hasTag(at::Tag::dynamic_output_shape),
                        .is_kernel = launches(op.schema())};
    const Kernel* const own = kernels().find(op.operator_name());
    traits.own = own != nullptr && own->takes == Takes::meta_tensors ? own : nullptr;
    const auto& arguments = op.schema().arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (is_written(arguments[i]) && !is_flag_of_infinite(op, arguments[i])) {
            traits.written.push_back(i);
            traits.has_outputs = traits.has_outputs || arguments[i].is_out();
        }
        if (traits.is_shaped_by_numbers && arguments[i].name() == "output_size") {
            traits.told_size = i;
        }
    }
    traits.picks_by_mask = op.operator_name().name == "aten::masked_select" && op.operator_name().overload_name.empty();
    traits.zeroes = op.operator_name().name == "aten::zero_";
    traits.chooses = op.operator_name().name == "aten::topk";
    traits.overwrites =
        traits.has_outputs || std::ranges::find(overwriting, op.operator_name().name) != overwriting.end();
    for (const c10::Argument& result : op.schema().returns()) {
        traits.gives_back_written.push_back(is_written(result));
    }
    traits.needs_shapes = traits.has_outputs || !std::ranges::all_of(op.schema().returns(), is_written);
    return traits;
}

// Picking by indices without a mask gives the shape of the indices, so nothing waits.
bool waits_for_numbers(const HollowTraits& traits, std::span<const c10::IValue> given) {
    if (traits.told_size && !given[*traits.told_size].isNone()) {
        return false;
    }
    const auto picks = std::ranges::find_if(given, &c10::IValue::isOptionalTensorList);
    if (picks == given.end()) {
        return traits.is_shaped_by_numbers;
    }
    const auto value = std::next(picks);
    return any_tensor_in(*picks, is_mask) && !(value != given.end() && fills(*value));
}

bool is_skipped(const c10::OperatorHandle& op, const HollowTraits& traits, std::span<const c10::IValue> given) {
    const bool lacks = reads_any(traits, given, lacks_numbers);
    if (lacks && traits.is_shaped_by_numbers && waits_for_numbers(traits, given) &&
        !knows_what_it_picks(traits, given)) {
        refuse(c10::str(
            op.operator_name(),
            " in a hollow run cannot run here: the size of its result depends on values that are not computed; run "
            "it without --hollow, or smaller"));
    }
    if (lacks && makes_whole_numbers_of_zeros(op, traits, given)) {
        for (const c10::IValue& value : given) {
            for_tensors(value, [](const at::Tensor& tensor) {
                if (is_zeros(tensor)) {
                    fill_in_zeros(tensor);
                }
            });
        }
        return false;
    }
    // Made-up values do not add up to the given size.
    const bool is_told = traits.told_size && !given[*traits.told_size].isNone();
    if (lacks || !overwrites_countable(traits, given) || (is_told && reads_hollow(traits, given))) {
        return true;
    }
    const bool has_large = any_tensor(given, [](const at::Tensor& tensor) { return is_large(tensor); });
    if (traits.is_shaped_by_numbers || !(has_large || traits.has_outputs)) {
        return false;
    }
    const auto shapes = shapes_of_results(op, traits, given);
    return shapes && any_tensor(shapes->results,
                                [](const at::Tensor& tensor) { return is_large(tensor) && !is_countable(tensor); });
}

bool is_of_host(std::span<const c10::IValue> given) {
    const bool elsewhere = any_tensor(given, [](const at::Tensor& tensor) {
        return !tensor.device().is_cpu() || tensor.layout() != c10::kStrided ||
               tensor.unsafeGetTensorImpl()->is_python_dispatch();
    });
    return !elsewhere && std::ranges::none_of(given, [](const c10::IValue& value) {
        return value.isDevice() && !value.toDevice().is_cpu();
    });
}

bool reads_hollow(const HollowTraits& traits, std::span<const c10::IValue> given) {
    return std::ranges::any_of(given, is_nan) || reads_any(traits, given, [](const at::Tensor& tensor) {
               return (is_hollow(tensor) && !is_zeros(tensor)) || is_nan_of_python(tensor);
           });
}

bool give_hollow(const c10::OperatorHandle& op, const HollowTraits& traits, std::span<const c10::IValue> given,
                 c10::Device device, HollowResults& results) {
    std::shared_ptr<const ResultShapes> shapes;
    Memories memories;
    if (traits.needs_shapes) {
        shapes = shapes_of_results(op, traits, given);
        if (shapes == nullptr) {
            return false;
        }
        for (const auto& [storage, argument] : shapes->lies_in) {
            memories.know(storage, given[argument].toTensor().storage());
        }
        if (traits.has_outputs) {
            fit_outputs(traits, given, shapes->results);
        }
    }
    for (const std::size_t i : traits.written) {
        for_tensors(given[i], mark_skipped);
    }
    // Returns written arguments in this order, between new results.
    std::size_t written = 0;
    for (std::size_t i = 0; i < traits.gives_back_written.size(); ++i) {
        results.push_back(traits.gives_back_written[i] ? given[traits.written.at(written++)]
                                                       : hollow_like(shapes->results[i], memories, device));
    }
    choose_where_hollow(traits, given, {results.data(), results.size()});
    if (traits.zeroes) {
        for_tensors(given[0], mark_zeros);
    }
    return true;
}

void mark_results(const HollowTraits& traits, std::span<const c10::IValue> given, std::span<const c10::IValue> results,
                  bool has_read_hollow) {
    if (!has_read_hollow) {
        if (traits.overwrites) {
            for (const std::size_t i : traits.written) {
                for_tensors(given[i], mark_known);
            }
        }
        return;
    }
    const BelowAutograd below;
    // Results of the host's hollow values, which are nan, become finite on the GPU, because programs check for nan.
    const auto mark = [](const at::Tensor& tensor) {
        mark_made_up(tensor);
        if (tensor.is_cuda() && tensor.is_floating_point() && !is_large(tensor)) {
            on_cpu(tensor).nan_to_num_(0, 0, 0);
        }
    };
    for (const std::size_t i : traits.written) {
        for_tensors(given[i], mark);
    }
    if (traits.written.empty()) {
        for (const c10::IValue& result : results) {
            for_tensors(result, mark);
        }
    }
    choose_where_hollow(traits, given, results);
}

}  // namespace sim::slot
