// The peak without a timeline: what is in flight when a stage begins its first backward pass, or a little later where
// backward is split, has a closed form for every schedule that stages of equal chunks have. The others are replayed
// with as few micro-batches as fill the pipeline.
#include "libsim/parallel/pipeline/schedules.hpp"
#include "libsim/training/memory/replay.hpp"

#include <algorithm>
#include <optional>

namespace sim::model {

namespace {

enum class Kind : std::uint8_t { gpipe, one_f_one_b, interleaved, zero_bubble, other };

Kind kind_of(const Layout& layout) {
    const std::string& name = layout.schedule;
    if (layout.interleave == 1 && name == "gpipe") {
        return Kind::gpipe;
    }
    if (name == "1f1b" || (name == "interleaved" && layout.interleave == 1)) {
        return Kind::one_f_one_b;
    }
    if (name == "interleaved") {
        return Kind::interleaved;
    }
    return name == "zb_h1" || name == "zb_h2" ? Kind::zero_bubble : Kind::other;
}

KeptInStep one_chunk(const ChunkBytes& chunk, int micro_batches, int weights_alone) {
    return {.activations = micro_batches * chunk.kept + weights_alone * chunk.weight_inputs,
            .working = micro_batches * chunk.outside + chunk.backward};
}

// How many of the first `count` forwards of a stage are in the chunk that is `place`-th to take p micro-batches.
int visits(const PipelineShape& shape, int count, int place) {
    const int group = shape.stages * shape.chunks;
    return count / group * shape.stages + std::clamp(count % group - place * shape.stages, 0, shape.stages);
}

// Interleaved, while backward number `backwards` goes on: forwards take the chunks in order, backwards in the opposite.
std::int64_t interleaved_total(const StageBytes& stage, const PipelineShape& shape, int forwards, int backwards) {
    const int last = shape.chunks - 1;
    const int now = last - backwards % (shape.stages * shape.chunks) / shape.stages;
    double activations = 0;
    double working = stage.chunks[static_cast<std::size_t>(now)].backward;
    for (int c = 0; c <= last; ++c) {
        const ChunkBytes& chunk = stage.chunks[static_cast<std::size_t>(c)];
        const int kept = visits(shape, forwards, c) - visits(shape, backwards, last - c);
        activations += kept * chunk.kept;
        working += kept * chunk.outside;
    }
    return stage.with(activations, working).total();
}

// As many chunks are in flight from the first backward to the last forward; which ones changes where either goes on to
// another chunk. In between, what they hold rises or falls evenly.
std::int64_t interleaved_most(const StageBytes& stage, const Layout& layout, int number) {
    const PipelineShape shape = shape_of(layout);
    const int total = shape.micro_batches * shape.chunks;
    const int first = std::min(2 * (shape.stages - number - 1) + (shape.chunks - 1) * shape.stages + 1, total);
    const int pairs = std::min(total - first, shape.stages * shape.chunks);
    std::int64_t most = interleaved_total(stage, shape, first, 0);
    if (std::all_of(stage.chunks.begin(), stage.chunks.end(),
                    [&](const ChunkBytes& chunk) { return chunk.kept == stage.chunks.front().kept; })) {
        return most;
    }
    for (const int shift : {0, first % shape.stages}) {
        for (int turn = shape.stages - shift; turn - 1 <= pairs; turn += shape.stages) {
            for (const int pair : {turn - 1, std::min(turn, pairs)}) {
                most = std::max(most, interleaved_total(stage, shape, first + pair, pair));
            }
        }
    }
    return std::max(most, interleaved_total(stage, shape, first + pairs, pairs));
}

std::optional<KeptInStep> in_closed_form(const StageBytes& bytes, const Layout& layout, Kind kind, int stage) {
    const PipelineShape shape = shape_of(layout);
    const int m = shape.micro_batches;
    const int behind = layout.pp - stage - 1;
    const ChunkBytes& chunk = bytes.chunks.front();
    switch (kind) {
        case Kind::gpipe: return one_chunk(chunk, m, 0);
        case Kind::one_f_one_b: return one_chunk(chunk, std::min(behind + 1, m), 0);
        case Kind::zero_bubble: {
            if (chunk.weight_inputs > chunk.kept) {
                return std::nullopt;  // the most may come later
            }
            const int times = layout.schedule == "zb_h2" ? 2 : 1;  // of what H1 runs ahead and puts off
            const int ahead = times * behind;
            return one_chunk(chunk, std::min(ahead + 1, m), std::clamp(m - 1 - ahead, 0, times * stage));
        }
        case Kind::interleaved:
        case Kind::other: break;
    }
    return std::nullopt;
}

std::int64_t replayed(const StageBytes& bytes, const Layout& layout, int stage) {
    PipelineShape shape = shape_of(layout);
    shape.micro_batches = std::min(shape.micro_batches, 4 * shape.stages);  // divisible as it was, and full
    std::int64_t most = 0;
    replay(bytes, pipeline_schedule(layout.schedule).steps(shape, stage),
           [&](const PipelineStep&, const KeptInStep& kept) {
               most = std::max(most, bytes.with(kept.activations, kept.working).total());
           });
    return most;
}

std::int64_t most_of(const StageBytes& bytes, const Layout& layout, Kind kind, int stage) {
    if (kind == Kind::interleaved) {
        return interleaved_most(bytes, layout, stage);
    }
    const std::optional<KeptInStep> kept = in_closed_form(bytes, layout, kind, stage);
    return kept ? bytes.with(kept->activations, kept->working).total() : replayed(bytes, layout, stage);
}

}  // namespace

std::int64_t least_memory(const Transformer& model, const Machine&, const Layout& layout) {
    const LayoutBytes parts = layout_bytes(model, layout);
    const Kind kind = kind_of(layout);
    std::int64_t most = 0;
    for (int stage = 0; stage < layout.pp; ++stage) {
        const StageBytes bytes = stage_bytes(model, layout, parts, stage);
        most = std::max({most, most_of(bytes, layout, kind, stage), bytes.with(0, bytes.step).total()});
    }
    return most;
}

}  // namespace sim::model
