#include "libsim/predict/what_if.hpp"

#include "libsim/config/option_row.hpp"

#include <fmt/format.h>

namespace sim::predict {

namespace {

constexpr double faster = 1.1;

training::Machine with_arithmetic(training::Machine machine) {
    for (double* flops : {&machine.gpu.fp32_flops, &machine.gpu.tf32_flops, &machine.gpu.fp16_flops,
                          &machine.gpu.bf16_flops, &machine.gpu.fp8_flops, &machine.gpu.fp4_flops}) {
        *flops *= faster;
    }
    return machine;
}

training::Machine with_memory(training::Machine machine) {
    machine.gpu.memory_bandwidth *= faster;
    return machine;
}

}  // namespace

training::Machine with_links_within(training::Machine machine, double factor) {
    machine.scale_up *= factor;
    machine.network.within *= factor;
    machine.network.switch_bandwidth *= factor;
    machine.network.ll_most *= factor;
    return machine;
}

training::Machine with_links_between(training::Machine machine, double factor) {
    machine.scale_out *= factor;
    machine.network.across *= factor;
    return machine;
}

Prediction predict_time(const training::Transformer& model, const training::Machine& machine,
                        const training::Layout& layout) {
    return predict_step(model, machine, layout, {.details = false});
}

std::vector<Sensitivity> sensitivities(const TrainingCase& what, double step_seconds, const Predictor& predictor) {
    std::vector<Sensitivity> found;
    const auto add = [&](const char* name, const training::Machine& machine) {
        const double step = seconds(predictor(what.model, machine, what.layout).step);
        found.push_back({name, step, step / step_seconds - 1});
    };
    add("arithmetic", with_arithmetic(what.machine));
    add("memory bandwidth", with_memory(what.machine));
    if (what.gpus() > 1 && what.machine.gpus_per_node > 1) {
        add("links within a node", with_links_within(what.machine, faster));
    }
    if (what.gpus() > what.machine.gpus_per_node) {
        add("links between nodes", with_links_between(what.machine, faster));
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
    const std::vector<config::OptionRow> rows = training_rows(other);
    for (const auto& [name, value] : change) {
        const config::OptionRow& row = config::row_named(rows, name);
        config::set_option(row, "--" + name, config::value_of_text(row, value));
    }
    return training_case(other, what.model, what.machine);
}

}  // namespace sim::predict
