#include "libsim/model/hardware/reader.hpp"

#include "libsim/error.hpp"
#include "libsim/model/hardware/slots.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sim::model {

namespace {

using Entries = std::vector<HardwareEntry>;
using Names = std::vector<std::string>;

[[noreturn]] void refuse(const HardwareEntry& entry, const std::string& wanted, const std::string& hint = "") {
    throw ProgramError(
        fmt::format("{}: {} must be {}, not {}{}", entry.where, entry.key, wanted, describe(entry.value), hint));
}

// Texts and lists that are not numbers, and remarks that are only told.
const Names remarks{"links", "memory_type", "note"};

bool is_any_of(const std::string& key, const Names& names) {
    return std::find(names.begin(), names.end(), key) != names.end();
}

const std::string& text_of(const HardwareEntry& entry) {
    const auto* text = std::get_if<std::string>(&entry.value);
    if (text == nullptr || text->empty()) {
        refuse(entry, "a text");
    }
    return *text;
}

std::string wanted_of(const Slot& slot, bool whole) {
    const char* kind = whole ? "a whole number" : "a number";
    if (slot.highest >= 1e15) {
        return slot.lowest >= 1 ? fmt::format("{}, {:g} or more", kind, slot.lowest)
                                : fmt::format("{} above {:g}", kind, slot.lowest);
    }
    return fmt::format("{} {} {:g} {} {:g}", kind, slot.zero ? "from" : "above", slot.lowest,
                       slot.zero ? "to" : "and up to", slot.highest);
}

double number_of(const HardwareEntry& entry, const Slot& slot) {
    const bool whole = std::holds_alternative<int*>(slot.to) ||
                       (std::holds_alternative<std::int64_t*>(slot.to) && slot.highest < 1e15);
    if (std::holds_alternative<bool*>(slot.to)) {
        const auto* flag = std::get_if<bool>(&entry.value);
        if (flag == nullptr) {
            refuse(entry, "true or false");
        }
        return *flag ? 1 : 0;
    }
    const auto* number = std::get_if<double>(&entry.value);
    const bool fits = number != nullptr && std::isfinite(*number) && *number <= slot.highest &&
                      (slot.zero || slot.lowest >= 1 ? *number >= slot.lowest : *number > slot.lowest) &&
                      (!whole || std::floor(*number) == *number);
    if (!fits) {
        refuse(entry, wanted_of(slot, whole));
    }
    return *number;
}

void store(const Slot& slot, double value) {
    struct Store {
        double value;
        void operator()(double* to) const { *to = value; }
        void operator()(int* to) const { *to = static_cast<int>(value); }
        void operator()(std::int64_t* to) const { *to = std::llround(value); }
        void operator()(bool* to) const { *to = value != 0; }
        void operator()(Fact /*told only*/) const {}
    };
    std::visit(Store{value}, slot.to);
}

double stored(const Slot& slot) {
    struct Read {
        double operator()(const double* from) const { return *from; }
        double operator()(const int* from) const { return *from; }
        double operator()(const std::int64_t* from) const { return static_cast<double>(*from); }
        double operator()(const bool* from) const { return *from ? 1 : 0; }
        double operator()(Fact /*told only*/) const { return 0; }
    };
    return std::visit(Read{}, slot.to);
}

void note_number(Hardware& hardware, Sourced number) {
    const auto at = std::find_if(hardware.numbers.begin(), hardware.numbers.end(),
                                 [&](const Sourced& one) { return one.field == number.field; });
    if (at == hardware.numbers.end()) {
        hardware.numbers.push_back(std::move(number));
    } else {
        *at = std::move(number);
    }
}

void forget_number(Hardware& hardware, const std::string& field) {
    std::erase_if(hardware.numbers, [&](const Sourced& one) { return one.field == field; });
}

void note_remark(Hardware& hardware, const std::string& key, const std::string& text) {
    std::erase_if(hardware.remarks, [&](const auto& one) { return one.first == key; });
    hardware.remarks.emplace_back(key, text);
}

// A user's number without a source has the file's line as its source.
Sourced sourced(const HardwareEntry& entry, const Slot& slot, double value) {
    return {slot.key, value, slot.unit, entry.source.empty() ? entry.where : entry.source, entry.confidence};
}

// The entries of table `table`, without its name in their keys.
Entries entries_in(const Entries& entries, const std::string& table) {
    Entries inside;
    for (const HardwareEntry& entry : entries) {
        if (entry.key.starts_with(table + ".")) {
            inside.push_back(entry);
            inside.back().key = entry.key.substr(table.size() + 1);
        }
    }
    return inside;
}

const HardwareEntry* find(const Entries& entries, const std::string& key) {
    const auto at = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.key == key; });
    return at == entries.end() ? nullptr : &*at;
}

