// A rank group names ranks that communicate with each other in a training step.
//
// Ranks are numbered as in Megatron-LM: tensor parallel fastest, then context, data, pipeline; expert groups are taken
// out of data x context x tensor.
#pragma once

#include "libsim/network/nccl.hpp"
#include "libsim/trace/time_category.hpp"
#include "libsim/training/layout.hpp"

#include <cstdint>

namespace sim::training {

enum class RankGroup : std::uint8_t {
    tensor,
    heads,            // adjacent ranks of context parallelism that exchange heads
    context,          // ranks of context parallelism that exchange keys and values: all, or one of each `heads` group
    expert,           // the ranks that experts are spread over
    expert_tensor,    // the ranks that one expert is spread over
    replicas,         // ranks with the same dense parameters: data x context parallel
    expert_replicas,  // ranks with the same experts
    shards,           // of replicas: adjacent ones, which zero shards over
    shard_copies,     // of replicas: those with the same shard
    expert_shards,    // the same of expert_replicas
    expert_shard_copies,
    ends,  // corresponding ranks of the first and the last stage, which share tied embeddings
    everyone,
};

// The number of ranks in such a group of a layout. A group of one does not communicate.
int members_of(RankGroup group, const Layout& layout);
// The nodes that a group spans, as NCCL's tuner needs them. Groups may start inside a node: 6 adjacent ranks on nodes
// of 8 are on one node, or on two. For collectives inside passes this is the group on the most nodes, which all others
// eventually wait for; for all others, which a step simulates with their actual ranks, the group on the fewest, as a
// lower bound. Cost: constant if groups line up with nodes, otherwise at most quadratic in a node's GPUs.
Footprint footprint_of(RankGroup group, const Layout& layout, int gpus_per_node);
// The category of the time that a rank waits for this group's communication.
TimeCategory category_of(RankGroup group);

}  // namespace sim::training
