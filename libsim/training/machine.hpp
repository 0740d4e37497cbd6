// A machine is the hardware that a step runs on: an accelerator, nodes of several, and the network between the nodes.
#pragma once

#include "libsim/network/nccl.hpp"
#include "libsim/training/efficiency.hpp"
#include "libsim/training/layout.hpp"
#include "libsim/training/uncertainty.hpp"

#include <cstdint>
#include <string>

namespace sim::training {

// The library that executes the collectives of most accelerators here.
inline constexpr const char* nccl_library = "NCCL";

struct Accelerator {
    std::string name;
    std::string driver_name;  // the name that programs see: "NVIDIA H100 80GB HBM3"; empty: not known
    std::string generation;   // volta, ampere, hopper, blackwell …: its GPUs share an Efficiency
    double fp32_flops = 0;    // dense peaks, per second; 0: no such units
    double tf32_flops = 0;    // used only for single operators of a framework: operator_time.hpp
    double fp16_flops = 0;
    double bf16_flops = 0;
    double fp8_flops = 0;
    double fp4_flops = 0;
    std::int64_t memory_bytes = 0;
    double memory_bandwidth = 0;  // bytes per second
    int processors = 0;           // streaming multiprocessors or compute units that a kernel's blocks are spread over
    double power_watts = 0;       // at full load; 0: not known
    double idle_watts = 0;        // with nothing to do; 0: not known
    double usd_per_hour = 0;      // of one GPU, on demand; 0: not known
    double sustained_clock = 1;   // relative to the clock of the peaks: below 1 if a power cap holds it down
    // Without peer-to-peer access, data between GPUs pass through the host's memory and reach this share of the links'
    // rate, instead of the efficiency's link_share; 0: there is peer-to-peer access.
    double through_host = 0;
    int flash_version = 2;                   // newest FlashAttention version available for it; 0: none
    std::string collectives = nccl_library;  // the library that executes collectives; empty: a compiler does
    Efficiency efficiency;
    Uncertainty uncertainty;

    // 0: no such units.
    double peak(MatrixUnits units) const;
    double peak(Precision precision) const { return peak(row_of(precision).units); }
    // The rate that kernels reach a share of.
    double sustained(MatrixUnits units) const { return peak(units) * sustained_clock; }
    double sustained(Precision precision) const { return sustained(row_of(precision).units); }
};

struct Machine {
    std::string name;
    Accelerator gpu;
    int gpus_per_node = 8;
    double scale_up = 0;           // bytes per second, per GPU and direction, within a node: the links' own rate
    double scale_out = 0;          // the same between nodes; 0: there is only one node
    int peers = 0;                 // Nccl::peers
    int torus_axes = 0;            // Nccl::torus_axes
    int torus_closed = 0;          // Nccl::torus_closed
    double nic_latency = 0;        // Nccl::card_latency
    double host_link = 25e9;       // bytes per second between a GPU and its host
    int host_cores = 0;            // of a node; 0: not known
    double host_memory_gib = 0;    // of a node; 0: not known
    double host_watts = 0;         // of a node without its GPUs, at full load; 0: not known
    double node_usd_per_hour = 0;  // 0: not known
    bool switch_sums = true;       // in-switch reduction within the node, if the generation supports it (NVLink SHARP)
    Nccl network;                  // the rates that collectives and messages reach on these links

    // Spreads a job of this many GPUs evenly over the fewest nodes that hold it, if that divides: 256 GPUs on nodes of
    // 72 are 64 on each of four. Changes gpus_per_node, and the network with it.
    void place(int gpus);
    // Derives the network's rates from the links and the efficiency; call it after changing any of them.
    void derive_network();
};

}  // namespace sim::training
