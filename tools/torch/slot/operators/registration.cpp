// The registrations with PyTorch's dispatcher for the CUDA key, which is otherwise empty.
#include "tools/torch/slot/operators/registration.hpp"

#include "tools/torch/slot/choices.hpp"
#include "tools/torch/slot/kernels/kernels.hpp"
#include "tools/torch/slot/operator_names.hpp"
#include "tools/torch/slot/operators/memory_kernels.hpp"
#include "tools/torch/slot/operators/operators.hpp"
#include "tools/torch/slot/operators/refusals.hpp"

#include <torch/library.h>

namespace {

using namespace sim::slot;

bool runs_on_the_cpu(const c10::OperatorHandle& op) {
    using Key = c10::DispatchKey;
    return kernels().find(op.operator_name()) != nullptr || op.hasKernelForDispatchKey(Key::CPU) ||
           op.hasKernelForDispatchKey(Key::CompositeExplicitAutograd) ||
           op.hasKernelForDispatchKey(Key::CompositeExplicitAutogradNonFunctional) ||
           op.hasKernelForDispatchKey(Key::CompositeImplicitAutograd);
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
    register_memory_kernels(library);
    register_attention_choice(library);
    register_convolution(library);
    register_ctc_choice(library);
    register_recurrent_weights(library);
    for (const char* const* at = cuda_operators; *at != nullptr; ++at) {
        const char* const name = *at;
        const auto op = c10::Dispatcher::singleton().findSchema(full_name(name));
        if (!op || op->hasKernelForDispatchKey(c10::DispatchKey::CUDA)) {
            continue;
        }
        if (runs_on_the_cpu(*op)) {
            library.impl(name, torch::CppFunction::makeFromBoxedFunction<&run_operator>());
        } else {
            library.impl(name, torch::CppFunction::makeFromBoxedFunction<&refuse_operator>());
        }
    }
}

TORCH_LIBRARY_IMPL(aten, Autocast, library) {
    register_recurrent_autocast(library);
}

TORCH_LIBRARY_IMPL(_, CUDA, library) {
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&run_where_known>());
}
