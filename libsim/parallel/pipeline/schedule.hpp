// A pipeline schedule lists, for each stage, which micro-batch goes forward or backward when. It is a pure function.
//
// A stage holds `chunks` pieces of the model. Chunk c of stage s is virtual stage c * stages + s: micro-batches go
// forward through the virtual stages 0, 1, … and backward through them in reverse order. A schedule only fixes the
// order of each stage's own steps; when they run follows from their dependencies.
//
// Both ways, the model is cut into as many parts as there are stages, and every stage holds two: chunk 0 of stages s
// and stages - 1 - s is part s, their chunk 1 is part stages - 1 - s (s in the first half). The first half of the
// micro-batches enters at stage 0, the second half at the last stage; each of them visits every part once.
#pragma once

#include "libsim/namespaces.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sim::parallel {

// A schedule that splits backward replaces it by backward_input (which the previous stage waits for) and, some time
// later, backward_weight (which no other stage waits for).
enum class PipelineWork : std::uint8_t { forward, backward, backward_input, backward_weight };

// Consecutive forward and backward passes may form a pair and run side by side: both begin when both inputs have
// arrived, and both send when the second one is done.
enum class InPair : std::uint8_t { alone, first, second };

struct PipelineStep {
    PipelineWork work = PipelineWork::forward;
    int micro_batch = 0;
    int chunk = 0;
    InPair pair = InPair::alone;
    friend bool operator==(const PipelineStep&, const PipelineStep&) = default;
};

struct PipelineShape {
    int stages = 1;
    int micro_batches = 1;
    int chunks = 1;          // per stage
    bool both_ways = false;  // micro-batches enter at both ends; chunks are 2

    // The micro-batches that go through each chunk of a stage.
    int micro_batches_of_chunk() const { return both_ways ? micro_batches / 2 : micro_batches; }
    friend bool operator==(const PipelineShape&, const PipelineShape&) = default;
};
// Whether a micro-batch goes through this chunk of the stage. Requires all three within `shape`.
bool goes_through(const PipelineShape& shape, int stage, int micro_batch, int chunk);
// The part of the model that a chunk of a stage holds: its virtual stage, in the order of the layers.
int part_of(const PipelineShape& shape, int stage, int chunk);

// The steps of one stage, in order. May throw ProgramError for an unsuitable shape.
using PipelineSchedule = std::vector<PipelineStep> (*)(const PipelineShape& shape, int stage);

// The steps of every stage: [stage][number].
using PipelineSteps = std::vector<std::vector<PipelineStep>>;
// Throws ProgramError unless every count of `shape` is 1 or more.
PipelineSteps steps_of_all(const PipelineShape& shape, PipelineSchedule schedule);

// A hop is the transfer from one virtual stage to the next (forward) or previous one (backward), for one micro-batch.
struct PipelineHop {
    bool backward = false;
    int micro_batch = 0;
    int into = 0;  // the receiving virtual stage; both ways, for the second half of the micro-batches, `stages` more
    friend bool operator==(const PipelineHop&, const PipelineHop&) = default;
};
// The stage that receives a hop, and the one that sends it.
int stage_of(const PipelineShape& shape, const PipelineHop& hop);
int sender_of(const PipelineShape& shape, const PipelineHop& hop);
// The hop that a step waits for, and the hop that it sends. Empty at the ends of the pipeline, and for backward_weight.
std::optional<PipelineHop> input_of(const PipelineShape& shape, int stage, const PipelineStep& step);
std::optional<PipelineHop> output_of(const PipelineShape& shape, int stage, const PipelineStep& step);
// The hops that a stage receives before a step, and those that it sends after it: the step's own or, for a pair, those
// of both, before its first step and after its second one. Throws ProgramError if half of a pair is missing.
using PipelineHops = std::array<std::optional<PipelineHop>, 2>;
PipelineHops taken_before(const PipelineShape& shape, int stage, std::span<const PipelineStep> steps,
                          std::size_t number);
PipelineHops sent_after(const PipelineShape& shape, int stage, std::span<const PipelineStep> steps, std::size_t number);
// A number for each hop, the same on all stages: 0 … hop_count(shape) - 1.
std::size_t hop_number(const PipelineShape& shape, const PipelineHop& hop);
std::size_t hop_count(const PipelineShape& shape);

const char* name_of(PipelineWork work);
// "forward of micro-batch 3"; with several chunks "forward of micro-batch 3, chunk 1".
std::string describe(const PipelineShape& shape, const PipelineStep& step);

// The most micro-batches, each counted for every chunk, whose forward is done and whose backward is not. A split
// backward frees an activation with `freed_by`: backward_input, as in the literature, or backward_weight, after which
// no part of it is needed. A whole backward frees it in either count.
int most_in_flight(std::span<const PipelineStep> steps, PipelineWork freed_by = PipelineWork::backward_input);

}  // namespace sim::parallel
