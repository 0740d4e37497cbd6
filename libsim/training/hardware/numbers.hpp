// These functions check the numbers of a hardware file and store them, with their sources, where their slots point.
#pragma once

#include "libsim/training/hardware.hpp"
#include "libsim/training/hardware/entries.hpp"
#include "libsim/training/hardware/slots.hpp"

#include <string>
#include <vector>

namespace sim::training {

// Throws ProgramError: "FILE:LINE: KEY must be WANTED, not FOUND".
[[noreturn]] void refuse(const HardwareEntry& entry, const std::string& wanted);

const std::string& text_of(const HardwareEntry& entry);
const HardwareEntry* find_entry(const std::vector<HardwareEntry>& entries, const std::string& key);

// Stores all numbers of `entries`. `others` are keys that the caller has read; errors put `prefix` before keys. Throws
// ProgramError for an unknown key or a value out of range.
void put_numbers(Hardware& hardware, const std::vector<HardwareEntry>& entries, const std::vector<Slot>& slots,
                 const std::vector<std::string>& others, const std::string& prefix = "");

// Replaces an earlier number of the same field.
void note_number(Hardware& hardware, Sourced number);
void forget_number(Hardware& hardware, const std::string& field);
// Records the slots' values that no file gave.
void note_defaults(Hardware& hardware, const std::vector<Slot>& slots);

}  // namespace sim::training
