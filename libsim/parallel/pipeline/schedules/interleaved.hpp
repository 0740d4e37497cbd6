// Interleaved 1F1B gives a stage v chunks of the model, spread over its depth, so that a micro-batch visits each stage
// v times and the pipeline fills in a v-th of the time.
//
// Micro-batches go through a chunk in groups of p where p divides m. Otherwise groups are the smallest that leave no
// rest, or a rest of p at least: a shorter one would make stages wait. m is p at least. On a network that costs nothing
// m (F + B) + (p - 1)(F + B) / v, with F and B of all chunks of a stage; v times as many messages.
// Stage i runs ahead by 2 (p - i - 1) + (v - 1) g chunks, of m v, in groups of g; it keeps one more. With one chunk it
// is 1F1B. Source: Narayanan et al., Megatron-LM, SC 2021; the order is that of its
// forward_backward_pipelining_with_interleaving, and the groups those of Megatron-Core's
// --microbatch-group-size-per-virtual-pipeline-stage.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/parallel/pipeline/facts.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

namespace sim::parallel {

std::vector<PipelineStep> interleaved(const PipelineShape& shape, int stage);
// Micro-batches that go through a chunk one after the other; the last group may have fewer.
int interleaved_group(const PipelineShape& shape);
// Throws ProgramError where there are fewer micro-batches than stages.
void check_interleaved(const PipelineShape& shape);
bool fits_interleaved(const PipelineShape& shape);
PipelineBubble interleaved_bubble(const PipelineShape& shape);
PipelineInFlight interleaved_in_flight(const PipelineShape& shape, int stage);
Duration interleaved_passes(const PipelineShape& shape, int stage, const StagePasses& passes);
// Counts how many of the first `count` forward passes of a stage go through the chunk that takes its micro-batches
// `place`-th. Forward passes take the chunks in order, backward passes in the opposite order.
int interleaved_visits(const PipelineShape& shape, int count, int place);

}  // namespace sim::parallel
