// A step plan is a training step in numbers: what every stage computes, sends and reduces. It is a pure function of
// model, machine and layout.
#pragma once

#include "libsim/parallel/pipeline/schedule.hpp"
#include "libsim/trace/time_category.hpp"
#include "libsim/training/block_time.hpp"
#include "libsim/training/layout.hpp"
#include "libsim/training/machine.hpp"
#include "libsim/training/transformer.hpp"

#include <vector>

namespace sim::training {

// Parameters whose gradients travel together, or that are gathered together.
struct GradientBucket {
    int first_layer = 0;
    int layers = 0;
    bool with_embedding = false;         // before the first layer of it
    int predictions = 0;                 // layers of multi-token prediction after the last one, with their embedding
    bool with_output = false;            // after all of them: the model's, and one for each prediction
    std::int64_t dense_parameters = 0;   // on this rank, before zero spreads them
    std::int64_t expert_parameters = 0;  // the same
    std::int64_t dense_in_bf16 = 0;      // of these, not quantised: tables, and layers left in bf16
    std::int64_t experts_in_bf16 = 0;
    TimeParts forward;  // of one micro-batch
    TimeParts backward_input;
    TimeParts backward_weight;
    TimeParts paired_forward;  // of passes in a pair, where the schedule has some
    TimeParts paired_backward;
    TimeParts output_weight;  // of backward_weight, what a framework may put off: that of the output layer

    TimeParts backward() const;
};

// One chunk of the model on a stage, in the order of its layers.
struct ChunkPlan {
    std::vector<GradientBucket> buckets;
    GradientBucket whole;  // their sum
};

struct StagePlan {
    int first_alike = 0;  // the first of the stages that do the same, up to this one; both ways stages - 1 - i is as i
    std::vector<ChunkPlan> chunks;
    TimeParts optimizer;
    double flops = 0;            // carried out by one of its ranks in the step
    double recompute_flops = 0;  // of them
    std::int64_t parameters() const;
};

struct StepPlan {
    Transformer model;
    Machine machine;
    Layout layout;
    PipelineShape shape;
    std::vector<StagePlan> stages;
    std::int64_t boundary_bytes = 0;   // of one message between stages, per rank
    std::int64_t embedding_bytes = 0;  // of the tied embedding's gradient, per rank; 0: nothing to reduce
    Duration step_overhead{0};
    Duration micro_batch_overhead{0};
    double copied_rate = 0;      // bytes/s of kernels that read and write
    double part_copy = 0;        // seconds of the host, to launch the copy of a rank's part of a list
    double added_bytes = 0;      // read and written per parameter and micro-batch to add its gradients to the sum
    double gradient_bytes = 4;   // per parameter, as they travel
    double parameter_bytes = 2;  // the same, of what is quantised
    double element_bytes = 2;    // the same, of what is not
    bool synchronises = true;    // the gradient norm is known before the update (zero-bubble schedules do without)
    int steps = 1;               // how many the program does: schedules that do not synchronise overlap the steps
};

// The groups that the collectives inside a block run over.
BlockGroups block_groups(const Layout& layout, const Machine& machine);

// Requires: check_layout() accepted the layout. Cost: some 10 us.
StepPlan plan_step(const Transformer& model, const Machine& machine, const Layout& layout);

}  // namespace sim::training
