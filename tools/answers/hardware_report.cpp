#include "tools/answers/hardware_report.hpp"

#include <fmt/format.h>
#include "libsim/report/text_table.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace sim::tools {

using namespace report;

namespace {

using Json = nlohmann::ordered_json;
using training::Hardware;
using training::Sourced;

// 312e12 FLOP/s: 312 TFLOP/s.
std::string shown(double value, const std::string& unit) {
    struct Step {
        double size;
        const char* prefix;
    };
    if (unit == "B" || unit == "B/s" || unit == "FLOP/s") {
        for (const Step& step : {Step{1e12, "T"}, Step{1e9, "G"}, Step{1e6, "M"}}) {
            if (value >= step.size && (unit == "FLOP/s" || step.size <= 1e9)) {
                return fmt::format("{:.6g} {}{}", value / step.size, step.prefix, unit);
            }
        }
    }
    if (unit == "s") {
        return fmt::format("{:.6g} us", value * 1e6);
    }
    return fmt::format("{:.10g}{}{}", value, unit.empty() ? "" : " ", unit);
}

// "-": not known, or it has none.
std::string scaled(double value, double size) {
    return value > 0 ? fmt::format("{:.4g}", value / size) : "-";
}

Json numbers_json(const std::vector<Sourced>& numbers) {
    Json list = Json::array();
    for (const Sourced& one : numbers) {
        list.push_back({{"field", one.field},
                        {"value", one.value},
                        {"unit", one.unit},
                        {"source", one.source},
                        {"confidence", one.confidence}});
    }
    return list;
}

Json machine_row(const training::Machine& one) {
    return {{"name", one.name},
            {"accelerator", one.gpu.name},
            {"gpus_per_node", one.gpus_per_node},
            {"scale_up", one.scale_up},
            {"scale_out", one.scale_out},
            {"host_link", one.host_link},
            {"usd_per_gpu_hour", one.gpu.usd_per_hour}};
}

Json accelerator_row(const training::Accelerator& one) {
    return {{"name", one.name},
            {"generation", one.generation},
            {"fp32_flops", one.fp32_flops},
            {"tf32_flops", one.tf32_flops},
            {"fp16_flops", one.fp16_flops},
            {"bf16_flops", one.bf16_flops},
            {"fp8_flops", one.fp8_flops},
            {"fp4_flops", one.fp4_flops},
            {"memory_bytes", one.memory_bytes},
            {"memory_bandwidth", one.memory_bandwidth},
            {"processors", one.processors},
            {"power_watts", one.power_watts},
            {"sustained_clock", one.sustained_clock},
            {"usd_per_hour", one.usd_per_hour}};
}

// Those of the data sheets first; the generation's last.
int part_of(const Sourced& one) {
    return one.field.starts_with("efficiency.") ? 1 : one.field.starts_with("network.") ? 2 : 0;
}

}  // namespace

std::string hardware_list_text() {
    TextTable machines{.columns = {{"machine", Align::left},
                                   {"accelerator", Align::left},
                                   {"GPUs"},
                                   {"scale-up GB/s"},
                                   {"scale-out GB/s"},
                                   {"USD/GPU/h"}}};
    for (const std::string& name : training::machine_names()) {
        const training::Machine one = training::machine(name);
        machines.rows.push_back(
            {{one.name, one.gpu.name, fmt::format("{}", one.gpus_per_node), scaled(one.scale_up, 1e9),
              scaled(one.scale_out, 1e9), scaled(one.gpu.usd_per_hour, 1)}});
    }
    TextTable accelerators{.columns = {{"accelerator", Align::left},
                                       {"generation", Align::left},
                                       {"fp16 TFLOPS"},
                                       {"bf16 TFLOPS"},
                                       {"fp8 TFLOPS"},
                                       {"fp4 TFLOPS"},
                                       {"GiB"},
                                       {"GB/s"},
                                       {"W"}}};
    for (const std::string& name : training::accelerator_names()) {
        const training::Accelerator one = training::accelerator(name);
        accelerators.rows.push_back(
            {{one.name, one.generation, scaled(one.fp16_flops, 1e12), scaled(one.bf16_flops, 1e12),
              scaled(one.fp8_flops, 1e12), scaled(one.fp4_flops, 1e12),
              scaled(static_cast<double>(one.memory_bytes), 1024.0 * 1024 * 1024), scaled(one.memory_bandwidth, 1e9),
              scaled(one.power_watts, 1)}});
    }
    return text_of(machines) + "\n" + text_of(accelerators) +
           "\nper GPU and direction; ndsim hardware NAME tells every number and its source\n";
}

