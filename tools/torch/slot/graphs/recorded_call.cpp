#include "tools/torch/slot/graphs/recorded_call.hpp"

#include "tools/torch/slot/below_autograd.hpp"
#include "tools/torch/slot/generator.hpp"

#include <ATen/ATen.h>

#include <memory>
#include <utility>

namespace sim::slot {

namespace {

// A kernel gets a host scalar by its value at capture time.
at::Tensor as_it_is(const at::Tensor& of_host) {
    const BelowAutograd below;
    at::Tensor copy = of_host.clone();
    copy.unsafeGetTensorImpl()->set_wrapped_number(of_host.unsafeGetTensorImpl()->is_wrapped_number());
    return copy;
}

at::Tensor taken(Tape& tape, const at::Tensor& given, const at::Tensor& lowered) {
    if (!given.defined()) {
        return lowered;
    }
    if (given.is_cuda()) {
        tape.touch(given);
        return lowered;
    }
    if (given.dim() > 0) {
        require_pinned(given);
    }
    return as_it_is(lowered);
}

c10::IValue taken(Tape& tape, const c10::IValue& given, const c10::IValue& lowered) {
    if (given.isTensor()) {
        return taken(tape, given.toTensor(), lowered.toTensor());
    }
    if (given.isTensorList()) {
        c10::List<at::Tensor> list;
        for (std::size_t i = 0; i < given.toListRef().size(); ++i) {
            list.push_back(taken(tape, given.toListRef()[i].toTensor(), lowered.toListRef()[i].toTensor()));
        }
        return list;
    }
    if (given.isOptionalTensorList()) {
        c10::List<std::optional<at::Tensor>> list;
        for (std::size_t i = 0; i < given.toListRef().size(); ++i) {
            const c10::IValue& each = given.toListRef()[i];
            list.push_back(each.isTensor()
                               ? std::optional(taken(tape, each.toTensor(), lowered.toListRef()[i].toTensor()))
                               : std::nullopt);
        }
        return list;
    }
    return lowered;
}

void collect(std::span<const c10::IValue> values, std::vector<at::Tensor>& all) {
    for (const c10::IValue& value : values) {
        if (value.isTensor()) {
            all.push_back(value.toTensor());
        } else if (value.isTensorList()) {
            for (const c10::IValue& each : value.toListRef()) {
                all.push_back(each.toTensor());
            }
        }
    }
}

}  // namespace

void require_pinned(const at::Tensor& of_host) {
    TORCH_CHECK(of_host.is_pinned(),
                "Cannot copy between CPU and CUDA tensors during CUDA graph capture unless the CPU tensor is pinned. "
                "Please use tensor.pin_memory() or allocate the tensor with pin_memory=True.");
}

RecordedCall::RecordedCall(Tape& tape, std::span<const c10::IValue> given, std::span<const c10::IValue> lowered)
    : tape_(&tape) {
    for (std::size_t i = 0; i < given.size(); ++i) {
        arguments_.push_back(taken(tape, given[i], lowered[i]));
    }
}

void RecordedCall::draws(std::size_t argument, const at::Generator& generator) {
    drawing_ = argument;
    generator_ = generator;
}

void RecordedCall::end(Compute compute, std::span<const c10::IValue> results) && {
    compute_ = std::move(compute);
    collect(results, results_);
    tape_->add([call = std::make_shared<RecordedCall>(std::move(*this))] { call->play(); });
}

void RecordedCall::play() const {
    torch::jit::Stack stack = arguments_;
    if (generator_) {
        stack[drawing_] = draw(*generator_);
    }
    compute_(stack);
    std::vector<at::Tensor> made;
    collect(stack, made);
    const BelowAutograd below;
    for (std::size_t i = 0; i < results_.size(); ++i) {
        const at::Tensor& kept = results_[i];
        if (kept.defined() && kept.numel() > 0 && kept.const_data_ptr() != made[i].const_data_ptr()) {
            kept.copy_(made[i]);
        }
    }
}

}  // namespace sim::slot
