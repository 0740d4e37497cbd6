// What is registered with PyTorch's dispatcher for the CUDA key, which nobody has filled.
#include "tools/torch/slot/registration.hpp"
#include "tools/torch/slot/attention.hpp"
#include "tools/torch/slot/memory_kernels.hpp"
#include "tools/torch/slot/norms.hpp"
#include "tools/torch/slot/operators.hpp"

#include <torch/library.h>

#include <cstring>
#include <string>

namespace {

using namespace sim::slot;

c10::OperatorName full_name(const char* name) {
    const char* const dot = std::strchr(name, '.');
    return dot == nullptr ? c10::OperatorName("aten::" + std::string(name), "")
                          : c10::OperatorName("aten::" + std::string(name, dot), dot + 1);
}

void refuse(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    const std::string& name = op.schema().name();
    TORCH_CHECK_NOT_IMPLEMENTED(name.rfind("aten::", 0) != 0, "Could not run '", op.operator_name(),
                                "' with arguments from the 'CUDA' backend: it has no kernel there, on a GPU and here");
    run_operator(op, stack);
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
    register_memory_kernels(library);
    register_attention(library);
    register_norms(library);
    const c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
    for (const char* const* at = cuda_operators; *at != nullptr; ++at) {
        const char* const name = *at;
        const auto op = const_cast<c10::Dispatcher&>(dispatcher).findSchema(full_name(name));
        const bool can_run =
            op && (op->hasKernelForDispatchKey(c10::DispatchKey::CPU) ||
                   op->hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd) ||
                   op->hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutogradNonFunctional) ||
                   op->hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd));
        if (can_run && !op->hasKernelForDispatchKey(c10::DispatchKey::CUDA)) {
            library.impl(name, torch::CppFunction::makeFromBoxedFunction<&run_operator>());
        }
    }
}

TORCH_LIBRARY_IMPL(_, CUDA, library) {
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&refuse>());
}
