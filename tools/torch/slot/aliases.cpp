#include "tools/torch/slot/aliases.hpp"

#include "tools/torch/slot/layouts.hpp"
#include "tools/torch/slot/storage.hpp"

#include <ATen/EmptyTensor.h>
#include <ATen/native/TensorFactories.h>
#include <c10/core/InferenceMode.h>

#include <utility>

namespace sim::slot {

namespace {

const c10::DispatchKeySet cpu_key(c10::DispatchKey::CPU);
const c10::DispatchKeySet cuda_key(c10::DispatchKey::CUDA);

at::Tensor tensor_like(const at::Tensor& model, c10::Storage storage, c10::DispatchKeySet key) {
    const c10::DispatchKeySet keys = model._is_zerotensor() ? key.add(c10::DispatchKey::ZeroTensor) : key;
    at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), keys, model.dtype());
    c10::TensorImpl* const impl = made.unsafeGetTensorImpl();
    impl->set_sizes_and_strides(model.sizes(), model.strides(), model.storage_offset());
    if (model.unsafeGetTensorImpl()->is_wrapped_number()) {
        impl->set_wrapped_number(true);
    }
    if (model.is_conj()) {
        made._set_conj(true);
    }
    if (model.is_neg()) {
        made._set_neg(true);
    }
    return made;
}

const c10::StorageImpl* storage_of(const at::Tensor& tensor) {
    return tensor.storage().unsafeGetStorageImpl();
}

// A tensor of zeros without memory, as autograd returns for a gradient that is zero everywhere.
at::Tensor zeros_without_memory(const at::Tensor& model, c10::DeviceIndex device) {
    at::native::ZeroTensorAllocator none(c10::Device(c10::kCUDA, device));
    return at::detail::empty_generic(model.sizes(), &none, cuda_key.add(c10::DispatchKey::ZeroTensor),
                                     model.scalar_type(), std::nullopt);
}

at::Tensor view_of(const at::Tensor& base, const at::Tensor& model) {
    // Autograd sees a view like its base, but conjugation is the view's own.
    const c10::DispatchKeySet keys =
        base.key_set() - c10::DispatchKeySet({c10::DispatchKey::Conjugate, c10::DispatchKey::Negative});
    at::Tensor view = at::detail::make_tensor<c10::TensorImpl>(c10::TensorImpl::VIEW, c10::Storage(base.storage()),
                                                               keys, model.dtype());
    view.unsafeGetTensorImpl()->set_sizes_and_strides(model.sizes(), model.strides(), model.storage_offset());
    if (model.is_conj()) {
        view._set_conj(true);
    }
    if (model.is_neg()) {
        view._set_neg(true);
    }
    return view;
}

}  // namespace

at::Tensor on_cpu(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.is_cuda()) {
        return tensor;
    }
    TORCH_CHECK_NOT_IMPLEMENTED(has_strides(tensor), "ndsim does not simulate this operator for ",
                                tensor.is_nested() ? "nested" : "sparse", " tensors on a GPU");
    return tensor_like(tensor, numbers_of(*storage_of(tensor)), cpu_key);
}

namespace {

Owned* owner_of(const at::Tensor& gpu) {
    return has_strides(gpu) ? owned_by(*storage_of(gpu)) : nullptr;
}

// Conjugated tensors and the like are rare, so their aliases are not reused.
bool is_plain(const at::Tensor& tensor) {
    constexpr c10::DispatchKeySet others(
        {c10::DispatchKey::Conjugate, c10::DispatchKey::Negative, c10::DispatchKey::ZeroTensor});
    return !tensor.key_set().has_any(others) && !tensor.unsafeGetTensorImpl()->is_wrapped_number();
}

bool is_alias(const at::Tensor& cpu, const at::Tensor& gpu, const Owned& owned) {
    return storage_of(cpu) == owned.numbers.unsafeGetStorageImpl() && cpu.sizes() == gpu.sizes() &&
           cpu.strides() == gpu.strides() && cpu.storage_offset() == gpu.storage_offset() &&
           cpu.dtype() == gpu.dtype() && is_plain(cpu) && is_plain(gpu) &&
           cpu.is_inference() == c10::InferenceMode::is_enabled();
}

// The alias of the last call if it still matches.
at::Tensor alias_of(const at::Tensor& gpu) {
    if (Owned* const owned = owner_of(gpu)) {
        const at::Tensor last = owned->take_alias();
        if (last.defined()) {
            complete(*owned);
            if (is_alias(last, gpu, *owned)) {
                return last;
            }
        }
    }
    return on_cpu(gpu);
}

}  // namespace

