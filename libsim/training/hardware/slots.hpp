// A slot describes one number of a hardware file: its key, unit and range, and the field it sets.
//
// A slot points into the object that it was made from and must not outlive it.
#pragma once

#include "libsim/training/machine.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace sim::training {

// A number that is reported but not used by any model.
struct Fact {};

struct Slot {
    std::string key;
    std::string unit;
    std::variant<double*, int*, std::int64_t*, bool*, Fact> to;
    double lowest = 0;
    double highest = 1e18;
    bool included = false;  // whether `lowest` itself is allowed
};

// The accelerator's own numbers, without its efficiency; its links are the machine's scale_up.
std::vector<Slot> accelerator_slots(Machine& machine);
std::vector<Slot> machine_slots(Machine& machine);
std::vector<Slot> efficiency_slots(Efficiency& efficiency);     // efficiency.gemm_peak …
std::vector<Slot> uncertainty_slots(Uncertainty& uncertainty);  // uncertainty.dense …
std::vector<Slot> network_slots(Nccl& network);                 // network.ring.ll.base …

}  // namespace sim::training
