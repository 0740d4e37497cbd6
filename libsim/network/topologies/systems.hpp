// These topologies are real systems, sized as one would buy them for a number of GPUs.
//
// Bandwidths are those of a link in one direction, by its specification; a protocol's share of it (NCCL's rings reach
// some 80 %) is not included. Latencies are those that NCCL's own cost model charges for a hop with its LL protocol
// (src/graph/tuning.cc, 2026-06): NVLink 0.6 us, PCIe 1.0 us, network 2.7 us. They are split over the links of the hop:
// 0.3 us each way over a node's switch; 0.7 us from GPU to card and 0.65 us from card to leaf. Each link between
// switches adds 0.25 us, an assumption: a switch and 20 m of fibre.
// NVLink and network card bandwidths: the vendors' specifications, as collected in stas00/ml-engineering (2026-08);
// PCIe 3.0, 4.0, 5.0 x16: 15.75, 31.5, 63 GB/s.
// Fewer GPUs than a node has: a part of one. Else whole nodes. All throw ProgramError with the nearest sizes that fit.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/network/topology.hpp"

namespace sim::network {

// 8 GPUs, NVSwitch with 300 GB/s per GPU, 8 cards of 200 Gb/s; rails of 40-port HDR switches. Up to 12,800 GPUs.
// Source: DGX SuperPOD reference architecture, DGX A100 (2020).
Topology dgx_a100(int gpus);
// 8 GPUs, NVSwitch with 450 GB/s per GPU, 8 cards of 400 Gb/s; rails of 64-port NDR switches, 32 nodes a unit. Up to
// 65,536 GPUs. With `oversubscription` 2, half the spines.
// Source: DGX SuperPOD reference architecture, DGX H100 (2023).
Topology dgx_h100(int gpus, int oversubscription = 1);
// As dgx_h100, with 900 GB/s per GPU. Source: DGX B200 datasheet (2024).
Topology dgx_b200(int gpus);
// 72 GPUs in one NVLink domain of 900 GB/s per GPU, a card of 400 Gb/s each; 4 rails (a tray has 4 GPUs) of 64-port NDR
// switches. Source: DGX GB200 SuperPOD reference architecture (2024).
Topology gb200_nvl72(int gpus);
// 8 A100 with 300 GB/s per GPU over NVSwitch and 4 cards of 100 Gb/s, each shared by two GPUs; a fat tree of 64-port
// switches is assumed. Source: AWS EC2 P4d instances.
Topology aws_p4d(int gpus);
// 4 GPUs on PCIe 3.0 x16 under one host bridge, one card for 10 Gb/s Ethernet; leaves of 48 ports, 36 down and 12 up,
// 3 to 1. TCP through the kernel: 20 us one way, an assumption.
Topology pcie_10gbe(int gpus);

// Slices of TPUs. A hop: 1 us (Austin et al., How to Scale Your Model, 2025).
// v4 and v5p: 3D tori of cubes of 4 x 4 x 4, up to 4,096 (16 x 16 x 16) and 8,960 (16 x 20 x 28) chips; 50 and 100 GB/s
// a link. Smaller slices, of 1, 2, 4, 8, 16 or 32 chips, are not closed to rings. Source: Jouppi et al., TPU v4, ISCA
// (2023); Google Cloud TPU documentation, v4 and v5p.
Topology tpu_v4(int gpus);
Topology tpu_v5p(int gpus);
// v5e: 2D, up to 16 x 16, 50 GB/s a link; only a side of 16 is closed to a ring. 1, 4, 8, 16, 32, 64, 128 or 256 chips.
// Source: Google Cloud TPU documentation, v5e (400 GB/s both ways per chip, 4 links); Austin et al. (rings).
Topology tpu_v5e(int gpus);

}  // namespace sim::network
