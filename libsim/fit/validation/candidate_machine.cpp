#include "libsim/error.hpp"
#include "libsim/fit/validation/candidates.hpp"
#include "libsim/nearest.hpp"
#include "libsim/training/hardware.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::fit {

using namespace predict;
namespace {

// The longest known name that is a prefix of `gpu`: "H100-SXM-96GB-HBM2e (2.4 TB/s, 500 W cap)". Empty if none is.
std::string known_name(const std::string& gpu) {
    std::string longest;
    for (const std::string& name : training::accelerator_names()) {
        if (gpu.size() >= name.size() && mentions(gpu.substr(0, name.size()), name) && name.size() > longest.size()) {
            longest = name;
        }
    }
    return longest;
}

training::Machine node_of(const std::string& gpu) {
    try {
        return training::machine(gpu);
    } catch (const ProgramError&) {
        const std::string name = known_name(gpu);
        if (name.empty()) {
            throw ProgramError(fmt::format("hardware.gpu \"{}\" is not known{}", gpu,
                                           did_you_mean(gpu, training::accelerator_names())));
        }
        return training::machine(name);
    }
}

}  // namespace

MachinesByName machines_of(const std::vector<RunRecord>& records) {
    MachinesByName machines;
    for (const RunRecord& record : records) {
        const std::string& gpu = record.hardware.gpu;
        if (machines.contains(gpu)) {
            continue;
        }
        try {
            machines.emplace(gpu, node_of(gpu));
        } catch (const ProgramError&) {
            // machine_of() throws it again, where the record is known.
        }
    }
    return machines;
}

training::Machine machine_of(const RunRecord& record, const MachinesByName& machines,
                             const std::vector<EfficiencyChange>& changes, Assumed& assumed) {
    const auto known = machines.find(record.hardware.gpu);
    training::Machine machine = known != machines.end() ? known->second : node_of(record.hardware.gpu);
    change_efficiency(machine.gpu, changes);
    const RunHardware& run = record.hardware;
    constexpr double giga = 1e9;
    machine.gpus_per_node = run.gpus_per_node;
    if (run.within > 0) {
        machine.scale_up = run.within * giga;
    }
    if (run.across) {
        machine.scale_out = *run.across * giga;
    } else if (record.layout.gpus > run.gpus_per_node) {
        assumed["network"] = fmt::format("{:g} GB/s per GPU between nodes, as {} usually have",
                                         machine.scale_out / giga, machine.gpu.name);
    }
    machine.derive_network();
    return machine;
}

}  // namespace sim::fit
