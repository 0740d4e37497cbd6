#include "libsim/planning/what_if.hpp"

#include "libsim/config/option_row.hpp"

#include <fmt/format.h>

namespace sim::scenarios {

namespace {

constexpr double faster = 1.1;

model::Machine with_arithmetic(model::Machine machine) {
    for (double* flops :
         {&machine.gpu.fp32_flops, &machine.gpu.fp16_flops, &machine.gpu.bf16_flops, &machine.gpu.fp8_flops}) {
        *flops *= faster;
    }
    return machine;
}

model::Machine with_memory(model::Machine machine) {
    machine.gpu.memory_bandwidth *= faster;
    return machine;
}

model::Machine with_links_within(model::Machine machine) {
    machine.scale_up *= faster;
    machine.network.within *= faster;
    machine.network.switch_bandwidth *= faster;
    machine.network.ll_most *= faster;
    return machine;
}

model::Machine with_links_between(model::Machine machine) {
    machine.scale_out *= faster;
    machine.network.across *= faster;
    return machine;
}

}  // namespace

Prediction predict_step(const model::Transformer& model, const model::Machine& machine, const model::Layout& layout) {
    return predict(model, machine, layout, {.details = false});
}

std::vector<Sensitivity> sensitivities(const TrainingCase& what, double step_seconds, const Predictor& predictor) {
    std::vector<Sensitivity> found;
    const auto add = [&](const char* name, const model::Machine& machine) {
        const double step = seconds(predictor(what.model, machine, what.layout).step);
        found.push_back({name, step, step / step_seconds - 1});
    };
    add("arithmetic", with_arithmetic(what.machine));
    add("memory bandwidth", with_memory(what.machine));
    if (what.gpus() > 1 && what.machine.gpus_per_node > 1) {
        add("links within a node", with_links_within(what.machine));
    }
    if (what.gpus() > what.machine.gpus_per_node) {
        add("links between nodes", with_links_between(what.machine));
    }
    return found;
}

std::string typed(const Change& change) {
    std::string text;
    for (const auto& [name, value] : change) {
        text += fmt::format("{}--{} {}", text.empty() ? "" : " ", name, value);
    }
    return text;
}

TrainingCase changed(const TrainingOptions& options, const TrainingCase& what, const Change& change) {
    TrainingOptions other = options;
    other.gpus = what.gpus();
    other.layout.batch.global = what.layout.batch.global;
    other.given.insert({"gpus", "global-batch"});
    other.given.erase("dp");
    const std::vector<OptionRow> rows = training_rows(other);
    for (const auto& [name, value] : change) {
        const OptionRow& row = row_named(rows, name);
        set_option(row, "--" + name, value_of_text(row, value));
    }
    return training_case(other, what.model, what.machine);
}

}  // namespace sim::scenarios
