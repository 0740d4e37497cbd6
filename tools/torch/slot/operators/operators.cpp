#include "tools/torch/slot/operators/operators.hpp"

#include "tools/torch/slot/aliases.hpp"
#include "tools/torch/slot/below_autograd.hpp"
#include "tools/torch/slot/compiled_regions.hpp"
#include "tools/torch/slot/device.hpp"
#include "tools/torch/slot/errors.hpp"
#include "tools/torch/slot/generator.hpp"
#include "tools/torch/slot/graphs/recorded_call.hpp"
#include "tools/torch/slot/hollow.hpp"
#include "tools/torch/slot/hollow/shapes.hpp"
#include "tools/torch/slot/hollow/tensors_of.hpp"
#include "tools/torch/slot/kernels/kernels.hpp"
#include "tools/torch/slot/operators/device_check.hpp"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace sim::slot {

namespace {

// The facts about an operator that do not depend on the call.
struct Plan {
    std::int32_t number = -1;  // at the seam
    bool mixes_devices = false;
    std::size_t arguments = 0;
    std::size_t results = 0;
    bool writes = true;           // to an argument
    std::int32_t generator = -1;  // index of the generator argument
    const Kernel* own = nullptr;  // our kernel, if the operator exists only for CUDA
    bool is_widened = false;
    bool multiplies = false;  // its price depends on the precision of products
    bool is_kernel = true;    // otherwise it only inspects a tensor
    HollowTraits hollow = {};
};

std::int32_t number_of(const c10::OperatorHandle& op) {
    const c10::FunctionSchema& schema = op.schema();
    std::vector<const char*> names;
    std::unique_ptr<bool[]> written(new bool[schema.arguments().size()]);
    for (const c10::Argument& argument : schema.arguments()) {
        written[names.size()] = argument.alias_info() != nullptr && argument.alias_info()->isWrite();
        names.push_back(argument.name().c_str());
    }
    const std::int32_t number = gpu().known({.name = schema.name().c_str(),
                                             .overload = schema.overload_name().c_str(),
                                             .arguments = names.data(),
                                             .is_written = written.get(),
                                             .count = static_cast<std::int32_t>(names.size())});
    require(number >= 0);
    return number;
}

Plan plan_for(const c10::OperatorHandle& op) {
    Plan plan{.number = number_of(op),
              .mixes_devices = takes_host_tensors(op.operator_name().name),
              .arguments = op.schema().arguments().size(),
              .results = op.schema().returns().size(),
              .own = kernels().find(op.operator_name()),
              .is_widened = is_widened(op.operator_name().name),
              .is_kernel = launches(op.schema()),
              .hollow = hollow_traits(op)};
    plan.multiplies = gpu().multiplies(plan.number);
    // Not all schemas of other libraries declare their writes.
    plan.writes = op.operator_name().getNamespace() != "aten" ||
                  std::ranges::any_of(op.schema().arguments(), [](const c10::Argument& argument) {
                      return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
                  });
    const auto& arguments = op.schema().arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i].name() == "generator") {
            plan.generator = static_cast<std::int32_t>(i);
        }
    }
    return plan;
}

// Looked up by the address of the schema, which lives as long as the operator. Recent ones are found without a lock.
const Plan& plan_of(const c10::OperatorHandle& op) {
    struct Seen {
        const void* schema = nullptr;
        const Plan* plan = nullptr;
    };
    constexpr std::size_t slots = 1024;
    thread_local Seen seen[slots];
    const void* const schema = &op.schema();
    Seen& at = seen[(reinterpret_cast<std::uintptr_t>(schema) >> 5U) % slots];
    if (at.schema == schema) {
        return *at.plan;
    }
    static std::mutex mutex;
    static std::unordered_map<const void*, std::unique_ptr<Plan>> all;
    const std::lock_guard lock(mutex);
    std::unique_ptr<Plan>& plan = all[schema];
    if (!plan) {
        plan = std::make_unique<Plan>(plan_for(op));
    }
    at = {schema, plan.get()};
    return *plan;
}

