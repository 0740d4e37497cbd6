#include "libsim/interop/machine_import/gpu_facts.hpp"

#include <algorithm>

namespace sim::machine_import {

namespace {

constexpr GpuDevice pci_devices[] = {
    {"0x10de:0x1db1", "V100-SXM2-16GB"},
    {"0x10de:0x1db5", "V100-SXM2-32GB"},
    {"0x10de:0x1db6", "V100-PCIE-32GB"},
    {"0x10de:0x1db8", "V100-SXM3-32GB"},
    {"0x10de:0x1eb8", "T4"},
    {"0x10de:0x20b0", "A100-SXM-40GB"},
    {"0x10de:0x20b2", "A100-SXM-80GB"},
    {"0x10de:0x20b5", "A100-PCIE-80GB"},
    {"0x10de:0x20f1", "A100-PCIE-40GB"},
    {"0x10de:0x20f3", "A800-SXM-80GB"},
    {"0x10de:0x2204", "RTX-3090"},
    {"0x10de:0x2235", "A40"},
    {"0x10de:0x2237", "A10G"},
    {"0x10de:0x2324", "H800-SXM-80GB"},
    {"0x10de:0x2329", "H20-SXM-96GB"},
    {"0x10de:0x2330", "H100-SXM-80GB"},
    {"0x10de:0x2331", "H100-PCIE-80GB"},
    {"0x10de:0x2335", "H200-SXM-141GB"},
    {"0x10de:0x2342", "GH200-96GB"},
    {"0x10de:0x2684", "RTX-4090"},
    {"0x10de:0x26b9", "L40S"},
    {"0x10de:0x27b8", "L4"},
    {"0x10de:0x2901", "B200-SXM"},
    {"0x10de:0x2941", "GB200"},
    {"0x10de:0x3182", "B300-SXM"},
    {"0x10de:0x31c2", "GB300"},
    {"0x1002:0x7408", "MI250X"},
    {"0x1002:0x74a1", "MI300X"},
    {"0x1002:0x74a5", "MI325X"},
    {"0x1002:0x75a3", "MI355X"},
};

constexpr LinkFacts generation_links[] = {
    {"volta", 70, 72, 25e9, 6, 15.75e9},
    {"turing", 75, 75, 25e9, 2, 15.75e9},
    {"ampere", 80, 87, 25e9, 12, 31.5e9},
    {"ada", 89, 89, 0, 0, 31.5e9},
    {"hopper", 90, 90, 25e9, 18, 63e9},
    {"blackwell", 100, 129, 50e9, 18, 63e9},
    {"blackwell-ultra", 103, 103, 50e9, 18, 63e9},
    {"cdna2", 0, 0, 50e9, 8, 31.5e9},
    {"cdna3", 0, 0, 64e9, 7, 63e9},
    {"cdna4", 0, 0, 76.8e9, 7, 63e9},
};

}  // namespace

std::span<const GpuDevice> gpu_devices() {
    return pci_devices;
}

const LinkFacts* link_facts(const std::string& generation) {
    const auto at = std::find_if(std::begin(generation_links), std::end(generation_links),
                                 [&](const LinkFacts& one) { return one.generation == generation; });
    return at == std::end(generation_links) ? nullptr : at;
}

}  // namespace sim::machine_import
