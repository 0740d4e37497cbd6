// The registrations with PyTorch's dispatcher for sparse and nested tensors of the GPU.
#include "tools/torch/slot/operator_names.hpp"
#include "tools/torch/slot/operators/operators.hpp"
#include "tools/torch/slot/operators/refusals.hpp"
#include "tools/torch/slot/operators/registration.hpp"

#include <ATen/NativeFunctions.h>
#include <torch/library.h>

namespace {

using namespace sim::slot;
using Key = c10::DispatchKey;

void register_all(torch::Library& library, const char* const* names, Key gpu, Key cpu) {
    for (; *names != nullptr; ++names) {
        const char* const name = *names;
        const auto op = c10::Dispatcher::singleton().findSchema(full_name(name));
        if (!op || op->hasKernelForDispatchKey(gpu)) {
            continue;
        }
        const bool can_run = op->hasKernelForDispatchKey(cpu) ||
                             op->hasKernelForDispatchKey(Key::CompositeExplicitAutograd) ||
                             op->hasKernelForDispatchKey(Key::CompositeImplicitAutograd);
        library.impl(name, can_run ? torch::CppFunction::makeFromBoxedFunction<&run_by_layout>()
                                   : torch::CppFunction::makeFromBoxedFunction<&refuse_layout>());
    }
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, SparseCUDA, library) {
    // Copies its parts one by one, over the host's link if one of them is on the host.
    library.impl("copy_", at::native::copy_sparse_wrapper_);
    register_all(library, sparse_operators, Key::SparseCUDA, Key::SparseCPU);
}

TORCH_LIBRARY_IMPL(aten, SparseCsrCUDA, library) {
    library.impl("copy_", at::native::copy_sparse_compressed_);
    register_all(library, sparse_csr_operators, Key::SparseCsrCUDA, Key::SparseCsrCPU);
}

TORCH_LIBRARY_IMPL(aten, NestedTensorCUDA, library) {
    // These are on the host.
    library.impl("_nested_tensor_size", at::native::_nested_tensor_size);
    library.impl("_nested_tensor_strides", at::native::_nested_tensor_strides);
    library.impl("_nested_tensor_storage_offsets", at::native::_nested_tensor_storage_offsets);
    library.impl("copy_", at::native::copy_nested_);
    register_all(library, nested_operators, Key::NestedTensorCUDA, Key::NestedTensorCPU);
}
