// The peak without a timeline: what is in flight when a stage begins its first backward pass, or a little later where
// backward is split, has a closed form for every schedule that stages of equal chunks have. The others are replayed
// with as few micro-batches as fill the pipeline.
#include "libsim/model/memory/replay.hpp"
#include "libsim/parallel/pipeline/schedules.hpp"

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

// Forwards go p micro-batches through a chunk, then p through the next; the first backward is in the last chunk.
KeptInStep of_chunks(const StageBytes& stage, const PipelineShape& shape, int forwards) {
    const int group = shape.stages * shape.chunks;
    const int rounds = forwards / group;
    int left = forwards % group;
    KeptInStep kept{.working = stage.chunks.back().backward};
    for (const ChunkBytes& chunk : stage.chunks) {
        const int here = std::min(left, shape.stages);
        left -= here;
        const int micro_batches = rounds * shape.stages + here;
        kept.activations += micro_batches * chunk.kept;
        kept.working += micro_batches * chunk.outside;
    }
    return kept;
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
        case Kind::interleaved: {
            const bool equal = std::all_of(bytes.chunks.begin(), bytes.chunks.end(),
                                           [&](const ChunkBytes& other) { return other.layers == chunk.layers; });
            const int ahead = 2 * behind + (layout.interleave - 1) * layout.pp;
            return equal ? std::optional(of_chunks(bytes, shape, std::min(ahead + 1, m * layout.interleave)))
                         : std::nullopt;
        }
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

}  // namespace

std::int64_t least_memory(const Transformer& model, const Machine&, const Layout& layout) {
    const LayoutBytes parts = layout_bytes(model, layout);
    const Kind kind = kind_of(layout);
    std::int64_t most = 0;
    for (int stage = 0; stage < layout.pp; ++stage) {
        const StageBytes bytes = stage_bytes(model, layout, parts, stage);
        const std::optional<KeptInStep> kept = in_closed_form(bytes, layout, kind, stage);
        const std::int64_t here =
            kept ? bytes.with(kept->activations, kept->working).total() : replayed(bytes, layout, stage);
        most = std::max({most, here, bytes.with(0, bytes.step).total()});
    }
    return most;
}

}  // namespace sim::model
