// DualPipe runs micro-batches through the pipeline from both ends: each stage holds the parts of both directions, and a
// forward pass of one runs beside a backward pass of the other, so that each hides the communication of the other.
//
// Stage i holds parts i and p - 1 - i of the model, twice the parameters. Half of the micro-batches enter at stage 0,
// the others at stage p - 1; what stage i does, stage p - 1 - i does for the other half at the same time.
// Requires p even, m even and at least 2 p. Every stage keeps p + 1 activations, with F = B of the input:
// on a network that costs nothing m (F + B) + (p / 2 - 1)(F&B + B - 3 W), where B is the whole backward pass and F&B a
// pair of passes side by side; with B = 2 F = 2 W and pairs that hide nothing, m 3 F + (p - 2) F.
// Source: DeepSeek-AI, DeepSeek-V3 Technical Report 2024, section 3.2.1; the order is that of its published DualPipe.
#pragma once

#include "libsim/namespaces.hpp"
#include "libsim/parallel/pipeline/facts.hpp"
#include "libsim/parallel/pipeline/schedule.hpp"

namespace sim::parallel {

std::vector<PipelineStep> dualpipe(const PipelineShape& shape, int stage);
// Throws ProgramError unless stages and micro-batches are even, and micro-batches at least twice the stages.
void check_dualpipe(const PipelineShape& shape);
bool fits_dualpipe(const PipelineShape& shape);
PipelineBubble dualpipe_bubble(const PipelineShape& shape);
PipelineInFlight dualpipe_in_flight(const PipelineShape& shape, int stage);
Duration dualpipe_passes(const PipelineShape& shape, int stage, const StagePasses& passes);

}  // namespace sim::parallel