// Stores every number of `entries`. `others` are the keys that the caller has read; `prefix` is for complaints.
void put_numbers(Hardware& hardware, const Entries& entries, const std::vector<Slot>& slots, const Names& others,
                 const std::string& prefix = "") {
    for (const HardwareEntry& entry : entries) {
        HardwareEntry full = entry;
        full.key = prefix + entry.key;
        const auto slot =
            std::find_if(slots.begin(), slots.end(), [&](const Slot& one) { return one.key == entry.key; });
        if (slot != slots.end()) {
            const double value = number_of(full, *slot);
            store(*slot, value);
            note_number(hardware, sourced(entry, *slot, value));
        } else if (is_any_of(entry.key, remarks)) {
            note_remark(hardware, entry.key, text_of(full));
        } else if (!is_any_of(entry.key, others)) {
            Names known = others;
            known.insert(known.end(), remarks.begin(), remarks.end());
            std::transform(slots.begin(), slots.end(), std::back_inserter(known),
                           [](const Slot& one) { return one.key; });
            throw ProgramError(
                fmt::format("{}: unknown key {}{}", entry.where, full.key, did_you_mean(entry.key, known, prefix)));
        }
    }
}

std::vector<Slot> joined(std::vector<Slot> a, const std::vector<Slot>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

std::vector<Slot> generation_slots(Machine& machine) {
    return joined(efficiency_slots(machine.gpu.efficiency), network_slots(machine.network));
}

[[noreturn]] void refuse_name(const std::string& where, const std::string& what, std::string_view name,
                              const Names& names, const char* list) {
    std::string hint = did_you_mean(plain_name(name), names);
    if (hint.empty()) {
        hint = list;
    }
    throw ProgramError(fmt::format("{}{}there is no {} \"{}\"{}", where, where.empty() ? "" : ": ", what, name, hint));
}

Names all_names(std::string_view folder) {
    Names names;
    for (const std::string& name : catalogue_names(folder)) {
        names.push_back(plain_name(name));
    }
    return names;
}

void put_generation(Hardware& hardware, const std::string& name, const std::string& where) {
    CatalogueFile file;
    if (!find_in_catalogue("generations", name, file)) {
        refuse_name(where, "generation", name, all_names("generations"), "");
    }
    if (const HardwareEntry* base = find(file.entries, "base"); base != nullptr) {
        put_generation(hardware, text_of(*base), base->where);
    }
    put_numbers(hardware, file.entries, generation_slots(hardware.machine), {"name", "base"});
}

}  // namespace

void put_accelerator(Hardware& hardware, const Entries& entries, const std::string& prefix) {
    Machine& machine = hardware.machine;
    if (const HardwareEntry* base = find(entries, "base"); base != nullptr) {
        put_named_accelerator(hardware, text_of(*base), base->where);
    }
    if (const HardwareEntry* name = find(entries, "name"); name != nullptr) {
        machine.gpu.name = text_of(*name);
    }
    if (const HardwareEntry* generation = find(entries, "generation"); generation != nullptr) {
        machine.gpu.generation = plain_name(text_of(*generation));
        put_generation(hardware, machine.gpu.generation, generation->where);
    }
    put_numbers(hardware, entries, joined(accelerator_slots(machine), generation_slots(machine)),
                {"base", "name", "aliases", "generation", "machine"}, prefix);
}

