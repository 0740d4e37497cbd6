// A stage step describes one training step of a stage in one place: the pieces of its ranks' work, in order, with the
// groups they communicate in, the bytes, and what overlaps with what.
//
// A pure function of the plan. Readers: training_step.hpp runs it, estimate.hpp bounds it from below,
// inner_collectives.hpp and a prediction list its communication. The pipeline schedule says in which order a stage
// takes the passes below; the messages between stages are run_pipeline()'s.
//
//   zero = 0     gradients are all-reduced, bucket by bucket beside the last backward pass, or after it
//   zero = 1     parameters are gathered before the first forward pass, or beside it; gradients are reduce-scattered
//   zero = 2     the same, but each micro-batch's gradients are reduce-scattered, bucket by bucket behind their
//   backward
//                pass: their sum is spread, so that no rank holds more of it than its part. (DeepSpeed without stages,
//                Megatron-FSDP's optim_grads.)
//   zero = 3     every bucket is gathered for each pass that multiplies it, one bucket ahead of the computation or just
//                before it, and its gradient is reduce-scattered behind its backward pass. The last bucket of a chunk
//                is still there when the backward pass begins with it. (PyTorch's FSDP; Zhao et al. 2023.) DeepSpeed
//                drops what a recomputed forward pass has gathered, and gathers it again for the backward pass.
// Where micro-batches come both ways, the two stages of a part reduce and gather it together; zero is 0 or 1.
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

// One collective of a group; 0 bytes: there is none. Groups of one rank have none.
struct StepCollective {
    RankGroup group = RankGroup::replicas;
    CollectiveKind kind = CollectiveKind::all_reduce;
    double bytes = 0;  // of the whole result; whole bytes travel

    bool exists() const { return bytes >= 1; }
    std::int64_t whole_bytes() const { return static_cast<std::int64_t>(bytes); }
    friend bool operator==(const StepCollective&, const StepCollective&) = default;
};

enum class PieceKind : std::uint8_t {
    mark,     // a line of the log, where a phase begins
    compute,  // `time`, in which inner_collectives.hpp says what else runs
    collect,  // `collectives`, `times` one after another
    wait,     // for the gather of `bucket`; without a bucket, for all reductions so far
};

// On which stream a piece's collectives run.
enum class PieceOrder : std::uint8_t {
    here,    // on the main stream: the program waits
    beside,  // on the data stream: the program continues
    ahead,   // on the data stream, until a wait for its bucket
};

struct Piece {
    PieceKind kind = PieceKind::mark;
    StepWork work = StepWork::begin;
    Duration time{0};                        // compute
    const GradientBucket* bucket = nullptr;  // of the plan: what a pass computes; is gathered, reduced or waited for
    PieceOrder order = PieceOrder::here;
    int times = 1;
    std::array<StepCollective, 2> collectives = {};  // of dense parameters, and of experts
};
using Pieces = std::vector<Piece>;
// A pass's time by category: they add up to the piece's. Requires: is_pass(piece.work).
TimeParts parts_of(const Piece& piece);

// The passes of a chunk for one micro-batch, by what may make them differ.
enum class PassKind : std::uint8_t {
    first_forward,  // of the first micro-batch
    forward,
    paired_forward,    // beside a backward pass
    backward_input,    // where backward is split
    backward,          // where it is whole
    paired_backward,   // beside a forward pass
    put_off_backward,  // whole, but for the output layer's weights
    last_put_off_backward,
    last_backward,    // of the last micro-batch, whole
    backward_weight,  // where backward is split
    last_backward_weight,
};
constexpr std::size_t pass_kinds = 11;
// What a chunk does where that kind is like any other of its sort.
PassKind usual_of(PassKind kind);
// Which of them a step of the schedule is, of so many micro-batches of a chunk, of which the first ones put off some
// gradients.
struct MicroBatches {
    int of_chunk = 1;
    int put_off = 0;
};
MicroBatches micro_batches_of(const StepPlan& plan);
PassKind kind_of(const PipelineStep& step, const MicroBatches& micro_batches);

struct ChunkPasses {
    std::array<std::optional<Pieces>, pass_kinds> kinds;  // those that are unlike the usual one, and that itself

    bool has(PassKind kind) const { return kinds[static_cast<std::size_t>(kind)].has_value(); }
    std::optional<Pieces>& operator[](PassKind kind) { return kinds[static_cast<std::size_t>(kind)]; }
    // Under which kind this one's pieces are listed.
    PassKind listed(PassKind kind) const;
    // Requires: the schedule has such passes.
    const Pieces& of(PassKind kind) const { return *kinds[static_cast<std::size_t>(listed(kind))]; }
    const Pieces& of(const PipelineStep& step, const MicroBatches& all) const { return of(kind_of(step, all)); }
};

// The work of a rank of the stage in one step: before, the passes in the order of the schedule, after.
struct StageStep {
    Pieces before;
    std::vector<ChunkPasses> chunks;
    Pieces after;
};

// Cost: linear in the stage's buckets. The pieces refer to buckets of `plan`, which outlives them.
StageStep stage_step(const StepPlan& plan, int stage);

}  // namespace sim::training
