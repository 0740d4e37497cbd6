// The parallelism of a layout says how the work of a training step is spread over ranks.
//
// Ranks are numbered as in Megatron-LM: tensor parallel fastest, then context, data, pipeline. Expert-parallel groups
// are taken out of data x context x tensor: ep * expert_tp divides dp * cp * tp.
// Sources: Shoeybi et al. 2019 (tp), Narayanan et al. 2021 (pp, interleave), Rajbhandari et al. 2020 (zero),
// Korthikanti et al. 2022 (sequence_parallel), Liu et al. 2023 (cp), Lepikhin et al. 2020 (ep), Zhang et al. 2022
// (shard: MiCS, arXiv 2205.00119).
#pragma once

#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/training/layer_split.hpp"

namespace sim::training {

struct Parallelism {
    int dp = 1;         // data-parallel size: replicas of the model, each with its share of the batch
    int tp = 1;         // tensor-parallel size: every GEMM is sharded over these ranks
    int pp = 1;         // pipeline-parallel size: stages, each with its share of the layers
    int cp = 1;         // context-parallel size: each rank has its share of every sequence
    int ep = 1;         // expert-parallel size: each rank has its share of the experts
    int expert_tp = 1;  // tensor-parallel size within an expert

    KnownSchedule schedule;  // pipeline schedule
    int interleave = 1;      // chunks of the model per stage
    LayerSplit split;        // of the layers into chunks

    // ZeRO stage: 1 shards optimizer states over dp x cp, 2 also gradients, 3 also parameters (FSDP full shard).
    int zero = 0;
    // The number of adjacent ranks of dp x cp that ZeRO shards over; further ranks hold copies of the shards (HSDP,
    // MiCS). 0: all of dp x cp.
    int shard = 0;
    bool sequence_parallel = false;  // activations between tensor-parallel regions are sharded over tp

    friend bool operator==(const Parallelism&, const Parallelism&) = default;
};

}  // namespace sim::training
