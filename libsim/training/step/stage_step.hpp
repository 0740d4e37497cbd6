// A stage step describes one training step of a stage in one place: the pieces of its ranks' work, in order, with their
// groups, bytes and overlap.
//
// A pure function of the plan. training_step.hpp runs it, estimate.hpp bounds it from below, and inner_collectives.hpp
// and predictions list its communication. The pipeline schedule determines the order of the passes below; the messages
// between stages are run_pipeline()'s.
//
//   zero = 0: gradients are all-reduced, bucket by bucket beside the last backward pass, or after it.
//   zero = 1: parameters are gathered before the first forward pass, or beside it; gradients are reduce-scattered.
//   zero = 2: the same, but each micro-batch's gradients are reduce-scattered, bucket by bucket after their backward
//   pass: the sum is sharded, and no rank holds more than its shard. (DeepSpeed without stages, Megatron-FSDP's
//   optim_grads.)
//   zero = 3: every bucket is gathered for each pass that multiplies it, one bucket ahead of the computation or just
//   before it, and its gradient is reduce-scattered after its backward pass. The last bucket of a chunk is still
//   gathered when the backward pass begins with it. (PyTorch's FSDP; Zhao et al. 2023.) DeepSpeed drops the parameters
//   that a recomputed forward pass has gathered, and gathers them again for the backward pass.
//
// With a shard group smaller than the replicas (HSDP), gathers and reduce-scatters run within it, and each rank's shard
// of a reduced gradient is then all-reduced over its copies: whenever it is reduced in PyTorch's loop, otherwise for
// the last micro-batch only, as MiCS and Megatron-FSDP do.
//
// With outer steps (DiLoCo) copies are not summed at all; a step has its share of the time of an outer one.
//
// With a bidirectional schedule, the two stages of a part reduce and gather it together; zero is 0 or 1.
#pragma once

#include "libsim/op.hpp"
#include "libsim/training/step/rank_group.hpp"
#include "libsim/training/step/step_plan.hpp"
#include "libsim/training/step/step_work.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sim::training {

// One collective of a group. 0 bytes: no collective. Groups of one rank have none.
struct StepCollective {
    RankGroup group = RankGroup::replicas;
    CollectiveKind kind = CollectiveKind::all_reduce;
    double bytes = 0;  // of the whole result; whole bytes travel

    bool exists() const { return bytes >= 1; }
    std::int64_t whole_bytes() const { return static_cast<std::int64_t>(bytes); }
    friend bool operator==(const StepCollective&, const StepCollective&) = default;
};

enum class PieceKind : std::uint8_t {
    mark,     // a line in the log at the start of a phase
    compute,  // takes `time`; inner_collectives.hpp lists the collectives inside it
    collect,  // `collectives`, `times` times in sequence
    wait,     // for the gather of `bucket`; without a bucket, for all reductions so far
};

// The stream that a piece's collectives run on.
enum class PieceOrder : std::uint8_t {
    here,    // on the main stream: the program waits
    beside,  // on the data stream: the program continues
    ahead,   // on the data stream, until a wait for the bucket
};

struct Piece {
    PieceKind kind = PieceKind::mark;
    StepWork work = StepWork::begin;
    Duration time{0};                        // compute
    const GradientBucket* bucket = nullptr;  // of the plan: computed by a pass, or gathered, reduced or waited for
    PieceOrder order = PieceOrder::here;
    int times = 1;
    // First for dense parameters, then for experts; then the same over the copies of shards.
    std::array<StepCollective, 4> collectives = {};
};
using Pieces = std::vector<Piece>;
// A pass's time by category, which adds up to the piece's. Requires: is_pass(piece.work).
TimeParts parts_of(const Piece& piece);

// The passes of a chunk for one micro-batch, by the properties that can make them differ.
enum class PassKind : std::uint8_t {
    first_forward,  // of the first micro-batch
    forward,
    paired_forward,      // beside a backward pass
    backward_input,      // with a split backward pass
    backward,            // with a whole backward pass
    paired_backward,     // beside a forward pass
    deferring_backward,  // whole, except the output layer's weight gradient
    last_deferring_backward,
    last_backward,    // of the last micro-batch, whole
    backward_weight,  // with a split backward pass
    last_backward_weight,
};
constexpr std::size_t pass_kinds = 11;
// The kind whose pieces a chunk uses if it lists none for this one.
PassKind usual_of(PassKind kind);
struct MicroBatches {
    int of_chunk = 1;
    int deferred = 0;  // the first ones, which defer some weight gradients
};
MicroBatches micro_batches_of(const StepPlan& plan);
// The kind of a step of the schedule, for a chunk with so many micro-batches.
PassKind kind_of(const PipelineStep& step, const MicroBatches& micro_batches);

struct ChunkPasses {
    std::array<std::optional<Pieces>, pass_kinds> kinds;  // the usual kind, and those that differ

    bool has(PassKind kind) const { return kinds[static_cast<std::size_t>(kind)].has_value(); }
    std::optional<Pieces>& operator[](PassKind kind) { return kinds[static_cast<std::size_t>(kind)]; }
    // The kind under which this one's pieces are listed.
    PassKind listed(PassKind kind) const;
    // Requires: the schedule has such passes.
    const Pieces& of(PassKind kind) const { return *kinds[static_cast<std::size_t>(listed(kind))]; }
    const Pieces& of(const PipelineStep& step, const MicroBatches& all) const { return of(kind_of(step, all)); }
};

// A rank's work in one step: before, the passes in the order of the schedule, after.
struct StageStep {
    Pieces before;
    std::vector<ChunkPasses> chunks;
    Pieces after;
};

// Cost: linear in the stage's buckets. The pieces refer to buckets of `plan`, which must outlive them.
StageStep stage_step(const StepPlan& plan, int stage);

}  // namespace sim::training
