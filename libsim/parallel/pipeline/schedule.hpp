// A pipeline schedule lists for each stage which micro-batch goes forward or backward when. It is a pure function.
//
// A stage holds `chunks` pieces of the model. Chunk c of stage s is virtual stage c * stages + s: micro-batches go
// forward through the virtual stages 0, 1, … and backward through them in the opposite order. A schedule says only in
// which order a stage does its own steps; when they run follows from what they wait for.
#pragma once

#include "libsim/namespaces.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sim::parallel {

// A schedule that splits backward does backward_input (which the stage before waits for), and some time later
// backward_weight (which no other stage waits for), in place of backward.
enum class PipelineWork : std::uint8_t { forward, backward, backward_input, backward_weight };

struct PipelineStep {
    PipelineWork work = PipelineWork::forward;
    int micro_batch = 0;
    int chunk = 0;
    friend bool operator==(const PipelineStep&, const PipelineStep&) = default;
};

struct PipelineShape {
    int stages = 1;
    int micro_batches = 1;
    int chunks = 1;  // of each stage
    friend bool operator==(const PipelineShape&, const PipelineShape&) = default;
};

// The steps of one stage, in order. May throw ProgramError for a shape that does not fit.
using PipelineSchedule = std::vector<PipelineStep> (*)(const PipelineShape& shape, int stage);

// The steps of every stage: [stage][number].
using PipelineSteps = std::vector<std::vector<PipelineStep>>;
// Throws ProgramError unless every count of `shape` is 1 or more.
PipelineSteps steps_of_all(const PipelineShape& shape, PipelineSchedule schedule);

// A hop is what one virtual stage sends to the next one (forward) or to the one before (backward), for one micro-batch.
struct PipelineHop {
    bool backward = false;
    int micro_batch = 0;
    int into = 0;  // the virtual stage that takes it
    friend bool operator==(const PipelineHop&, const PipelineHop&) = default;
};
int stage_of(const PipelineShape& shape, const PipelineHop& hop);
// The hop that a step waits for, and the hop that it sends. Empty at the ends of the pipeline, and for backward_weight.
std::optional<PipelineHop> input_of(const PipelineShape& shape, int stage, const PipelineStep& step);
std::optional<PipelineHop> output_of(const PipelineShape& shape, int stage, const PipelineStep& step);
// A number for each hop, the same for all stages: 0 … hop_count(shape) - 1.
std::size_t hop_number(const PipelineShape& shape, const PipelineHop& hop);
std::size_t hop_count(const PipelineShape& shape);

const char* name_of(PipelineWork work);
// "forward of micro-batch 3"; with several chunks "forward of micro-batch 3, chunk 1".
std::string describe(const PipelineShape& shape, const PipelineStep& step);

}  // namespace sim::parallel
