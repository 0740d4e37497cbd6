// Facts about GPUs that files of other tools take for granted: which product a PCI device is, and what one link
// carries.
#pragma once

#include <span>
#include <string>

namespace sim::machine_import {

// PCI's vendor and device, as NCCL writes them. Source: the PCI ID repository (pci-ids.ucw.cz), 2026.
struct GpuDevice {
    const char* device;       // "0x10de:0x2330"
    const char* accelerator;  // as ndsim hardware lists it
};
std::span<const GpuDevice> gpu_devices();

// Of a generation. Source: NVIDIA's and AMD's white papers; bytes per second and direction.
struct LinkFacts {
    const char* generation;
    int lowest_sm;  // compute capabilities, times 10; 0: none
    int highest_sm;
    double link_rate;  // of one NVLink, or Infinity Fabric link
    int links;         // of one GPU with all of them
    double pcie_rate;  // of PCIe x16, where a file does not say
};
// nullptr: a generation without such links or files.
const LinkFacts* link_facts(const std::string& generation);

}  // namespace sim::machine_import
