// --efficiency overrides the shares of peak that the data files give for GPUs; every command takes it in the same form.
//
//   gemm_peak=0.8,nic_share=0.9          of all GPUs
//   ampere.gemm_peak=0.7,hopper.…        of one generation
#pragma once

#include "libsim/training/machine.hpp"

#include <string>
#include <vector>

namespace sim::predict {

struct EfficiencyChange {
    std::string generation;  // empty: any
    double training::Efficiency::*field = nullptr;
    double value = 0;
};

// Throws UsageError with the problem and the nearest name.
std::vector<EfficiencyChange> efficiency_changes(const std::string& text);

// Applies the changes that match this GPU, in order.
void change_efficiency(training::Accelerator& gpu, const std::vector<EfficiencyChange>& changes);

}  // namespace sim::predict