void launch_call(const Plan& plan, Facts& arguments, Facts& results, c10::DeviceIndex device) {
    if (plan.multiplies) {
        tell_precision();
    }
    const seam::Stream stream = stream_of(current_stream(device));
    tell_compiled(stream);
    const auto made = results.values();
    require(gpu().launch(plan.number, arguments.values().data(), static_cast<std::int32_t>(made.size()), made.data(),
                         stream));
}

// Runs the CPU's kernel, or ours, on CPU tensors.
void compute_on_cpu(const c10::OperatorHandle& op, const Plan& plan, c10::DeviceIndex device,
                    torch::jit::Stack& stack) {
    const BelowAutograd below;
    if (plan.is_widened) {
        call_widened(op, stack);
        return;
    }
    const c10::DispatchKeySet cpu(c10::DispatchKey::CPU);
    if (plan.own == nullptr) {
        op.redispatchBoxed(cpu, &stack);
        return;
    }
    const c10::DeviceGuard on(c10::Device(c10::kCUDA, device));
    plan.own->function.callBoxed(op, cpu, &stack);
}

// The arguments of one call, on their way to the CPU's kernel and back.
class Call {
public:
    Call(const c10::OperatorHandle& op, torch::jit::Stack& stack)
        : op_(op),
          plan_(plan_of(op)),
          stack_(stack),
          begin_(stack.size() - plan_.arguments),
          given_(std::span(stack).subspan(begin_)) {}

