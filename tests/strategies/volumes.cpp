#include "tests/strategies/volumes.hpp"

#include <algorithm>

namespace sim::test {

namespace {

using scenarios::Options;

// S: a micro-batch's whole activation at a layer boundary.
double activation(const Options& o) {
    return o.activation_units * o.items / (o.mesh.dp * o.mesh.ep * o.micro_batches);
}

std::int64_t layers_and_micro_batches(const Options& o) {
    return std::int64_t{o.shape.layers} / o.mesh.pp * o.micro_batches;
}

// Stages that hold each part of the model; with two, a rank has the chunks of both directions.
int copies(const Options& o) {
    return o.schedule->both_ways ? 2 : 1;
}

// Eight half all-reduces, and once per step an all-reduce without size, which costs only its messages.
Volume tensor(const Options& o) {
    const int tp = o.mesh.tp;
    const double part = activation(o) / o.mesh.cp / tp;
    const bool sums_small_weights = tp > 1 && (o.sequence_parallel || o.shape.experts > 0);
    return messages(layers_and_micro_batches(o) * 8 * (tp - 1), part) +
           messages(sums_small_weights ? std::int64_t{o.chunks} * copies(o) * 2 * (tp - 1) : 0, 0);
}

Volume pipeline(const Options& o, int stage) {
    if (o.mesh.pp == 1) {
        return {};
    }
    const bool first = stage == 0;
    const bool last = stage == o.mesh.pp - 1;
    const int boundaries = 2 * o.chunks - (first ? 1 : 0) - (last ? 1 : 0);
    const double part = activation(o) / o.mesh.cp / (o.sequence_parallel ? o.mesh.tp : 1);
    return messages(std::int64_t{o.micro_batches} * boundaries, part);
}

Volume context(const Options& o) {
    const int cp = o.mesh.cp;
    return cp == 1 ? Volume{}
                   : messages(layers_and_micro_batches(o) * (3 * cp - 2), 2 * activation(o) / (cp * o.mesh.tp));
}

Volume experts(const Options& o) {
    const int ep = o.mesh.ep;
    return messages(layers_and_micro_batches(o) * 4 * (ep - 1), o.shape.top_k * activation(o) / o.mesh.cp / ep);
}

// Gradients of `size_of_stage` in a stage's layers. In both directions, a rank has those of two stages, and twice the
// replicas.
Volume gradients(const Options& o, int mesh_replicas, double size_of_stage) {
    const int replicas = mesh_replicas * copies(o);
    const double size = size_of_stage * copies(o);
    const std::int64_t others = replicas - 1;
    const std::int64_t of_stage = o.shape.layers / o.mesh.pp;
    const std::int64_t layers = of_stage * copies(o);
    const std::int64_t buckets =
        std::int64_t{o.chunks} * copies(o) * std::min<std::int64_t>(o.buckets, of_stage / o.chunks);
    const int micro_batches = o.micro_batches / copies(o);
    const std::int64_t passes = o.zero == 3 ? 3 * micro_batches : o.zero == 2 ? micro_batches + 1 : 2;
    if (others == 0) {
        return {};
    }
    if (o.zero > 0) {
        return {static_cast<double>(passes * others) * (size / replicas), passes * others * layers};
    }
    if (o.synchronize == Algorithm::direct) {
        return {static_cast<double>(others) * size, others * buckets};
    }
    return {static_cast<double>(2 * others) * (size / replicas), 2 * others * buckets};
}

}  // namespace

Volume volume_of(const Options& o, int stage) {
    const double mine = o.gradient_units / (o.mesh.pp * o.mesh.tp);
    const double of_experts = o.shape.experts > 0 ? mine / 2 / o.mesh.ep : 0;
    const double of_all = o.shape.experts > 0 ? mine / 2 : mine;
    const Volume replicas = gradients(o, o.mesh.dp * o.mesh.ep * o.mesh.cp, of_all) +
                            (o.shape.experts > 0 ? gradients(o, o.mesh.dp * o.mesh.cp, of_experts) : Volume{});
    return tensor(o) + pipeline(o, stage) + context(o) + experts(o) + replicas;
}

}  // namespace sim::test
