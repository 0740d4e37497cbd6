// A plan gives a rank's place in a run's mesh, and thus its layers, heads, experts, positions and items.
//
// Axes: dp and ep split the items, pp the layers, tp the heads and the width of each layer, cp the positions, ep also
// the experts. Ranks that differ only in dp, ep or cp have the same weights, except for the experts.
#pragma once

#include "libsim/parallel/mesh.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"
#include "libsim/parallel/shares.hpp"
#include "scenarios/lesson/transformer/shape.hpp"
#include "scenarios/options/options.hpp"

#include <string>
#include <vector>

namespace sim::lesson {

struct RankPlan {
    int rank = 0;
    sim::Mesh mesh;
    PipelineShape pipeline;                 // pp stages; micro-batches and chunks of each
    int stage = 0;                          // this rank's stage
    std::vector<PartPlacement> chunks;      // this rank's parts of the model
    std::vector<sim::Share> micro_batches;  // the items it works on, in each step
    int most_micro_batches = 0;             // the maximum over all ranks
    Group along(std::initializer_list<std::string_view> axes) const { return mesh.along(rank, axes); }
    // The ranks along these axes that have the same chunks: if micro-batches come both ways, the ranks of two stages.
    Group replicas(std::initializer_list<std::string_view> axes) const;
    // The number of this rank's micro-batches that go through each of its chunks.
    std::size_t micro_batches_of_chunk() const { return micro_batches.size() / (pipeline.both_ways ? 2 : 1); }
};

sim::Mesh mesh_of(const scenarios::Options& options);
RankPlan plan_of(const scenarios::Options& options, int rank);

// Throws UsageError, naming what would fit, if the model or the items cannot be split as the options ask, and
// DeadlockError if stages would wait forever for each other's sends.
void check_plan(const scenarios::Options& options);

// The schedule of each stage, as text.
std::string schedule_text(const scenarios::Options& options);

}  // namespace sim::lesson
