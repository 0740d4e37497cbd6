// A machine is what a step runs on: an accelerator, nodes of several, and the network between the nodes.
#pragma once

#include "libsim/network/nccl.hpp"
#include "libsim/training/efficiency.hpp"
#include "libsim/training/layout.hpp"
#include "libsim/training/uncertainty.hpp"

#include <cstdint>
#include <string>

namespace sim::training {

struct Accelerator {
    std::string name;
    std::string driver_name;  // as programs are told it: "NVIDIA H100 80GB HBM3"; empty: not known
    std::string generation;   // volta, ampere, hopper, blackwell …: its GPUs share an Efficiency
    double fp32_flops = 0;    // peaks, dense, per second; 0: it has no such units
    double tf32_flops = 0;    // operators of a framework alone are priced in it: operator_time.hpp
    double fp16_flops = 0;
    double bf16_flops = 0;
    double fp8_flops = 0;
    double fp4_flops = 0;
    std::int64_t memory_bytes = 0;
    double memory_bandwidth = 0;  // bytes per second
    int processors = 0;           // that a kernel's blocks are spread over
    double power_watts = 0;       // at full load; 0: not known
    double idle_watts = 0;        // with nothing to do; 0: not known
    double usd_per_hour = 0;      // of one, on demand; 0: not known
    double sustained_clock = 1;   // of the clock that the peaks are given for: below 1 where a power cap holds it down
    int flash_version = 2;        // of the newest FlashAttention that there is for it; 0: none
    std::string collectives = "NCCL";  // the library that carries them out; empty: a compiler does
    Efficiency efficiency;
    Uncertainty uncertainty;

    // 0: it has no such units.
    double peak(MatrixUnits units) const;
    double peak(Precision precision) const { return peak(row_of(precision).units); }
    // The rate of which kernels reach a share.
    double sustained(MatrixUnits units) const { return peak(units) * sustained_clock; }
    double sustained(Precision precision) const { return sustained(row_of(precision).units); }
};

struct Machine {
    std::string name;
    Accelerator gpu;
    int gpus_per_node = 8;
    double scale_up = 0;           // bytes per second, per GPU and direction, within a node: the links' own rate
    double scale_out = 0;          // the same between nodes; 0: there is one node only
    double host_link = 25e9;       // bytes per second between a GPU and its host
    int host_cores = 0;            // of a node; 0: not known
    double host_memory_gib = 0;    // of a node; 0: not known
    double host_watts = 0;         // of a node but its GPUs, at full load; 0: not known
    double node_usd_per_hour = 0;  // 0: not known
    bool switch_sums = true;       // the node's switches can add up, where the generation's can (NVLink SHARP)
    Nccl network;                  // what collectives and messages reach of these

    // A job of so many GPUs lies evenly on the fewest nodes that hold it, where that comes out even: 256 on nodes of 72
    // are 64 on each of four. Changes gpus_per_node, and the network with it.
    void place(int gpus);
    // The network's rates follow from the links' and the efficiency: call it after changing any of them.
    void derive_network();
};

}  // namespace sim::training
