#include "tools/ndsim/hardware/report.hpp"

#include "libsim/report/amounts.hpp"
#include "libsim/report/record.hpp"
#include "libsim/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::tools {

using namespace report;
using namespace report::keys;

namespace {

using training::Accelerator;
using training::Hardware;
using training::Machine;
using training::Sourced;

// Prints 312e12 FLOP/s as "312 TFLOP/s".
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
        return in_microseconds(value);
    }
    return fmt::format("{:.10g}{}{}", value, unit.empty() ? "" : " ", unit);
}

// "-" if the value is unknown or absent.
std::string scaled(double value, double size) {
    return value > 0 ? fmt::format("{:.4g}", value / size) : "-";
}

const Record<Sourced>& number_record() {
    static const Record<Sourced> record(
        "A number.",
        {name<Sourced>("field", "Key of the number, as in a file of hardware.", &Sourced::field),
         number<Sourced>("value", "The number, in its unit.", &Sourced::value),
         name<Sourced>("unit", "Its unit; empty: a share or a count.", &Sourced::unit),
         free_text<Sourced>("source", "Where it comes from.", &Sourced::source),
         one_of<Sourced>("confidence", {"A", "B", "C"}, "A: read in the source; B: recalled or inferred; C: rough.",
                         &Sourced::confidence)});
    return record;
}

const Record<Accelerator>& accelerator_record() {
    const auto peak = [](const char* key, const char* precision, double Accelerator::*flops) {
        return number<Accelerator>(key, fmt::format("Peak FLOP/s, dense, in {}; 0: it has no such units.", precision),
                                   flops);
    };
    static const Record<Accelerator> record(
        "An accelerator.",
        {name<Accelerator>("name", "Name of the accelerator.", &Accelerator::name),
         name<Accelerator>("driver_name", "Name that its driver reports; empty: not known.", &Accelerator::driver_name),
         name<Accelerator>("generation", "Generation, whose accelerators share their efficiency.",
                           &Accelerator::generation),
         peak("fp32_flops", "fp32", &Accelerator::fp32_flops), peak("tf32_flops", "TF32", &Accelerator::tf32_flops),
         peak("fp16_flops", "fp16", &Accelerator::fp16_flops), peak("bf16_flops", "bf16", &Accelerator::bf16_flops),
         peak("fp8_flops", "fp8", &Accelerator::fp8_flops), peak("fp4_flops", "fp4", &Accelerator::fp4_flops),
         whole<Accelerator>("memory_bytes", "Bytes of memory.", &Accelerator::memory_bytes),
         number<Accelerator>("memory_bandwidth", "Bytes per second of its memory.", &Accelerator::memory_bandwidth),
         whole<Accelerator>("processors", "Processors over which the blocks of a kernel are spread.",
                            &Accelerator::processors),
         number<Accelerator>("power_watts", "Watts at full load; 0: not known.", &Accelerator::power_watts),
         number<Accelerator>("sustained_clock",
                             "Clock that it sustains, as a fraction of the clock that the peaks are given for.",
                             &Accelerator::sustained_clock),
         number<Accelerator>("usd_per_hour", "US dollars per hour, on demand; 0: not known.",
                             &Accelerator::usd_per_hour)});
    return record;
}

const Record<Machine>& machine_record() {
    static const Record<Machine> record(
        "A machine.",
        {name<Machine>("name", "Name of the machine.", &Machine::name),
         name<Machine>("accelerator", "Name of its accelerator.", [](const Machine& one) { return one.gpu.name; }),
         whole<Machine>("gpus_per_node", "GPUs of a node.", &Machine::gpus_per_node),
         number<Machine>("scale_up", "Bytes per second and direction of a GPU within a node.", &Machine::scale_up),
         number<Machine>("scale_out",
                         "Bytes per second and direction of a GPU between nodes; 0: there is one node only.",
                         &Machine::scale_out),
         number<Machine>("host_link", "Bytes per second between a GPU and its host.", &Machine::host_link),
         number<Machine>("usd_per_gpu_hour", "US dollars per GPU and hour, on demand; 0: not known.",
                         [](const Machine& one) { return one.gpu.usd_per_hour; })});
    return record;
}

// A machine's own keys, with its full accelerator instead of the name.
const Record<Hardware>& hardware_record() {
    static const Record<Hardware> record("With NAME: one machine, or a node of one accelerator.", [] {
        std::vector<Field<Hardware>> fields = fields_of<Hardware>(machine_record(), &Hardware::machine);
        fields[1] = part<Hardware>(
            "accelerator", accelerator_record(), [](const Hardware& one) { return one.machine.gpu; },
            "#/definitions/accelerator");
        fields.push_back(only_if(
            field_of<Hardware>(
                "remarks",
                {{"type", "object"},
                 {"description", "Remarks of the file, by their key."},
                 {"additionalProperties", {{"title", "KEY"}, {"type", "string"}, {"description", "A remark."}}}},
                [](const Hardware& one) {
                    Json found;
                    for (const auto& [key, remark] : one.remarks) {
                        found[key] = remark;
                    }
                    return found;
                }),
            [](const Hardware& one) { return !one.remarks.empty(); }));
        fields.push_back(
            list_of<Hardware>("numbers", "Every number and its source.", number_record(), &Hardware::numbers));
        return fields;
    }());
    return record;
}

struct AllHardware {
    std::vector<Machine> machines;
    std::vector<Accelerator> accelerators;
};

AllHardware all_hardware() {
    AllHardware all;
    for (const std::string& name : training::machine_names()) {
        all.machines.push_back(training::machine(name));
    }
    for (const std::string& name : training::accelerator_names()) {
        all.accelerators.push_back(training::accelerator(name));
    }
    return all;
}

const Record<AllHardware>& list_record() {
    static const Record<AllHardware> record(
        "Without NAME: all machines and accelerators.",
        {list_of<AllHardware>("machines", "All machines.", machine_record(), &AllHardware::machines,
                              "#/definitions/machine"),
         list_of<AllHardware>("accelerators", "All accelerators.", accelerator_record(), &AllHardware::accelerators,
                              "#/definitions/accelerator")});
    return record;
}

// The section of a number: 0 for data sheets, then the generation's efficiency, then the network.
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
    return json_line(list_record().json(all_hardware()));
}

report::Table machine_rows() {
    return machine_record().table(all_hardware().machines);
}

report::Table numbers_of(const Hardware& hardware) {
    return number_record().table(hardware.numbers);
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
    return json_line(hardware_record().json(hardware));
}

report::SchemaText hardware_schema() {
    return schema_of_command("hardware",
                             {{"oneOf", {{{"$ref", "#/definitions/list"}}, {{"$ref", "#/definitions/one"}}}},
                              {"definitions",
                               {{"list", list_record().schema()},
                                {"one", hardware_record().schema()},
                                {"machine", machine_record().schema()},
                                {"accelerator", accelerator_record().schema()}}}});
}

report::SchemaText hardware_columns() {
    return columns_of_program("ndsim hardware",
                              {{machine_record().columns(), "without NAME"}, {number_record().columns(), "with NAME"}});
}

}  // namespace sim::tools
