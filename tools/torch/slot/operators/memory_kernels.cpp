#include "tools/torch/slot/operators/memory_kernels.hpp"

#include "tools/torch/slot/aliases.hpp"
#include "tools/torch/slot/below_autograd.hpp"
#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/errors.hpp"
#include "tools/torch/slot/graphs/recorded_call.hpp"
#include "tools/torch/slot/hollow.hpp"
#include "tools/torch/slot/operators/operators.hpp"
#include "tools/torch/slot/seam_table.hpp"
#include "tools/torch/slot/storage.hpp"

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/NativeFunctions.h>
#include <ATen/native/Resize.h>

namespace sim::slot {

namespace {

const c10::DispatchKeySet gpu_key(c10::DispatchKey::CUDA);
c10::DeviceIndex device_of(std::optional<c10::Device> device) {
    return device && device->index() >= 0 ? device->index() : current_device();
}

void check_dense(std::optional<c10::Layout> layout) {
    TORCH_CHECK_NOT_IMPLEMENTED(!layout || *layout == c10::kStrided, "ndsim does not simulate ", *layout,
                                " tensors on the GPU");
}

at::Tensor tensor_on(c10::Storage storage, c10::ScalarType type) {
    return at::detail::make_tensor<c10::TensorImpl>(std::move(storage), gpu_key, c10::scalarTypeToTypeMeta(type));
}

seam::Copy copy_of(const at::Tensor& to, const at::Tensor& from, bool non_blocking) {
    const at::Tensor& of_host = to.is_cuda() ? from : to;
    seam::Copy copy{.bytes = static_cast<std::int64_t>(from.numel() * static_cast<std::int64_t>(to.element_size()))};
    if (to.is_cuda() && from.is_cuda()) {
        copy.kind = to.device() == from.device() ? seam::CopyKind::within_gpu : seam::CopyKind::between_gpus;
        copy.other_device = seam_device(from.device().index());
        return copy;
    }
    copy.kind = to.is_cuda() ? seam::CopyKind::to_gpu : seam::CopyKind::to_host;
    copy.is_pinned = of_host.is_pinned();
    copy.is_blocking = !non_blocking;
    return copy;
}

// Host memory is read or written at each launch.
void record_copy(Tape& tape, const at::Tensor& to, const at::Tensor& from) {
    for (const at::Tensor& tensor : {to, from}) {
        if (!tensor.is_cuda()) {
            require_pinned(tensor);
        }
        tape.touch(tensor);
    }
    if (!is_hollow_run() || !(is_large(to) || is_large(from))) {
        tape.add([to = on_cpu(to), from = on_cpu(from)] {
            const BelowAutograd below;
            to.copy_(from);
        });
    }
}

// Within a GPU a copy is a kernel like others; between GPUs, or with the host, it uses the link.
at::Tensor& copy(at::Tensor& self, const at::Tensor& from, bool non_blocking) {
    if (from._is_zerotensor()) {
        return self.zero_();
    }
    const BelowAutograd below;
    const c10::DeviceIndex device = (self.is_cuda() ? self : from).device().index();
    if (Tape* const tape = Tape::of(device)) [[unlikely]] {
        record_copy(*tape, self, from);
    }
    if (is_hollow_run()) {
        copy_hollow(self, from);
    } else {
        on_cpu(self).copy_(on_cpu(from));
    }
    if (self.is_cuda() && from.is_cuda() && self.device() == from.device()) {
        launch_own("aten::copy_", "", self.device().index(), {self, from, non_blocking}, {self});
        return self;
    }
    const seam::Copy what = copy_of(self, from, non_blocking);
    if (what.bytes > 0) {
        require(gpu().copy(what, stream_of(current_stream(device))));
    }
    return self;
}

at::Tensor copy_and_resize(const at::Tensor& from, const at::Tensor& to) {
    at::Tensor target = to;
    if (target.sizes() != from.sizes()) {
        target.resize_(from.sizes());
    }
    return target.copy_(from);
}

at::Scalar number(const at::Tensor& self) {
    return at::_local_scalar_dense(read_by_host(self));
}

bool equal(const at::Tensor& self, const at::Tensor& other) {
    const BelowAutograd below;
    TORCH_CHECK(self.device() == other.device(),
                "Cannot compare two tensors on different devices. Got: ", self.device(), " and ", other.device());
    launch_own("aten::eq", "Tensor", self.device().index(), {self, other}, {self});
    const at::Tensor read = read_by_host(self);
    // Comparisons with hollow values always succeed.
    return is_hollow(self) || is_hollow(other) || at::equal(read, on_cpu(other));
}

const at::Tensor& resize_tensor(const at::Tensor& self, c10::IntArrayRef size,
                                std::optional<c10::MemoryFormat> format) {
    c10::TensorImpl* const impl = self.unsafeGetTensorImpl();
    if (self.sizes() != size) {
        impl->set_sizes_contiguous(size);
    }
    if (format) {
        impl->empty_tensor_restride(*format);
    }
    const std::size_t needed = self.numel() == 0
                                   ? 0
                                   : at::detail::computeStorageNbytes(self.sizes(), self.strides(), self.element_size(),
                                                                      static_cast<std::size_t>(self.storage_offset()));
    if (needed > self.storage().nbytes()) {
        resize(*self.storage().unsafeGetStorageImpl(), needed);
    }
    return self;
}

at::Tensor& set_storage(at::Tensor& self, at::Storage storage, std::int64_t offset, c10::IntArrayRef size,
                        c10::IntArrayRef stride) {
    c10::TensorImpl* const impl = self.unsafeGetTensorImpl();
    impl->set_storage_keep_dtype(std::move(storage));
    impl->set_storage_offset(offset);
    if (stride.empty() && !size.empty()) {
        impl->set_sizes_contiguous(size);
    } else {
        impl->set_sizes_and_strides(size, stride);
    }
    return self;
}

at::Tensor& set_tensor(at::Tensor& self, const at::Tensor& from) {
    return set_storage(self, from.storage(), from.storage_offset(), from.sizes(), from.strides());
}

at::Tensor& set_whole_storage(at::Tensor& self, at::Storage storage) {
    const auto count = static_cast<std::int64_t>(storage.nbytes() / self.element_size());
    return set_storage(self, std::move(storage), 0, {count}, {});
}

at::Tensor& set_nothing(at::Tensor& self) {
    return set_storage(self, new_storage(0, self.device().index()), 0, {0}, {});
}

at::Tensor zero_tensor(c10::IntArrayRef size, std::optional<c10::ScalarType> type,
                       std::optional<c10::Layout> /*layout*/, std::optional<c10::Device> device,
                       std::optional<bool> /*pinned*/) {
    return on_gpu(at::_efficientzerotensor(size, c10::dtype_or_default(type)), device_of(device));
}

void record(at::Tensor& self, c10::Stream stream) {
    if (const Owned* const owned = owned_by(*self.storage().unsafeGetStorageImpl())) {
        record_stream(owned->block, stream);
    }
}

}  // namespace

at::Tensor empty(c10::IntArrayRef size, std::optional<c10::ScalarType> type, std::optional<c10::Layout> layout,
                 std::optional<c10::Device> device, std::optional<bool> /*pinned*/,
                 std::optional<c10::MemoryFormat> format) {
    check_dense(layout);
    const c10::ScalarType element = c10::dtype_or_default(type);
    const std::size_t bytes = at::detail::computeStorageNbytesContiguous(size, c10::elementSize(element));
    at::Tensor made = tensor_on(new_storage(bytes, device_of(device)), element);
    made.unsafeGetTensorImpl()->set_sizes_contiguous(size);
    if (format && *format != c10::MemoryFormat::Contiguous) {
        made.unsafeGetTensorImpl()->empty_tensor_restride(*format);
    }
    return made;
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride, std::optional<c10::ScalarType> type,
                         std::optional<c10::Layout> layout, std::optional<c10::Device> device,
                         std::optional<bool> /*pinned*/) {
    check_dense(layout);
    const c10::ScalarType element = c10::dtype_or_default(type);
    const std::size_t bytes = at::detail::computeStorageNbytes(size, stride, c10::elementSize(element));
    at::Tensor made = tensor_on(new_storage(bytes, device_of(device)), element);
    made.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride);
    return made;
}

