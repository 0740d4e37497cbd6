// Puts files of hardware one over the other: generation, accelerator, machine, each possibly based on another.
#pragma once

#include "libsim/model/hardware.hpp"
#include "libsim/model/hardware/catalogue.hpp"

namespace sim::model {

// Changes what the entries say; leaves all else as it is. Complaints put `prefix` before keys. Throws ProgramError.
void put_accelerator(Hardware& hardware, const std::vector<HardwareEntry>& entries, const std::string& prefix = "");
void put_machine(Hardware& hardware, const CatalogueFile& file);

// Of a name; throws ProgramError with the nearest where there is none.
void put_named_accelerator(Hardware& hardware, std::string_view name, const std::string& where);
void put_named_machine(Hardware& hardware, std::string_view name, const std::string& where);

// Throws ProgramError for what a machine cannot do without; adds the numbers that no file gave; derives the network.
void finish(Hardware& hardware, const std::string& where);

}  // namespace sim::model