std::string hardware_list_json() {
    Json machines = Json::array();
    for (const std::string& name : training::machine_names()) {
        machines.push_back(machine_row(training::machine(name)));
    }
    Json accelerators = Json::array();
    for (const std::string& name : training::accelerator_names()) {
        accelerators.push_back(accelerator_row(training::accelerator(name)));
    }
    return Json{{"machines", machines}, {"accelerators", accelerators}}.dump() + "\n";
}

report::Table machine_rows() {
    using report::Cells;
    report::Table table{.columns = {{"name", report::Cells::names},
                                    {"accelerator", report::Cells::names},
                                    {"gpus_per_node"},
                                    {"scale_up"},
                                    {"scale_out"},
                                    {"host_link"},
                                    {"usd_per_gpu_hour"}},
                        .rows = {}};
    for (const std::string& name : training::machine_names()) {
        const training::Machine one = training::machine(name);
        table.rows.push_back({one.name, one.gpu.name, std::to_string(one.gpus_per_node),
                              fmt::format("{:.12g}", one.scale_up), fmt::format("{:.12g}", one.scale_out),
                              fmt::format("{:.12g}", one.host_link), fmt::format("{:.12g}", one.gpu.usd_per_hour)});
    }
    return table;
}

report::Table numbers_of(const Hardware& hardware) {
    using report::Cells;
    report::Table table{.columns = {{"field", report::Cells::names},
                                    {"value"},
                                    {"unit", report::Cells::names},
                                    {"source", report::Cells::words},
                                    {"confidence", report::Cells::names}},
                        .rows = {}};
    for (const Sourced& one : hardware.numbers) {
        table.rows.push_back(
            {one.field, fmt::format("{:.12g}", one.value), one.unit, one.source, fmt::format("{}", one.confidence)});
    }
    return table;
}

std::string hardware_text(const Hardware& hardware) {
    const training::Machine& machine = hardware.machine;
    std::string text = machine.name == machine.gpu.name
                           ? fmt::format("{} ({})\n", machine.gpu.name, machine.gpu.generation)
                           : fmt::format("{}: nodes of {} x {} ({})\n", machine.name, machine.gpus_per_node,
                                         machine.gpu.name, machine.gpu.generation);
    for (const auto& [key, remark] : hardware.remarks) {
        text += fmt::format("{}: {}\n", key, remark);
    }
    const char* const titles[] = {"hardware", "efficiency of its generation", "network"};
    TextTable table{
        .columns = {{"", Align::left}, {""}, {"", Align::left}, {"", Align::left}}, .rows = {}, .margin = "  "};
    for (int part = 0; part < 3; ++part) {
        table.rows.insert(table.rows.end(), {{}, {{}, titles[part]}});
        for (const Sourced& one : hardware.numbers) {
            if (part_of(one) == part) {
                const std::string name = one.field.substr(part == 0 ? 0 : one.field.find('.') + 1);
                table.rows.push_back(
                    {{name, shown(one.value, one.unit), fmt::format("{}", one.confidence), one.source}});
            }
        }
    }
    return text + text_of(table) + "\nA: read in the source; B: a vendor's number recalled, or inferred; C: rough\n";
}

std::string hardware_json(const Hardware& hardware) {
    Json report = machine_row(hardware.machine);
    report["accelerator"] = accelerator_row(hardware.machine.gpu);
    for (const auto& [key, remark] : hardware.remarks) {
        report["remarks"][key] = remark;
    }
    report["numbers"] = numbers_json(hardware.numbers);
    return report.dump() + "\n";
}

}  // namespace sim::tools
