// These functions are the pipeline schedules and their facts in closed form (facts.hpp). The .cpp file of each begins
// with its time, the activations that it keeps, and its source.
//
// A new schedule is a file, its declarations here and a row in table.cpp
// (docs/how-to/add-a-pipeline-schedule.md).
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/parallel/pipeline/facts.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

namespace sim::parallel {

// All micro-batches forward, then all backward.
std::vector<PipelineStep> gpipe(const PipelineShape& shape, int stage);
PipelineBubble gpipe_bubble(const PipelineShape& shape);
PipelineInFlight gpipe_in_flight(const PipelineShape& shape, int stage);
Duration gpipe_passes(const PipelineShape& shape, int stage, const StagePasses& passes);

// Alternates one forward and one backward.
std::vector<PipelineStep> one_f_one_b(const PipelineShape& shape, int stage);
PipelineBubble one_f_one_b_bubble(const PipelineShape& shape);
PipelineInFlight one_f_one_b_in_flight(const PipelineShape& shape, int stage);
Duration one_f_one_b_passes(const PipelineShape& shape, int stage, const StagePasses& passes);

// 1F1B with several chunks of the model on each stage.
std::vector<PipelineStep> interleaved(const PipelineShape& shape, int stage);
// The number of micro-batches that go through a chunk consecutively; the last group may have fewer.
int interleaved_group(const PipelineShape& shape);
// Throws ProgramError if there are fewer micro-batches than stages.
void check_interleaved(const PipelineShape& shape);
bool fits_interleaved(const PipelineShape& shape);
PipelineBubble interleaved_bubble(const PipelineShape& shape);
PipelineInFlight interleaved_in_flight(const PipelineShape& shape, int stage);
Duration interleaved_passes(const PipelineShape& shape, int stage, const StagePasses& passes);
// Counts how many of the first `count` forward passes of a stage go through its chunk number `place` in visiting order.
// Forward passes visit the chunks in order, backward passes in reverse order.
int interleaved_visits(const PipelineShape& shape, int count, int place);

// Zero bubble H1: 1F1B with a split backward pass.
std::vector<PipelineStep> zb_h1(const PipelineShape& shape, int stage);
PipelineBubble zb_h1_bubble(const PipelineShape& shape);
PipelineInFlight zb_h1_in_flight(const PipelineShape& shape, int stage);
Duration zb_h1_passes(const PipelineShape& shape, int stage, const StagePasses& passes);

// Zero bubble H2: twice as many forwards ahead.
std::vector<PipelineStep> zb_h2(const PipelineShape& shape, int stage);
// With this many micro-batches or more no stage waits.
constexpr int zb_h2_fills_from(int stages) {
    return 2 * stages - 1;
}
PipelineBubble zb_h2_bubble(const PipelineShape& shape);
PipelineInFlight zb_h2_in_flight(const PipelineShape& shape, int stage);
Duration zb_h2_passes(const PipelineShape& shape, int stage, const StagePasses& passes);

// DualPipe: micro-batches from both ends, forward passes beside backward passes.
std::vector<PipelineStep> dualpipe(const PipelineShape& shape, int stage);
// Throws ProgramError unless stages and micro-batches are even, and micro-batches at least twice the stages.
void check_dualpipe(const PipelineShape& shape);
bool fits_dualpipe(const PipelineShape& shape);
PipelineBubble dualpipe_bubble(const PipelineShape& shape);
PipelineInFlight dualpipe_in_flight(const PipelineShape& shape, int stage);
Duration dualpipe_passes(const PipelineShape& shape, int stage, const StagePasses& passes);

}  // namespace sim::parallel
