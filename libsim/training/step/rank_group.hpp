// A rank group names the ranks that communicate with each other in a training step.
//
// Ranks are numbered as Megatron-LM does: tensor parallel fastest, then context, data, pipeline; experts take their
// groups out of data x context x tensor.
#pragma once

#include "libsim/network/nccl.hpp"
#include "libsim/trace/time_category.hpp"
#include "libsim/training/layout.hpp"

#include <cstdint>

namespace sim::training {

enum class RankGroup : std::uint8_t {
    tensor,
    context,
    expert,           // over which experts are spread
    expert_tensor,    // over which one expert is spread
    replicas,         // the ranks that hold the same parameters of dense layers: data x context parallel
    expert_replicas,  // the ranks that hold the same experts
    ends,             // the same place on the first and on the last stage, which share tied embeddings
    everyone,
};

// The number of ranks in such a group of a layout. Only members of two or more communicate.
int members_of(RankGroup group, const Layout& layout);
// The nodes that a group spans, as NCCL's tuner needs them. Groups may begin inside a node: 6 ranks side by side on
// nodes of 8 lie on one node, or on two. Of the collectives inside passes this is the group on the most nodes, for
// which all others wait in the end; of all others, which a step simulates for the ranks that they are, the one on the
// fewest, as a lower bound. Cost: constant where groups line up with nodes, quadratic in a node's GPUs at most.
Footprint footprint_of(RankGroup group, const Layout& layout, int gpus_per_node);
// The category of the time in which a rank waits for this group's communication.
TimeCategory category_of(RankGroup group);

}  // namespace sim::training
