#include "libsim/training/memory/outside_layers.hpp"

#include "libsim/training/memory.hpp"

#include <algorithm>

namespace sim::training {

namespace {

constexpr double MiB = 1024.0 * 1024;

// Bytes per logit: kept from the loss to its backward pass, and additional temporary bytes.
struct LogitBytes {
    double kept = 0;
    double moment = 0;
};

LogitBytes logit_bytes(const Layout& layout) {
    const double e = element_bytes(layout);
    switch (loss_of(layout)) {
        case Loss::fused: return {.kept = e, .moment = 0};
        // The softmax overwrites an fp32 copy; the logits and their gradient are temporary.
        case Loss::parallel: return {.kept = 4, .moment = 2 * e};
        // The result is kept; the backward pass also has the gradients before and after log_softmax in fp32, and the
        // logits' own.
        case Loss::torch: break;
    }
    return {.kept = 4, .moment = 4 + 4 + e};
}

bool is_deepspeed_spread(const Layout& layout) {
    return layout.framework.loop == TrainingLoop::deepspeed && layout.parallelism.zero >= 1;
}

}  // namespace

double embedding_mask_bytes(const Transformer& model, const Layout& layout) {
    return tokens_of(model, layout) * model.hidden / spread_between(layout);
}

double per_layer_bytes(const Transformer& model, const Layout& layout) {
    const double width = double{1} * model.layers * model.per_layer->width;
    return element_bytes(layout) * tokens_of(model, layout) * width / spread_between(layout);
}

double encoded_bytes(const Transformer& model, const Layout& layout) {
    return element_bytes(layout) * layout.batch.micro * model.encoder->sequence * model.hidden / spread_between(layout);
}

void add_logits(const Transformer& model, const Layout& layout, double embedding, ChunkBytes& chunk) {
    const double e = element_bytes(layout);
    const double tokens = tokens_of(model, layout);
    const double logits = output_rows_of(model, layout) * model.vocabulary / layout.parallelism.tp;
    const LogitBytes each = logit_bytes(layout);
    const double weight_gradient = is_fully_sharded(layout) ? 0 : e * embedding;  // FSDP: see gathered_bytes()
    chunk.outside += each.kept * logits * (1 + model.mtp_layers);
    chunk.forward = std::max(chunk.forward, each.moment * logits);
    chunk.backward = std::max(chunk.backward, each.moment * logits + weight_gradient + e * tokens * model.hidden);
}

double deferred_bytes(const Transformer& model, const Layout& layout) {
    const double logits = double{1} * model.vocabulary / layout.parallelism.tp;
    const double values = logits + model.hidden / spread_between(layout);
    return element_bytes(layout) * tokens_of(model, layout) * values * (1 + model.mtp_layers);
}

double loss_bytes_per_logit(const Layout& layout) {
    const LogitBytes each = logit_bytes(layout);
    return each.kept + each.moment;
}

double gathered_bytes(const Layout& layout, const Gathered& bytes) {
    // Two layers at a time: the one that computes, and the next, gathered beside it.
    const double layers =
        layout.framework.reshard_after_forward ? std::min(2 * bytes.layer, bytes.layers) : bytes.layers;
    return layers + bytes.tables + bytes.table_gradient;
}

double step_bytes(const Layout& layout, const Spread& spread) {
    if (layout.framework.offload_optimizer || layout.numerics.precision == Precision::fp32 ||
        layout.numerics.fp32_gradients || layout.framework.loop != TrainingLoop::megatron ||
        layout.parallelism.zero == 3) {
        return 0;
    }
    return 4 * spread.parameters / (layout.parallelism.zero >= 1 ? layout.shards() : 1);  // gradients copied to fp32
}

double buffer_bytes(const Transformer& model, const Layout& layout, const Spread& spread) {
    const double e = element_bytes(layout);
    // cuBLAS: 32 MiB for each of Transformer Engine's streams and its own; chosen on measured runs.
    double sum = 160 * MiB;
    if (layout.parallelism.pp > 1) {  // one message from each neighbour
        sum += 2 * e * tokens_between_stages(model, layout) * model.hidden / spread_between(layout);
    }
    if (layout.framework.loop == TrainingLoop::deepspeed && layout.replicas() > 1) {
        // Buckets of 5e8 values for gradients and for parameters (reduce_bucket_size, allgather_bucket_size).
        sum += (layout.parallelism.zero >= 1 ? 2 : 1) * e * 5e8;
    }
    if (layout.framework.loop == TrainingLoop::deepspeed && !layout.framework.offload_optimizer) {
        // The step flattens its shard's gradients, copies them to fp32, and takes each one's norm in fp64. The
        // allocator finds no room for these between activations of another size.
        const double part = spread.parameters / (is_deepspeed_spread(layout) ? layout.shards() : 1);
        sum += (4 + e) * part + 8 * std::min(spread.table, part);
    }
    return sum;
}

// CUDA's context and the buffers of NCCL communicators; chosen on measured runs of the whole process.
double context_bytes(const Layout& layout) {
    int groups = (layout.parallelism.tp > 1 ? 1 : 0) + (layout.replicas() > 1 ? 1 : 0) +
                 (layout.parallelism.pp > 1 ? 1 : 0) + (layout.parallelism.ep > 1 ? 1 : 0);
    groups += layout.shards() > 1 && layout.shard_copies() > 1 ? 1 : 0;
    if (layout.framework.loop == TrainingLoop::deepspeed && groups > 0) {
        groups += 2;  // all ranks, and the model-parallel ranks of a replica
    }
    return (512.0 + 300.0 * groups) * MiB;
}

}  // namespace sim::training
