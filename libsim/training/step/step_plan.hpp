// A step plan is a training step in numbers: what every stage computes, sends and reduces. It is a pure function of
// model, machine and layout.
#pragma once

#include "libsim/parallel/pipeline/schedule.hpp"
#include "libsim/trace/time_category.hpp"
#include "libsim/training/block_time.hpp"
#include "libsim/training/layout.hpp"
#include "libsim/training/machine.hpp"
#include "libsim/training/step/update.hpp"
#include "libsim/training/transformer.hpp"

#include <vector>

namespace sim::training {

// Parameters that are gathered together, or whose gradients are reduced together.
struct GradientBucket {
    int first_layer = 0;
    int layers = 0;
    bool with_embedding = false;         // before its first layer
    int predictions = 0;                 // layers of multi-token prediction after the last layer, with their embedding
    bool with_output = false;            // after all of them: the model's output, and one for each prediction
    std::int64_t dense_parameters = 0;   // that are trained, on this rank, before sharding by zero
    std::int64_t expert_parameters = 0;  // the same
    std::int64_t dense_in_bf16 = 0;      // of these, not quantised: tables, and layers left in bf16
    std::int64_t experts_in_bf16 = 0;
    FrozenAndGathered beside;
    TimeParts forward;  // of one micro-batch
    TimeParts backward_input;
    TimeParts backward_weight;
    TimeParts paired_forward;  // of paired passes, if the schedule has any
    TimeParts paired_backward;
    TimeParts output_weight;  // the part of backward_weight that a framework may defer: the output layer's

    TimeParts backward() const;
};

// One chunk of the model on a stage, in layer order.
struct ChunkPlan {
    std::vector<GradientBucket> buckets;
    GradientBucket whole;  // their sum
};

// The outer step of DiLoCo, on one rank (Douillard et al. 2023, arXiv 2311.08105). Zero without one.
struct OuterStep {
    double dense_bytes = 0;   // of this rank's deltas of parameters, which are all-reduced between workers
    double expert_bytes = 0;  // the same of experts
    Duration reduction{0};    // a step's share
    Duration update{0};

    Duration total() const { return reduction + update; }
};

struct StagePlan {
    int first_alike = 0;  // the first stage with the same work as this one; bidirectional: stages - 1 - i equals i
    std::vector<ChunkPlan> chunks;
    UpdateWork update;
    TimeParts optimizer;
    OuterStep outer;
    double flops = 0;            // executed by one of its ranks in the step
    double recompute_flops = 0;  // of them
    // Parameters on a rank, trained and frozen.
    std::int64_t parameters() const;
};

struct StepPlan {
    Transformer model;
    Machine machine;
    Layout layout;
    PipelineShape shape;
    std::vector<StagePlan> stages;
    std::int64_t boundary_bytes = 0;   // of one message between stages, per rank
    std::int64_t embedding_bytes = 0;  // of the tied embedding's gradient, per rank; 0: no reduction
    Duration step_overhead{0};
    Duration micro_batch_overhead{0};
    double copied_rate = 0;      // bytes per second of memory-bound kernels
    double part_copy = 0;        // host seconds to launch the copy of one rank's part of a list
    double added_bytes = 0;      // read and written per parameter and micro-batch to accumulate its gradients
    double gradient_bytes = 4;   // per parameter, as communicated
    double parameter_bytes = 2;  // the same for quantised parameters
    double element_bytes = 2;    // the same for unquantised ones
    bool synchronises = true;    // the gradient norm is known before the update (not so in zero-bubble schedules)
    int steps = 1;               // steps that the program runs: schedules that do not synchronise overlap them
};

// A stage's share of the outer step. Requires: framework.outer_every > 0.
OuterStep outer_step(const StepPlan& plan, const UpdateWork& work);

// Adds the parameters of the model's tower, and the update of those that are trained, to the first stage. Requires: a
// tower.
void add_tower(const StepPlan& plan, StagePlan& stage, GradientBucket& bucket);

// The groups of the collectives inside a block.
BlockGroups block_groups(const Layout& layout, const Machine& machine);

// Requires: check_layout() accepted the layout. Cost: about 10 us.
StepPlan plan_step(const Transformer& model, const Machine& machine, const Layout& layout);

}  // namespace sim::training