    void run(bool by_layout) {
        meet_all();
        Tape* const tape = plan_.is_kernel ? Tape::of(device()) : nullptr;
        if (tape == nullptr && !by_layout && skip()) {
            return;
        }
        lower_all();
        if (tape != nullptr) [[unlikely]] {
            run_in_capture(*tape, by_layout);
            return;
        }
        draw();
        compute(by_layout);
        raise_all();
        launch(results());
    }

private:
    void run_in_capture(Tape& tape, bool by_layout) {
        RecordedCall recorded = record(tape, by_layout);
        if (skip()) {
            return;
        }
        draw();
        compute(by_layout);
        end_record(std::move(recorded));
        raise_all();
        launch(results());
    }
    void meet_all() {
        for (const c10::IValue& value : given_) {
            for_tensors(value, [this](const at::Tensor& tensor) { devices_.meets(tensor); });
            if (value.isDevice() && value.toDevice().is_cuda()) {
                devices_.names(value.toDevice());
            }
        }
        if (!plan_.mixes_devices) {
            devices_.check(op_.operator_name());
        }
    }
    void lower_all() {
        std::move(stack_.begin() + static_cast<std::ptrdiff_t>(begin_), stack_.end(), std::back_inserter(kept_));
        given_ = {kept_.data(), kept_.size()};
        stack_.resize(begin_);
        for (const c10::IValue& value : given_) {
            stack_.push_back(lowered(value));
        }
    }
    c10::IValue lowered(const c10::IValue& value) {
        if (value.isTensor()) {
            return aliases_.lower(value.toTensor());
        }
        if (value.isTensorList()) {
            c10::List<at::Tensor> list;
            list.reserve(value.toListRef().size());
            for (const c10::IValue& each : value.toListRef()) {
                list.push_back(aliases_.lower(each.toTensor()));
            }
            return list;
        }
        if (value.isOptionalTensorList()) {
            c10::List<std::optional<at::Tensor>> list;
            for (const c10::IValue& each : value.toListRef()) {
                list.push_back(each.isTensor() ? std::optional(aliases_.lower(each.toTensor())) : std::nullopt);
            }
            return list;
        }
        return value.isDevice() && value.toDevice().is_cuda() ? c10::IValue(c10::Device(c10::kCPU)) : value;
    }
    // The GPU's generator that the call draws from, if any.
    std::optional<at::Generator> generator() const {
        if (plan_.generator < 0) {
            return std::nullopt;
        }
        const c10::IValue& value = given_[static_cast<std::size_t>(plan_.generator)];
        at::Generator of = value.isNone() ? default_generator(device()) : value.toGenerator();
        return of.device().is_cuda() ? std::optional(std::move(of)) : std::nullopt;
    }
    void draw() {
        if (const std::optional<at::Generator> of = generator()) {
            stack_[begin_ + static_cast<std::size_t>(plan_.generator)] = slot::draw(*of);
        }
    }
    RecordedCall record(Tape& tape, bool by_layout) const {
        if (by_layout) {
            refuse(c10::str("ndsim does not simulate ", op_.operator_name(),
                            " for sparse or nested tensors in a CUDA graph. Instead: dense tensors, or no graph"));
        }
        if (waits_for_numbers(plan_.hollow, given_)) {
            require(gpu().synchronize_stream(stream_of(current_stream(device()))));
        }
        RecordedCall recorded(tape, given_, std::span(stack_).subspan(begin_));
        if (const std::optional<at::Generator> of = generator()) {
            recorded.draws(static_cast<std::size_t>(plan_.generator), *of);
        }
        return recorded;
    }
    void end_record(RecordedCall recorded) const {
        const auto compute = [op = op_, plan = &plan_, device = device()](torch::jit::Stack& stack) {
            compute_on_cpu(op, *plan, device, stack);
        };
        std::move(recorded).end(compute, results());
    }
    void compute(bool by_layout) {
        if (by_layout) {
            const BelowAutograd below;
            op_.callBoxed(&stack_);
        } else {
            compute_on_cpu(op_, plan_, device(), stack_);
        }
    }
    // In a hollow run, skips the computation if possible. Returns whether the call is done.
    bool skip() {
        if (!plan_.is_kernel || !is_hollow_run()) {
            return false;
        }
        for (const c10::IValue& value : given_) {
            for_tensors(value, wait_for_numbers);
        }
        HollowResults results;
        if (!is_skipped(op_, plan_.hollow, given_) ||
            !give_hollow(op_, plan_.hollow, given_, c10::Device(c10::kCUDA, device()), results)) {
            return false;
        }
        if (const std::optional<at::Generator> of = generator()) {
            next_draw(*of);
        }
        launch({results.data(), results.size()});
        stack_.resize(begin_);
        std::ranges::move(results, std::back_inserter(stack_));
        return true;
    }
    std::span<const c10::IValue> results() const { return std::span(stack_).last(plan_.results); }
    void raise_all() {
        if (plan_.writes) {
            aliases_.settle();
        }
        for (std::size_t i = stack_.size() - plan_.results; i < stack_.size(); ++i) {
            c10::IValue& value = stack_[i];
            if (value.isTensor()) {
                value = aliases_.raise(value.toTensor(), device());
            } else if (value.isTensorList()) {
                c10::List<at::Tensor> list;
                for (const c10::IValue& each : value.toListRef()) {
                    list.push_back(aliases_.raise(each.toTensor(), device()));
                }
                value = std::move(list);
            }
        }
        if (is_hollow_run() && plan_.is_kernel) {
            mark_results(plan_.hollow, given_, results(), reads_hollow(plan_.hollow, given_));
        }
    }
    void launch(std::span<const c10::IValue> results) const {
        if (!plan_.is_kernel) {
            return;
        }
        Facts arguments;
        Facts made;
        for (const c10::IValue& value : given_) {
            arguments.add(value);
        }
        for (const c10::IValue& value : results) {
            made.add(value);
        }
        launch_call(plan_, arguments, made, device());
    }
    c10::DeviceIndex device() const { return devices_.device(); }

    const c10::OperatorHandle& op_;
    const Plan& plan_;
    torch::jit::Stack& stack_;
    std::size_t begin_;
    std::span<const c10::IValue> given_;  // the program's own arguments
    c10::SmallVector<c10::IValue, 12> kept_;
    Aliases aliases_;
    DeviceCheck devices_;
};

}  // namespace

void run_operator(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    Call(op, *stack).run(false);
}

void run_by_layout(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
    Call(op, *stack).run(true);
}

void launch_own(const char* name, const char* overload, c10::DeviceIndex device,
                std::initializer_list<c10::IValue> arguments, std::initializer_list<c10::IValue> results) {
    const c10::OperatorHandle op = c10::Dispatcher::singleton().findSchemaOrThrow(name, overload);
    Facts given;
    Facts made;
    for (const c10::IValue& value : arguments) {
        given.add(value);
    }
    for (const c10::IValue& value : results) {
        made.add(value);
    }
    launch_call(plan_of(op), given, made, device);
}

}  // namespace sim::slot
