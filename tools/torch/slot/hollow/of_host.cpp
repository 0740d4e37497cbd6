#include "tools/torch/slot/hollow/of_host.hpp"

#include "tools/torch/slot/below_autograd.hpp"
#include "tools/torch/slot/hollow/shapes.hpp"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
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

void run_on_host(const c10::OperatorHandle& op, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
    const auto below = keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, above_devices);
    const std::size_t count = op.schema().arguments().size();
    const std::size_t begin = stack->size() - count;
    const std::span<const c10::IValue> arguments(stack->data() + begin, count);
    if (keys.has(c10::DispatchKey::Python) || !is_of_host(arguments)) {
        op.redispatchBoxed(below, stack);
        return;
    }
    const HollowTraits& traits = traits_of(op);
    if (traits.is_kernel && is_skipped(op, traits, arguments)) {
        if (auto results = hollow_results(op, traits, arguments, c10::Device(c10::kCPU))) {
            stack->resize(begin);
            stack->insert(stack->end(), results->begin(), results->end());
            return;
        }
    }
    const bool has_read_hollow = traits.is_kernel && reads_hollow(traits, arguments);
    const bool is_marked = has_read_hollow || traits.overwrites;
    const std::vector<c10::IValue> given(is_marked ? arguments.begin() : arguments.end(), arguments.end());
    op.redispatchBoxed(below, stack);
    if (is_marked) {
        mark_results(traits, given, {stack->data() + begin, stack->size() - begin}, has_read_hollow);
    }
}

void register_for_all() {
    static torch::Library others(torch::Library::IMPL, "_", above_devices, __FILE__, __LINE__);
    others.fallback(torch::CppFunction::makeFallthrough());
    static torch::Library library(torch::Library::IMPL, "aten", above_devices, __FILE__, __LINE__);
    for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
        const auto op = c10::Dispatcher::singleton().findSchema(name);
        if (op && name.name.starts_with("aten::")) {
            const std::string full = name.overload_name.empty() ? name.name : name.name + "." + name.overload_name;
            library.impl(full.c_str(), torch::CppFunction::makeFromBoxedFunction<&run_on_host>());
        }
    }
}

}  // namespace

void leave_host_hollow() {
    // Ranks may be forked from a rank that has done so.
    static std::once_flag is_registered;
    std::call_once(is_registered, register_for_all);
    c10::impl::tls_set_dispatch_key_included(above_devices, true);
}

}  // namespace sim::slot
