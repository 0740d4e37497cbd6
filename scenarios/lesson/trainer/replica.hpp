// A Replica keeps the weights that a rank shares with its replicas (ranks that differ in dp, ep or cp alone) in step:
// how their gradients are summed, who updates them, and who has them when.
//
// Two packs: what all replicas share, and this rank's experts, which only ranks with the same experts share. Each
// is kept in step by buckets (all-reduce, then every rank updates everything) or by ZeRO (every rank updates its part).
#pragma once

#include "libsim/parallel/gradient_buckets.hpp"
#include "libsim/parallel/zero.hpp"
#include "scenarios/lesson/optimizer.hpp"
#include "scenarios/lesson/trainer/state.hpp"
#include "scenarios/options/options.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace sim::lesson {

// A pack: weights from several places of a stage's flat array, layer after layer.
struct Pack {
    std::vector<std::size_t> places;     // in the stage's array
    std::vector<sim::Segment> segments;  // of the pack: one for each layer
    std::vector<std::size_t> partial;    // in the pack: gradients that are sums over tensor parts as well, ascending
};

struct ReplicaGroups {
    Group replicas;
    Group tensor;
};

class Replica {
public:
    // `weights` are the stage's, whole and equal on all replicas; they stay where they are.
    Replica(GPU& gpu, const scenarios::Options& options, Pack layout, const ReplicaGroups& groups, Stream stream,
            std::span<double> weights);
    Replica(const Replica&) = delete;  // ZeRO works on its arrays where they are
    Replica& operator=(const Replica&) = delete;

    // ZeRO 3 has a layer's weights in the stage's array only between these two.
    void before_use(std::size_t layer, sim::Pass pass);
    void after_use(std::size_t layer);

    // A micro-batch's gradient of the layer is complete in the stage's `gradient`, and is taken from there.
    void layer_done(std::size_t layer, std::span<double> gradient, bool last_micro_batch);
    // Adds up over the replicas what there is; what comes later is added to it. Not with ZeRO.
    void accumulate();
    // Adds up over the replicas, steps the weights by the mean over `items`, and puts them into the stage's array.
    void update(int items);

    // What is to be kept between steps; the places are those in the stage's array. And going on from there, where that
    // has the same places.
    PackState state() const;
    void restore(const PackState& state);

    // Places in the stage's array whose weights are here between steps.
    std::vector<std::size_t> held_places() const;

private:
    void count_memory(int optimizer_states);
    void start_full_bucket(const sim::Segment& segment);
    void update_own_part(int items);
    void sum_over_tensor(std::span<double> gradient, std::span<const std::size_t> places);
    void copy_out(std::size_t begin, std::size_t end);

    GPU* gpu_;
    Pack layout_;
    Group tensor_;
    std::span<double> stage_weights_;
    std::vector<double> weights_;
    std::vector<double> gradient_;  // since it was last added up
    std::vector<double> sum_;       // over the replicas
    std::vector<bool> ready_;       // by layer
    int zero_stage_;
    std::optional<GradientBuckets> buckets_;
    std::optional<Zero> zero_;
    std::optional<lesson::UpdateRule> optimizer_;
};

}  // namespace sim::lesson
