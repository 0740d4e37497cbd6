// Facts about GPUs that other tools' files leave out: the product of a PCI device, and the bandwidth of one link.
#pragma once

#include <span>
#include <string>

namespace sim::machine_import {

// PCI vendor and device, as NCCL writes them. Source: the PCI ID repository (pci-ids.ucw.cz), 2026.
struct GpuDevice {
    const char* device;       // "0x10de:0x2330"
    const char* accelerator;  // its name in `ndsim hardware`
};
std::span<const GpuDevice> gpu_devices();

// Links of a GPU generation. Source: NVIDIA's and AMD's white papers; bytes per second and direction.
struct LinkFacts {
    const char* generation;
    int lowest_sm;  // compute capabilities, times 10; 0: none
    int highest_sm;
    double link_rate;  // one NVLink, or Infinity Fabric link
    int links;         // per fully connected GPU
    double pcie_rate;  // PCIe x16, if a file does not give it
};
// Returns nullptr for a generation without such links or files.
const LinkFacts* link_facts(const std::string& generation);

}  // namespace sim::machine_import