at::Tensor on_gpu(const at::Tensor& tensor, c10::DeviceIndex device) {
    if (!tensor.defined() || !tensor.device().is_cpu() || !has_strides(tensor)) {
        return tensor;
    }
    if (tensor._is_zerotensor()) {
        return zeros_without_memory(tensor, device);
    }
    return tensor_like(tensor, adopt(tensor.storage(), device), cuda_key);
}

Aliases::~Aliases() {
    for (Pair& pair : pairs_) {
        Owned* const owned = pair.cpu.use_count() == 1 ? owner_of(pair.gpu) : nullptr;
        if (owned != nullptr) {
            owned->leave_alias(std::move(pair.cpu));
        }
    }
}

at::Tensor Aliases::lower(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.is_cuda()) {
        return tensor;
    }
    for (const Pair& pair : pairs_) {
        if (pair.gpu.is_same(tensor)) {
            return pair.cpu;
        }
    }
    // The parts come first, as pairs of their own.
    const at::Tensor cpu = has_strides(tensor)
                               ? alias_of(tensor)
                               : rebuilt(tensor, c10::kCPU, [this](const at::Tensor& part) { return lower(part); });
    pairs_.push_back({tensor, cpu});
    return cpu;
}

at::Tensor Aliases::raise(const at::Tensor& result, c10::DeviceIndex device) {
    if (!result.defined() || !result.device().is_cpu()) {
        return result;
    }
    for (const Pair& pair : pairs_) {
        if (pair.cpu.is_same(result)) {
            return pair.gpu;
        }
    }
    if (!has_strides(result)) {
        const at::Tensor gpu = rebuilt(result, c10::Device(c10::kCUDA, device),
                                       [this, device](const at::Tensor& part) { return raise(part, device); });
        pairs_.push_back({gpu, result});
        return gpu;
    }
    for (const Pair& pair : pairs_) {
        if (has_strides(pair.cpu) && storage_of(pair.cpu) == storage_of(result)) {
            return view_of(pair.gpu, result);
        }
    }
    pairs_.push_back({on_gpu(result, device), result});
    return pairs_.back().gpu;
}

void Aliases::settle() {
    // Pairs that are added meanwhile are new and need no settling.
    const std::size_t count = pairs_.size();
    for (std::size_t i = 0; i < count; ++i) {
        const Pair pair = pairs_[i];
        if (has_strides(pair.gpu)) {
            settle_strided(pair);
            continue;
        }
        const auto lowered = [this](const at::Tensor& part) { return lower(part); };
        const auto raised = [&](const at::Tensor& part) { return raise(part, pair.gpu.device().index()); };
        if (!is_rebuilt(pair.cpu, pair.gpu, lowered)) {
            rebuild(pair.gpu, pair.cpu, raised);
        }
    }
}

void Aliases::settle_strided(const Pair& pair) {
    c10::StorageImpl* const storage = pair.gpu.storage().unsafeGetStorageImpl();
    const c10::Storage& numbers = pair.cpu.storage();
    if (numbers.data() != storage->data() || numbers.nbytes() != storage->nbytes()) {
        take_over(*storage, numbers);
    }
    if (pair.cpu.sizes() != pair.gpu.sizes() || pair.cpu.strides() != pair.gpu.strides()) {
        pair.gpu.unsafeGetTensorImpl()->set_sizes_and_strides(pair.cpu.sizes(), pair.cpu.strides(),
                                                              pair.cpu.storage_offset());
    }
}

}  // namespace sim::slot
