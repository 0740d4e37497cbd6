// Interleaved 1F1B gives a stage v chunks of the model, spread over its depth, so that a micro-batch visits each stage
// v times and the pipeline fills in a v-th of the time.
//
// Micro-batches go through a chunk in groups of p if p divides m. Otherwise groups are the smallest that leave no
// remainder, or one of at least p: a shorter one would make stages wait. m is at least p. On a network without costs: m
// (F + B) + (p - 1)(F + B) / v, with F and B of all chunks of a stage; v times as many messages.
// Stage i runs ahead by 2 (p - i - 1) + (v - 1) g chunks, of m v, in groups of g; it keeps one more. With one chunk it
// is 1F1B.
// Source: Narayanan et al., Megatron-LM, SC 2021; the order is that of its
// forward_backward_pipelining_with_interleaving, and the groups those of Megatron-Core's
// --microbatch-group-size-per-virtual-pipeline-stage.
#include "libsim/parallel/pipeline/schedules/schedules.hpp"

#include "libsim/error.hpp"

#include <fmt/format.h>
#include <algorithm>

namespace sim::parallel {

namespace {

// The forwards or backwards of a stage in order: a group of micro-batches through one chunk, then through the next.
class Passes {
public:
    Passes(const PipelineShape& shape, PipelineWork work)
        : shape_(shape), group_(interleaved_group(shape)), work_(work) {}

    PipelineStep next() {
        const PipelineStep step{.work = work_,
                                .micro_batch = first_ + within_,
                                .chunk = work_ == PipelineWork::forward ? chunk_ : shape_.chunks - 1 - chunk_};
        if (++within_ == std::min(group_, shape_.micro_batches - first_)) {
            within_ = 0;
            if (++chunk_ == shape_.chunks) {
                chunk_ = 0;
                first_ += group_;
            }
        }
        return step;
    }

private:
    const PipelineShape& shape_;
    int group_;
    PipelineWork work_;
    int first_ = 0;   // first micro-batch of the group
    int within_ = 0;  // index within the group
    int chunk_ = 0;   // chunks that the group has completed
};

int chunks_ahead(const PipelineShape& shape, int stage) {
    const int behind = shape.stages - stage - 1;
    return shape.chunks == 1 ? behind : 2 * behind + (shape.chunks - 1) * interleaved_group(shape);
}

}  // namespace

int interleaved_group(const PipelineShape& shape) {
    int group = shape.stages;
    while (group < shape.micro_batches && shape.micro_batches % group > 0 &&
           shape.micro_batches % group < shape.stages) {
        ++group;
    }
    return group;
}

bool fits_interleaved(const PipelineShape& shape) {
    return shape.micro_batches >= shape.stages;
}

void check_interleaved(const PipelineShape& shape) {
    if (!fits_interleaved(shape)) {
        throw ProgramError(fmt::format("interleaved needs as many micro-batches as stages: {} over {}; {} would fit",
                                       shape.micro_batches, shape.stages, shape.stages));
    }
}

std::vector<PipelineStep> interleaved(const PipelineShape& shape, int stage) {
    check_interleaved(shape);
    const int total = shape.micro_batches * shape.chunks;
    const int ahead = std::min(chunks_ahead(shape, stage), total);
    Passes forward(shape, PipelineWork::forward);
    Passes backward(shape, PipelineWork::backward);
    std::vector<PipelineStep> steps;
    steps.reserve(2 * static_cast<std::size_t>(total));
    for (int n = 0; n < ahead; ++n) {
        steps.push_back(forward.next());
    }
    for (int n = 0; n < total; ++n) {
        if (ahead + n < total) {
            steps.push_back(forward.next());
        }
        steps.push_back(backward.next());
    }
    return steps;
}

PipelineBubble interleaved_bubble(const PipelineShape& shape) {
    const double others = shape.stages - 1;
    return {others / (1.0 * shape.chunks * shape.micro_batches + others), "(p-1) / (v m + p-1)"};
}

PipelineInFlight interleaved_in_flight(const PipelineShape& shape, int stage) {
    return {.activations = std::min(chunks_ahead(shape, stage) + 1, shape.micro_batches * shape.chunks)};
}

int interleaved_visits(const PipelineShape& shape, int count, int place) {
    const int group = interleaved_group(shape);
    const int whole = std::min(count / (group * shape.chunks), shape.micro_batches / group);
    const int next = std::min(group, shape.micro_batches - whole * group);
    return whole * group + std::clamp(count - whole * group * shape.chunks - place * next, 0, next);
}

Duration interleaved_passes(const PipelineShape& shape, int, const StagePasses& passes) {
    return passes_without_pause(shape, passes);
}

}  // namespace sim::parallel
