#include "tools/torch/slot/hollow.hpp"

#include "tools/torch/slot/below_autograd.hpp"
#include "tools/torch/slot/hollow/shapes.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/empty_like_ops.h>
#include <ATen/ops/empty_ops.h>
#include <ATen/ops/empty_strided_ops.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sim::slot {

namespace {

const HollowTraits& traits_of(const c10::OperatorHandle& op) {
    static std::mutex mutex;
    static std::unordered_map<const void*, std::unique_ptr<HollowTraits>> all;
    const std::lock_guard lock(mutex);
    std::unique_ptr<HollowTraits>& traits = all[&op.schema()];
    if (!traits) {
        traits = std::make_unique<HollowTraits>(hollow_traits(op));
    }
    return *traits;
}

c10::DispatchKeySet below(c10::DispatchKeySet keys) {
    return keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, above_devices);
}

bool is_of_gpu(c10::DispatchKeySet keys) {
    return keys.has_backend(c10::BackendComponent::CUDABit);
}

void run_on_host(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    const std::size_t count = op.schema().arguments().size();
    const std::size_t begin = stack->size() - count;
    const std::span<const c10::IValue> arguments(stack->data() + begin, count);
    if (is_of_gpu(keys) || keys.has(c10::DispatchKey::Python) || !is_of_host(arguments)) {
        op.redispatchBoxed(below(keys), stack);
        return;
    }
    const HollowTraits& traits = traits_of(op);
    if (traits.is_kernel && is_skipped(op, traits, arguments)) {
        HollowResults results;
        if (give_hollow(op, traits, arguments, c10::Device(c10::kCPU), results)) {
            stack->resize(begin);
            std::ranges::move(results, std::back_inserter(*stack));
            return;
        }
    }
    const bool has_read_hollow = traits.is_kernel && reads_hollow(traits, arguments);
    const bool is_marked = has_read_hollow || traits.overwrites;
    const std::vector<c10::IValue> given(is_marked ? arguments.begin() : arguments.end(), arguments.end());
    op.redispatchBoxed(below(keys), stack);
    if (is_marked) {
        mark_results(traits, given, {stack->data() + begin, stack->size() - begin}, has_read_hollow);
    }
}

bool names_gpu(const std::optional<c10::Device>& device) {
    return device && device->is_cuda();
}
template <class Argument>
bool names_gpu(const Argument& /*argument*/) {
    return false;
}

// Unboxed forms for frequent operators: for GPU tensors, boxing the arguments would take longer than the kernel.
template <class Op, class Schema = typename Op::schema>
struct AsTheyAre;
template <class Op, class Result, class... Arguments>
struct AsTheyAre<Op, Result(Arguments...)> {
    static Result run(c10::DispatchKeySet keys, Arguments... arguments) {
        if (is_of_gpu(keys) || (names_gpu(arguments) || ...)) {
            return Op::redispatch(below(keys), arguments...);
        }
        static const c10::OperatorHandle op =
            c10::Dispatcher::singleton().findSchemaOrThrow(Op::name, Op::overload_name);
        static const auto boxed = c10::KernelFunction::makeFromBoxedFunction<&run_on_host>();
        return boxed.template call<Result, Arguments...>(op, keys, std::forward<Arguments>(arguments)...);
    }
};

void register_as_they_are(torch::Library& library) {
    library.impl("empty.memory_format", AsTheyAre<at::_ops::empty_memory_format>::run);
    library.impl("empty_strided", AsTheyAre<at::_ops::empty_strided>::run);
    library.impl("empty_like", AsTheyAre<at::_ops::empty_like>::run);
    library.impl("copy_", AsTheyAre<at::_ops::copy_>::run);
}

// Operators that only return views of their arguments, or facts about them, are the same in every run.
bool minds_numbers(const c10::OperatorHandle& op) {
    const HollowTraits& traits = traits_of(op);
    return traits.is_kernel || traits.overwrites;
}

void register_for_all() {
    static torch::Library others(torch::Library::IMPL, "_", above_devices, __FILE__, __LINE__);
    others.fallback(torch::CppFunction::makeFallthrough());
    static torch::Library library(torch::Library::IMPL, "aten", above_devices, __FILE__, __LINE__);
    register_as_they_are(library);
    for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
        const auto op = c10::Dispatcher::singleton().findSchema(name);
        if (op && name.name.starts_with("aten::") && minds_numbers(*op) &&
            !op->hasKernelForDispatchKey(above_devices)) {
            const std::string full = name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
            library.impl(full.c_str(), torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
        }
    }
}

}  // namespace

void leave_host_hollow() {
    // Once, since ranks may be forked from a rank that has registered already.
    static std::once_flag is_registered;
    std::call_once(is_registered, register_for_all);
    c10::impl::tls_set_dispatch_key_included(above_devices, true);
}

}  // namespace sim::slot
