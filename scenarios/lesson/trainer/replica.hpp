// A Replica keeps the weights that a rank shares with its replicas (ranks that differ only in dp, ep or cp) in step: it
// decides how their gradients are summed, who updates them, and who holds them when.
//
// There are two packs: weights that all replicas share, and this rank's experts, which only ranks with the same experts
// share. Buckets (all-reduce, then every rank updates everything) or ZeRO (every rank updates its part) keep each in
// step.
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

// A pack: weights from several places of a stage's flat array, layer by layer.
struct Pack {
    std::vector<std::size_t> places;     // in the stage's array
    std::vector<sim::Segment> segments;  // of the pack: one per layer
    std::vector<std::size_t> partial;    // in the pack: gradients that are also sums over tensor parts, ascending
};

struct ReplicaGroups {
    Group replicas;
    Group tensor;
};

class Replica {
public:
    // `weights` are the stage's, complete and equal on all replicas; the array must not move.
    Replica(GPU& gpu, const scenarios::Options& options, Pack layout, const ReplicaGroups& groups, Stream stream,
            std::span<double> weights);
    Replica(const Replica&) = delete;  // ZeRO works on its arrays in place
    Replica& operator=(const Replica&) = delete;

    // With ZeRO 3 a layer's weights are in the stage's array only between these two calls.
    void before_use(std::size_t layer, sim::Pass pass);
    void after_use(std::size_t layer);

    // A micro-batch's gradient of the layer is complete in the stage's `gradient`, and is taken from there.
    void layer_done(std::size_t layer, std::span<double> gradient, bool last_micro_batch);
    // Sums the gradients so far over the replicas; later ones are added. Not with ZeRO.
    void accumulate();
    // Sums over the replicas, updates the weights by the mean over `items`, and writes them to the stage's array. Where
    // models are averaged (options.local_steps), sums nothing: `items` are this rank's, and may be 0.
    void update(int items);
    // Averages the replicas' weights; this one's count as `share` of all.
    void average(double share);

    // The state to keep between steps, with places in the stage's array; and its restoration, if it has the same
    // places.
    PackState state() const;
    void restore(const PackState& state);

    // Places in the stage's array whose weights are held here between steps.
    std::vector<std::size_t> held_places() const;

private:
    void count_memory(int optimizer_states);
    void start_full_bucket(const sim::Segment& segment);
    void update_own_part(int items);
    void sum_over_tensor(std::span<double> gradient, std::span<const std::size_t> places);
    void copy_out(std::size_t begin, std::size_t end);

    GPU* gpu_;
    Pack layout_;
    Group replicas_;
    Group tensor_;
    Algorithm algorithm_;
    std::span<double> stage_weights_;
    std::vector<double> weights_;
    std::vector<double> gradient_;  // since the last sum
    std::vector<double> sum_;       // over the replicas
    std::vector<bool> ready_;       // by layer
    int zero_stage_;
    std::optional<GradientBuckets> buckets_;
    std::optional<Zero> zero_;
    std::optional<UpdateRule> optimizer_;
};

}  // namespace sim::lesson
