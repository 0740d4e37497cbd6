// A layout says how a training step is spread over GPUs and which trade-offs it makes: five parts, each a value with a
// header of its own. check_layout.hpp decides whether a layout is legal.
#pragma once

#include "libsim/training/adapters.hpp"
#include "libsim/training/batch.hpp"
#include "libsim/training/framework.hpp"
#include "libsim/training/numerics.hpp"
#include "libsim/training/parallelism.hpp"

#include <algorithm>

namespace sim::training {

struct Layout {
    Parallelism parallelism;
    Batch batch;
    Numerics numerics;
    Framework framework;
    Adapters adapters;

    int ranks() const { return parallelism.dp * parallelism.tp * parallelism.pp * parallelism.cp; }
    // Per pipeline. Requires: check_layout() accepted it.
    int micro_batches() const { return batch.global / (parallelism.dp * batch.micro); }
    PipelineShape pipeline_shape() const {
        return parallelism.schedule->shape(parallelism.pp, micro_batches(), parallelism.interleave);
    }
    // The chunks of the model that a stage holds, and the number of stages that hold each chunk.
    int chunks_of_stage() const { return parallelism.interleave * copies(); }
    int copies() const { return parallelism.schedule->both_ways ? 2 : 1; }
    // The number of ranks over which parameters of dense layers and of experts are replicated, or sharded by zero.
    int replicas() const { return parallelism.dp * parallelism.cp * copies(); }
    int expert_replicas() const { return replicas() * parallelism.tp / (parallelism.ep * parallelism.expert_tp); }
    // The number of those ranks that zero shards over, and the number of copies of each shard.
    int shards() const { return parallelism.shard > 0 ? parallelism.shard : replicas(); }
    int shard_copies() const { return replicas() / shards(); }
    int expert_shards() const { return expert_replicas() / shard_copies(); }

    // The adjacent context-parallel ranks that exchange heads, and the number of such groups, between which keys and
    // values are exchanged.
    int head_ranks() const {
        return framework.context_exchange == ContextExchange::a2a       ? parallelism.cp
               : framework.context_exchange == ContextExchange::a2a_p2p ? std::max(1, framework.ulysses)
                                                                        : 1;
    }
    int ring_ranks() const { return parallelism.cp / head_ranks(); }

    // Whether a rank has room only for its shard of the gradient sum, so that every micro-batch must be reduced at
    // once. Without stages that is ZeRO 2. With stages, frameworks keep whole sums under ZeRO 2, too, and reduce them
    // once for each chunk, after its last micro-batch (MegaScale, section 3.2: arXiv 2402.15627).
    bool spreads_gradient_sums() const {
        const bool each = parallelism.pp == 1 || framework.reduce_each_micro_batch;
        return parallelism.zero == 3 || (parallelism.zero == 2 && each);
    }

    friend bool operator==(const Layout&, const Layout&) = default;
};

// framework.loss if it is set; otherwise PyTorch's with zero = 3, and Megatron-LM's without.
Loss loss_of(const Layout& layout);
// The loss that comes with framework.loop.
Loss loss_of_framework(const Layout& layout);

}  // namespace sim::training
