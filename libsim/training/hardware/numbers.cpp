#include "libsim/training/hardware/numbers.hpp"

#include "libsim/error.hpp"
#include "libsim/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sim::training {

namespace {

using Names = std::vector<std::string>;

// Texts that are shown but not used.
const char* const remarks[] = {"links", "memory_type", "note", "topology", "collectives", "compiler"};

bool is_remark(const std::string& key) {
    return std::find(std::begin(remarks), std::end(remarks), key) != std::end(remarks);
}

bool is_whole(const Slot& slot) {
    return std::holds_alternative<int*>(slot.to) || std::holds_alternative<std::int64_t*>(slot.to);
}

std::string wanted_of(const Slot& slot) {
    const char* kind = is_whole(slot) ? "a whole number" : "a number";
    if (slot.highest >= Slot{}.highest) {
        return slot.included ? fmt::format("{}, {:g} or more", kind, slot.lowest)
                             : fmt::format("{} above {:g}", kind, slot.lowest);
    }
    return slot.included ? fmt::format("{} from {:g} to {:g}", kind, slot.lowest, slot.highest)
                         : fmt::format("{} above {:g}, up to {:g}", kind, slot.lowest, slot.highest);
}

double number_of(const HardwareEntry& entry, const Slot& slot) {
    if (std::holds_alternative<bool*>(slot.to)) {
        const auto* flag = std::get_if<bool>(&entry.value);
        if (flag == nullptr) {
            refuse(entry, "true or false");
        }
        return *flag ? 1 : 0;
    }
    const auto* number = std::get_if<double>(&entry.value);
    const bool fits = number != nullptr && std::isfinite(*number) && *number <= slot.highest &&
                      (slot.included ? *number >= slot.lowest : *number > slot.lowest) &&
                      (!is_whole(slot) || std::floor(*number) == *number);
    if (!fits) {
        refuse(entry, wanted_of(slot));
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

[[noreturn]] void refuse_key(const HardwareEntry& entry, const std::vector<Slot>& slots, Names known,
                             const std::string& prefix) {
    known.insert(known.end(), std::begin(remarks), std::end(remarks));
    std::transform(slots.begin(), slots.end(), std::back_inserter(known), [](const Slot& one) { return one.key; });
    throw ProgramError(
        fmt::format("{}: unknown key {}{}{}", entry.where, prefix, entry.key, did_you_mean(entry.key, known, prefix)));
}

// Takes the remark about what executes collectives: a library, or a compiler, which is stored as no library.
void take_collectives(Accelerator& gpu, const std::pair<std::string, std::string>& remark) {
    if (remark.first == "collectives") {
        gpu.collectives = remark.second;
    } else if (remark.first == "compiler") {
        gpu.collectives.clear();
    }
}

}  // namespace

void refuse(const HardwareEntry& entry, const std::string& wanted) {
    throw ProgramError(fmt::format("{}: {} must be {}, not {}", entry.where, entry.key, wanted, describe(entry.value)));
}

const std::string& text_of(const HardwareEntry& entry) {
    const auto* text = std::get_if<std::string>(&entry.value);
    if (text == nullptr || text->empty()) {
        refuse(entry, "a text");
    }
    return *text;
}

const HardwareEntry* find_entry(const std::vector<HardwareEntry>& entries, const std::string& key) {
    const auto at = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.key == key; });
    return at == entries.end() ? nullptr : &*at;
}

void put_numbers(Hardware& hardware, const std::vector<HardwareEntry>& entries, const std::vector<Slot>& slots,
                 const std::vector<std::string>& others, const std::string& prefix) {
    for (const HardwareEntry& entry : entries) {
        HardwareEntry full = entry;
        full.key = prefix + entry.key;
        const auto slot =
            std::find_if(slots.begin(), slots.end(), [&](const Slot& one) { return one.key == entry.key; });
        if (slot != slots.end()) {
            const double value = number_of(full, *slot);
            store(*slot, value);
            // A user's number without a source has its line as its source.
            note_number(hardware, {slot->key, value, slot->unit, entry.source.empty() ? entry.where : entry.source,
                                   entry.confidence});
        } else if (is_remark(entry.key)) {
            std::erase_if(hardware.remarks, [&](const auto& one) { return one.first == entry.key; });
            hardware.remarks.emplace_back(entry.key, text_of(full));
            take_collectives(hardware.machine.gpu, hardware.remarks.back());
        } else if (std::find(others.begin(), others.end(), entry.key) == others.end()) {
            refuse_key(entry, slots, others, prefix);
        }
    }
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

void note_defaults(Hardware& hardware, const std::vector<Slot>& slots) {
    for (const Slot& slot : slots) {
        const bool known = std::any_of(hardware.numbers.begin(), hardware.numbers.end(),
                                       [&](const Sourced& one) { return one.field == slot.key; });
        const bool told_only = std::holds_alternative<Fact>(slot.to);
        if (!known && !told_only && stored(slot) != 0) {
            hardware.numbers.push_back({slot.key, stored(slot), slot.unit, "default", "C"});
        }
    }
}

}  // namespace sim::training
