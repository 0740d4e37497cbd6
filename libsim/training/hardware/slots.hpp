// A slot describes one number that a hardware file may give: its key, its unit, its range, and the field it sets.
//
// A slot points into what it was made of and lives no longer.
#pragma once

#include "libsim/training/machine.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace sim::training {

// A number that is reported, and that no model uses.
struct Fact {};

struct Slot {
    std::string key;
    std::string unit;
    std::variant<double*, int*, std::int64_t*, bool*, Fact> to;
    double lowest = 0;
    double highest = 1e18;
    bool included = false;  // is `lowest` itself allowed?
};

// The accelerator's own, without its efficiency; its links are the machine's scale_up.
std::vector<Slot> accelerator_slots(Machine& machine);
std::vector<Slot> machine_slots(Machine& machine);
std::vector<Slot> efficiency_slots(Efficiency& efficiency);     // efficiency.gemm_peak …
std::vector<Slot> uncertainty_slots(Uncertainty& uncertainty);  // uncertainty.dense …
std::vector<Slot> network_slots(Nccl& network);                 // network.ring.ll.base …

}  // namespace sim::training
