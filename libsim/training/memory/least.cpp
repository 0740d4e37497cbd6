// The peak without a timeline. The activations in flight at a stage's first backward pass (or slightly later with a
// split backward pass) have a closed form for every schedule with equal chunks; other schedules are replayed with just
// enough micro-batches to fill the pipeline.
#include "libsim/training/memory/replay.hpp"

#include <algorithm>
#include <optional>

namespace sim::training {

namespace {

KeptInStep one_chunk(const ChunkBytes& chunk, const PipelineInFlight& kept) {
    return {.activations = kept.activations * chunk.kept + kept.weight_inputs * chunk.weight_inputs,
            .working = kept.activations * chunk.outside + chunk.backward};
}

// With several chunks, during backward pass number `backwards`: forward passes go through the chunks in order, backward
// passes in reverse.
std::int64_t total_of_chunks(const NamedPipelineSchedule& schedule, const StageBytes& stage, const PipelineShape& shape,
                             int forwards, int backwards) {
    const int last = shape.chunks - 1;
    const int now = last - backwards % (shape.stages * shape.chunks) / shape.stages;
    double activations = 0;
    double working = stage.chunks[static_cast<std::size_t>(now)].backward;
    for (int c = 0; c <= last; ++c) {
        const ChunkBytes& chunk = stage.chunks[static_cast<std::size_t>(c)];
        const int kept = schedule.visits(shape, forwards, c) - schedule.visits(shape, backwards, last - c);
        activations += kept * chunk.kept;
        working += kept * chunk.outside;
    }
    return stage.with(activations, working).total();
}

// The number of chunks in flight is constant from the first backward to the last forward pass; the mix changes when
// either moves to another chunk. In between, the kept bytes rise or fall linearly.
std::int64_t most_of_chunks(const StageBytes& stage, const Layout& layout, int number) {
    const PipelineShape shape = layout.pipeline_shape();
    const NamedPipelineSchedule& schedule = *layout.parallelism.schedule;
    const int total = shape.micro_batches * shape.chunks;
    const int first = schedule.in_flight(shape, number).activations;
    const int pairs = std::min(total - first, shape.stages * shape.chunks);
    std::int64_t most = total_of_chunks(schedule, stage, shape, first, 0);
    if (std::all_of(stage.chunks.begin(), stage.chunks.end(),
                    [&](const ChunkBytes& chunk) { return chunk.kept == stage.chunks.front().kept; })) {
        return most;
    }
    // Passes of both ways move to another chunk after every p of them; forward passes are `first` ahead, which shifts
    // their moves. What is linear in between is largest at one of these.
    for (const int shift : {0, first % shape.stages}) {
        for (int turn = shape.stages - shift; turn - 1 <= pairs; turn += shape.stages) {
            for (const int pair : {turn - 1, std::min(turn, pairs)}) {
                most = std::max(most, total_of_chunks(schedule, stage, shape, first + pair, pair));
            }
        }
    }
    return std::max(most, total_of_chunks(schedule, stage, shape, first + pairs, pairs));
}

std::optional<KeptInStep> in_closed_form(const StageBytes& bytes, const Layout& layout, int stage) {
    const NamedPipelineSchedule& schedule = *layout.parallelism.schedule;
    const ChunkBytes& chunk = bytes.chunks.front();
    if (schedule.in_flight == nullptr || layout.chunks_of_stage() > 1) {
        return std::nullopt;
    }
    const PipelineInFlight kept = schedule.in_flight(layout.pipeline_shape(), stage);
    if (schedule.splits_backward && chunk.weight_inputs > chunk.kept) {
        return std::nullopt;  // the peak may come later
    }
    return one_chunk(chunk, kept);
}

std::int64_t replayed(const StageBytes& bytes, const Layout& layout, int stage) {
    PipelineShape shape = layout.pipeline_shape();
    // Keeps divisibility and fills the pipeline; deferred gradients accumulate round by round.
    const int deferred = bytes.chunks.back().deferred > 0 ? bytes.deferred / shape.stages + 1 : 0;
    shape.micro_batches = std::min(shape.micro_batches, (4 + deferred) * shape.stages);
    std::int64_t most = 0;
    replay(bytes, layout.parallelism.schedule->steps(shape, stage), [&](const PipelineStep&, const KeptInStep& kept) {
        most = std::max(most, bytes.with(kept.activations, kept.working).total());
    });
    return most;
}

std::int64_t most_of(const StageBytes& bytes, const Layout& layout, int stage) {
    const NamedPipelineSchedule& schedule = *layout.parallelism.schedule;
    if (bytes.chunks.back().deferred > 0) {
        return replayed(bytes, layout, stage);
    }
    if (layout.parallelism.interleave > 1 && schedule.visits != nullptr && schedule.in_flight != nullptr) {
        return most_of_chunks(bytes, layout, stage);
    }
    const std::optional<KeptInStep> kept = in_closed_form(bytes, layout, stage);
    return kept ? bytes.with(kept->activations, kept->working).total() : replayed(bytes, layout, stage);
}

}  // namespace

std::int64_t least_memory(const Transformer& model, const Machine&, const Layout& layout) {
    const LayoutBytes parts = layout_bytes(model, layout);
    std::int64_t most = 0;
    for (int stage = 0; stage < layout.parallelism.pp; ++stage) {
        const StageBytes bytes = stage_bytes(model, layout, parts, stage);
        most = std::max({most, most_of(bytes, layout, stage), bytes.with(0, bytes.step).total()});
    }
    return most;
}

}  // namespace sim::training
