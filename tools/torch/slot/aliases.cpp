#include "tools/torch/slot/aliases.hpp"

#include "tools/torch/slot/storage.hpp"

#include <utility>

namespace sim::slot {

namespace {

const c10::DispatchKeySet cpu_key(c10::DispatchKey::CPU);
const c10::DispatchKeySet cuda_key(c10::DispatchKey::CUDA);

at::Tensor tensor_like(const at::Tensor& model, c10::Storage storage, c10::DispatchKeySet key) {
    at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(std::move(storage), key, model.dtype());
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

at::Tensor view_of(const at::Tensor& base, const at::Tensor& model) {
    at::Tensor view = at::detail::make_tensor<c10::TensorImpl>(c10::TensorImpl::VIEW, c10::Storage(base.storage()),
                                                               cuda_key, model.dtype());
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
    TORCH_CHECK_NOT_IMPLEMENTED(tensor.layout() == c10::kStrided, "ndsim does not simulate ", tensor.layout(),
                                " tensors on the GPU");
    return tensor_like(tensor, numbers_of(*storage_of(tensor)), cpu_key);
}

at::Tensor on_gpu(const at::Tensor& tensor, c10::DeviceIndex device) {
    if (!tensor.defined() || !tensor.device().is_cpu() || tensor.layout() != c10::kStrided) {
        return tensor;
    }
    return tensor_like(tensor, adopt(tensor.storage(), device), cuda_key);
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
    pairs_.push_back({tensor, on_cpu(tensor)});
    return pairs_.back().cpu;
}

at::Tensor Aliases::raise(const at::Tensor& result, c10::DeviceIndex device) {
    if (!result.defined() || !result.device().is_cpu() || result.layout() != c10::kStrided) {
        return result;
    }
    for (const Pair& pair : pairs_) {
        if (pair.cpu.is_same(result)) {
            return pair.gpu;
        }
    }
    for (const Pair& pair : pairs_) {
        if (storage_of(pair.cpu) == storage_of(result)) {
            return view_of(pair.gpu, result);
        }
    }
    pairs_.push_back({on_gpu(result, device), result});
    return pairs_.back().gpu;
}

void Aliases::settle() const {
    for (const Pair& pair : pairs_) {
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
}

}  // namespace sim::slot
