// The parallelism of a layout says how the work of a training step is spread over ranks.
//
// Ranks are numbered as Megatron-LM does: tensor parallel fastest, then context, data, pipeline. Expert parallel groups
// are taken out of data x context x tensor: ep * expert_tp divides dp * cp * tp.
// Sources: Shoeybi et al. 2019 (tp), Narayanan et al. 2021 (pp, interleave), Rajbhandari et al. 2020 (zero),
// Korthikanti et al. 2022 (sequence_parallel), Liu et al. 2023 (cp), Lepikhin et al. 2020 (ep).
#pragma once

#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/training/layer_split.hpp"

namespace sim::training {

struct Parallelism {
    int dp = 1;         // data: replicas of the model, each with its share of the batch
    int tp = 1;         // tensor: every matrix product is spread over these ranks
    int pp = 1;         // pipeline: stages, each with its share of the layers
    int cp = 1;         // context: each rank has its share of every sequence
    int ep = 1;         // expert: each rank has its share of the experts
    int expert_tp = 1;  // tensor parallel within an expert

    KnownSchedule schedule;  // of the pipeline
    int interleave = 1;      // chunks of the model per stage
    LayerSplit split;        // of the layers over all chunks

    // 1: optimizer states, 2: gradients too, 3: parameters too are spread over dp x cp (ZeRO; 3 is FSDP full shard).
    int zero = 0;
    bool sequence_parallel = false;  // activations between tensor-parallel regions are spread over tp

    friend bool operator==(const Parallelism&, const Parallelism&) = default;
};

}  // namespace sim::training