at::Tensor read_by_host(const at::Tensor& tensor) {
    const seam::Copy what{
        .kind = seam::CopyKind::to_host, .is_blocking = true, .bytes = static_cast<std::int64_t>(tensor.nbytes())};
    require(gpu().copy(what, stream_of(current_stream(tensor.device().index()))));
    return on_cpu(tensor);
}

void register_memory_kernels(torch::Library& library) {
    library.impl("empty.memory_format", empty);
    library.impl("empty_strided", empty_strided);
    library.impl("_efficientzerotensor", zero_tensor);
    library.impl("copy_", copy);
    library.impl("_copy_from_and_resize", copy_and_resize);
    library.impl("_local_scalar_dense", number);
    library.impl("equal", equal);
    library.impl("resize_", resize_tensor);
    library.impl("set_", set_nothing);
    library.impl("set_.source_Storage", set_whole_storage);
    library.impl("set_.source_Storage_storage_offset", set_storage);
    library.impl("set_.source_Tensor", set_tensor);
    library.impl("record_stream", record);
    library.impl("as_strided", at::native::as_strided_tensorimpl);
    library.impl("view", static_cast<at::Tensor (*)(const at::Tensor&, c10::IntArrayRef)>(at::native::view));
    library.impl("_reshape_alias", at::native::_reshape_alias);
    library.impl("unfold", at::native::unfold);
}

}  // namespace sim::slot
