#include "libsim/training/hardware/reader.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"
#include "libsim/training/hardware/catalogue.hpp"
#include "libsim/training/hardware/numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::training {

namespace {

using Entries = std::vector<HardwareEntry>;
using Names = std::vector<std::string>;

std::vector<Slot> joined(std::vector<Slot> a, const std::vector<Slot>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::vector<Slot> generation_slots(Machine& machine) {
    std::vector<Slot> slots{{"flash_version", "", &machine.gpu.flash_version, 0, 3, true}};
    for (const std::vector<Slot>& more : {efficiency_slots(machine.gpu.efficiency),
                                          uncertainty_slots(machine.gpu.uncertainty), network_slots(machine.network)}) {
        slots = joined(std::move(slots), more);
    }
    return slots;
}

[[noreturn]] void refuse_name(const std::string& where, const std::string& what, std::string_view name,
                              std::initializer_list<std::string_view> folders) {
    const std::string near = hint_in_catalogue(folders, name);
    throw ProgramError(fmt::format("{}{}there is no {} \"{}\"{}", where, where.empty() ? "" : ": ", what, name,
                                   near.empty() ? "; ndsim hardware lists them" : near));
}

void put_generation(Hardware& hardware, const std::string& name, const std::string& where) {
    CatalogueFile file;
    if (!find_in_catalogue("generations", name, file)) {
        refuse_name(where, "generation", name, {"generations"});
    }
    if (const HardwareEntry* base = find_entry(file.entries, "base"); base != nullptr) {
        put_generation(hardware, text_of(*base), base->where);
    }
    put_numbers(hardware, file.entries, generation_slots(hardware.machine), {"name", "base"});
}

// The GB that a memory is sold with are taken as GiB (the driver keeps a little), unless a file gives memory_bytes.
void take_memory_as_sold(Hardware& hardware, const Entries& entries) {
    const HardwareEntry* sold = find_entry(entries, "memory_gb");
    if (sold != nullptr && find_entry(entries, "memory_bytes") == nullptr) {
        const double bytes = std::get<double>(sold->value) * 1024 * 1024 * 1024;
        hardware.machine.gpu.memory_bytes = static_cast<std::int64_t>(bytes);
        note_number(hardware, {"memory_bytes", bytes, "B", "memory_gb as GiB", sold->confidence});
    }
}

// Applies everything but the base. Errors put `prefix` before keys.
void put_accelerator(Hardware& hardware, const Entries& entries, const std::string& prefix) {
    Machine& machine = hardware.machine;
    if (const HardwareEntry* name = find_entry(entries, "name"); name != nullptr) {
        machine.gpu.name = text_of(*name);
    }
    if (const HardwareEntry* name = find_entry(entries, "driver_name"); name != nullptr) {
        machine.gpu.driver_name = text_of(*name);
    }
    if (const HardwareEntry* generation = find_entry(entries, "generation"); generation != nullptr) {
        put_generation(hardware, text_of(*generation), generation->where);
        machine.gpu.generation = plain_name(text_of(*generation));
    }
    put_numbers(hardware, entries, joined(accelerator_slots(machine), generation_slots(machine)),
                {"base", "name", "driver_name", "aliases", "generation", "machine"}, prefix);
    take_memory_as_sold(hardware, entries);
}

// The entries of the table [accelerator], or all others.
Entries entries_of(const Entries& entries, bool accelerator) {
    const std::string table = "accelerator.";
    Entries chosen;
    for (const HardwareEntry& entry : entries) {
        if (entry.key.starts_with(table) == accelerator) {
            chosen.push_back(entry);
            chosen.back().key = entry.key.substr(accelerator ? table.size() : 0);
        }
    }
    return chosen;
}

// Assumes a node of 8 for an accelerator that no named machine has.
void take_usual_node(Hardware& hardware) {
    Machine& machine = hardware.machine;
    machine.name = fmt::format("8 x {}", machine.gpu.name);
    machine.gpus_per_node = 8;
    machine.switch_sums = false;
    note_number(hardware, {"gpus_per_node", 8, "", "usual for such accelerators", "C"});
    for (const Sourced& one : hardware.numbers) {
        if (one.field == "typical_nic_gbit") {
            machine.scale_out = one.value / 8 * 1e9;
            note_number(hardware, {"scale_out", machine.scale_out, "B/s", "typical_nic_gbit", one.confidence});
            break;
        }
    }
}

// Divides a node's price and its network cards' rate by its number of GPUs.
void split_over_gpus(Hardware& hardware, const Entries& entries) {
    Machine& machine = hardware.machine;
    if (const HardwareEntry* price = find_entry(entries, "node_usd_per_hour"); price != nullptr) {
        machine.gpu.usd_per_hour = machine.node_usd_per_hour / machine.gpus_per_node;
        note_number(hardware, {"usd_per_hour", machine.gpu.usd_per_hour, "USD/h",
                               fmt::format("{}: node_usd_per_hour over {} GPUs",
                                           price->source.empty() ? price->where : price->source, machine.gpus_per_node),
                               price->confidence});
    }
    const HardwareEntry* cards = find_entry(entries, "nic_gbit");
    const HardwareEntry* scale_out = find_entry(entries, "scale_out");
    if (cards != nullptr && scale_out != nullptr) {
        throw ProgramError(fmt::format("{}: give nic_gbit or scale_out, not both", cards->where));
    }
    if (cards != nullptr) {
        machine.scale_out = std::get<double>(cards->value) / 8 * 1e9 / machine.gpus_per_node;
        note_number(hardware, {"scale_out", machine.scale_out, "B/s",
                               fmt::format("nic_gbit over {} GPUs", machine.gpus_per_node), cards->confidence});
    }
    if (scale_out != nullptr) {
        forget_number(hardware, "nic_gbit");  // the base's no longer applies
    }
}

}  // namespace

void put_named_accelerator(Hardware& hardware, std::string_view name, const std::string& where) {
    CatalogueFile file;
    if (!find_in_catalogue("accelerators", name, file) && !find_by_words("accelerators", name, file)) {
        refuse_name(where, "accelerator", name, {"accelerators"});
    }
    if (const HardwareEntry* base = find_entry(file.entries, "base"); base != nullptr) {
        put_named_accelerator(hardware, text_of(*base), base->where);
        // Prices and measurements of another product do not carry over.
        hardware.machine.gpu.usd_per_hour = 0;
        for (const char* field : {"usd_per_hour", "measured_bf16_flops", "measured_fp8_flops"}) {
            forget_number(hardware, field);
        }
    }
    put_accelerator(hardware, file.entries, "");
}

void put_named_machine(Hardware& hardware, std::string_view name, const std::string& where,
                       const HardwareEntry* instead) {
    CatalogueFile file;
    if (!find_hardware(name, file)) {
        refuse_name(where, "machine", name, {"machines", "accelerators"});
    }
    if (file.folder == "machines") {
        put_machine(hardware, file.entries, instead);
        return;
    }
    // The base's machine is not used: an accelerator based on another may come in other nodes.
    const std::string usual = text_under(file.entries, "machine");
    if (usual.empty()) {
        put_named_accelerator(hardware, file.name, where);
        take_usual_node(hardware);
    } else {
        put_named_machine(hardware, usual, file.where, instead);
    }
}

void put_machine(Hardware& hardware, const std::vector<HardwareEntry>& entries, const HardwareEntry* instead) {
    Machine& machine = hardware.machine;
    const Entries own = entries_of(entries, false);
    const Entries table = entries_of(entries, true);
    const HardwareEntry* accelerator = instead;
    for (const HardwareEntry* named : {find_entry(own, "accelerator"), find_entry(table, "base")}) {
        accelerator = accelerator != nullptr ? accelerator : named;
    }
    // The accelerator comes first, because a machine's numbers win over those of its accelerator and generation.
    if (const HardwareEntry* base = find_entry(own, "base"); base != nullptr) {
        put_named_machine(hardware, text_of(*base), base->where, accelerator);
    } else if (accelerator != nullptr) {
        put_named_accelerator(hardware, text_of(*accelerator), accelerator->where);
    }
    if (instead == nullptr) {
        put_accelerator(hardware, table, "accelerator.");
    }
    if (const HardwareEntry* name = find_entry(own, "name"); name != nullptr) {
        machine.name = text_of(*name);
    }
    put_numbers(hardware, own, joined(machine_slots(machine), generation_slots(machine)),
                {"name", "aliases", "base", "accelerator"});
    split_over_gpus(hardware, own);
}

void finish(Hardware& hardware, const std::string& where) {
    Machine& machine = hardware.machine;
    const Accelerator& gpu = machine.gpu;
    const auto require = [&](bool there, const char* what) {
        if (!there) {
            throw ProgramError(fmt::format("{}: {} is missing", where, what));
        }
    };
    require(!gpu.name.empty(), "base = \"MACHINE\", accelerator = \"NAME\", or a table [accelerator] with a name");
    require(gpu.fp32_flops + gpu.fp16_flops + gpu.bf16_flops + gpu.fp8_flops + gpu.fp4_flops > 0,
            "accelerator.bf16_flops");
    require(gpu.memory_bytes > 0, "accelerator.memory_gb");
    require(gpu.memory_bandwidth > 0, "accelerator.memory_bandwidth");
    require(gpu.processors > 0, "accelerator.processors");
    require(machine.gpus_per_node == 1 || machine.scale_up > 0, "scale_up");
    note_defaults(hardware,
                  joined(joined(accelerator_slots(machine), machine_slots(machine)), generation_slots(machine)));
    machine.derive_network();
}

}  // namespace sim::training
