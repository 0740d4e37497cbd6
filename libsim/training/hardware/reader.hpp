// The reader layers hardware files on top of each other: generation, accelerator, machine, each possibly based on
// another.
#pragma once

#include "libsim/training/hardware.hpp"
#include "libsim/training/hardware/entries.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sim::training {

// Applies the file's entries and leaves everything else unchanged. `instead` names an accelerator that replaces the
// file's. Throws ProgramError.
void put_machine(Hardware& hardware, const std::vector<HardwareEntry>& entries, const HardwareEntry* instead = nullptr);

// Applies the file of this name; throws ProgramError with the nearest name if there is none. `where` is the place that
// names it, or "".
void put_named_accelerator(Hardware& hardware, std::string_view name, const std::string& where = "");
void put_named_machine(Hardware& hardware, std::string_view name, const std::string& where = "",
                       const HardwareEntry* instead = nullptr);

// Throws ProgramError if a required number is missing, adds the defaults that no file gave, and derives the network.
void finish(Hardware& hardware, const std::string& where);

}  // namespace sim::training
