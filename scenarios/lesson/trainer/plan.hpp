// A plan gives a rank's place in a run's mesh, and so its layers, heads, experts, positions and items.
//
// Axes: dp and ep share out the items, pp the layers, tp the heads and the width of each layer, cp the positions, ep
// the experts as well. Ranks that differ in dp, ep or cp alone have the same weights, but for the experts.
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
    PipelineShape pipeline;                     // pp stages; micro-batches and chunks of each
    int stage = 0;                              // which of them this rank is
    std::vector<lesson::PartPlacement> chunks;  // what this rank has of the model
    std::vector<sim::Share> micro_batches;      // the items it works on, in each step
    int most_micro_batches = 0;                 // of any rank
    Group along(std::initializer_list<std::string_view> axes) const { return mesh.along(rank, axes); }
    // The ranks along these axes that have the same chunks: where micro-batches come both ways, those of two stages.
    Group replicas(std::initializer_list<std::string_view> axes) const;
    // Those of this rank's micro-batches that go through each of its chunks.
    std::size_t micro_batches_of_chunk() const { return micro_batches.size() / (pipeline.both_ways ? 2 : 1); }
};

sim::Mesh mesh_of(const scenarios::Options& options);
RankPlan plan_of(const scenarios::Options& options, int rank);

// Throws UsageError, with what would fit, where the model or the items cannot be split as the options ask, and
// DeadlockError where stages that wait for each other's sends would wait for ever.
void check_plan(const scenarios::Options& options);

// The schedule of each stage, as text.
std::string schedule_text(const scenarios::Options& options);

}  // namespace sim::lesson