void put_named_accelerator(Hardware& hardware, std::string_view name, const std::string& where) {
    CatalogueFile file;
    if (!find_in_catalogue("accelerators", name, file)) {
        refuse_name(where, "accelerator", name, all_names("accelerators"), "; ndsim hardware lists them");
    }
    // Nothing is left of another one.
    const Machine nothing;
    hardware.machine.gpu = nothing.gpu;
    for (const Slot& slot : accelerator_slots(hardware.machine)) {
        forget_number(hardware, slot.key);
    }
    put_accelerator(hardware, file.entries);
}

void put_named_machine(Hardware& hardware, std::string_view name, const std::string& where) {
    CatalogueFile file;
    if (find_in_catalogue("machines", name, file)) {
        put_machine(hardware, file);
        return;
    }
    if (find_in_catalogue("accelerators", name, file)) {
        put_named_machine(hardware, text_under(file.entries, "machine"), file.where);
        return;
    }
    Names names = all_names("machines");
    const Names accelerators = all_names("accelerators");
    names.insert(names.end(), accelerators.begin(), accelerators.end());
    refuse_name(where, "machine", name, names, "; ndsim hardware lists them");
}

namespace {

// The price of a node is split over its GPUs; the rate of its cards, too.
void split_over_gpus(Hardware& hardware, const Entries& entries) {
    Machine& machine = hardware.machine;
    if (const HardwareEntry* price = find(entries, "node_usd_per_hour"); price != nullptr) {
        machine.gpu.usd_per_hour = machine.node_usd_per_hour / machine.gpus_per_node;
        note_number(hardware,
                    {"usd_per_hour", machine.gpu.usd_per_hour, "USD/h",
                     fmt::format("node_usd_per_hour over {} GPUs", machine.gpus_per_node), price->confidence});
    }
    const HardwareEntry* cards = find(entries, "nic_gbit");
    if (cards != nullptr && find(entries, "scale_out") != nullptr) {
        throw ProgramError(fmt::format("{}: give nic_gbit or scale_out, not both", cards->where));
    }
    if (cards != nullptr) {
        machine.scale_out = *std::get_if<double>(&cards->value) / 8 * 1e9 / machine.gpus_per_node;
        note_number(hardware, {"scale_out", machine.scale_out, "B/s",
                               fmt::format("nic_gbit over {} GPUs", machine.gpus_per_node), cards->confidence});
    }
}

}  // namespace

void put_machine(Hardware& hardware, const CatalogueFile& file) {
    Machine& machine = hardware.machine;
    Entries own;
    for (const HardwareEntry& entry : file.entries) {
        if (!entry.key.starts_with("accelerator.")) {
            own.push_back(entry);
        }
    }
    if (const HardwareEntry* base = find(own, "base"); base != nullptr) {
        put_named_machine(hardware, text_of(*base), base->where);
    }
    if (const HardwareEntry* accelerator = find(own, "accelerator"); accelerator != nullptr) {
        put_named_accelerator(hardware, text_of(*accelerator), accelerator->where);
    }
    put_accelerator(hardware, entries_in(file.entries, "accelerator"), "accelerator.");
    if (const HardwareEntry* name = find(own, "name"); name != nullptr) {
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
    require(!gpu.name.empty(),
            "the accelerator (accelerator = \"NAME\", base = \"MACHINE\", or a table [accelerator] "
            "with a name)");
    require(gpu.fp32_flops + gpu.fp16_flops + gpu.bf16_flops + gpu.fp8_flops > 0, "accelerator.bf16_flops");
    require(gpu.memory_bytes > 0, "accelerator.memory_bytes");
    require(gpu.memory_bandwidth > 0, "accelerator.memory_bandwidth");
    require(gpu.processors > 0, "accelerator.processors");
    require(machine.gpus_per_node == 1 || machine.scale_up > 0, "scale_up");
    const std::vector<Slot> slots =
        joined(joined(accelerator_slots(machine), machine_slots(machine)), generation_slots(machine));
    for (const Slot& slot : slots) {
        const bool known = std::any_of(hardware.numbers.begin(), hardware.numbers.end(),
                                       [&](const Sourced& one) { return one.field == slot.key; });
        if (!known && !std::holds_alternative<Fact>(slot.to) && stored(slot) != 0) {
            hardware.numbers.push_back({slot.key, stored(slot), slot.unit, "default", "C"});
        }
    }
    machine.derive_network();
}

}  // namespace sim::model
