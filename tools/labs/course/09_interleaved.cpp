// Lab 9: m (F + B) + (p - 1)(F + B)/v + 2 (v p - 1) c.
#include "libsim/parallel/pipeline/schedules/schedules.hpp"
#include "tools/labs/course/pipelines.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::labs {

lab::Program solution_09();

namespace {

using parallel::PipelineShape;
using parallel::PipelineStep;
using parallel::PipelineWork;

std::vector<Case> interleaved_cases(std::uint64_t seed) {
    Draw draw(seed, 9);
    const int m = static_cast<int>(draw.of({8, 12}));
    const int v = static_cast<int>(draw.of({2, 3}));
    return pipeline_cases(draw, {{.stages = 4, .micro_batches = m, .chunks = v},
                                 {.stages = 2, .micro_batches = m / 2, .chunks = 5 - v},
                                 {.stages = 3, .micro_batches = 6, .chunks = v}});
}

int chunks_kept(const PipelineShape& shape, int stage) {
    const auto [p, m, v, both_ways] = shape;
    return std::min(2 * (p - 1 - stage) + (v - 1) * p + 1, m * v);
}

Duration interleaved_time(const PipelineNumbers& numbers) {
    const auto [p, m, v, both_ways] = numbers.shape;
    return m * numbers.passes() + (p - 1) * numbers.passes() / v + 2 * (v * p - 1) * numbers.hop();
}

std::vector<Check> grade_interleaved(const Case& played, const Record& found, const Record& reference) {
    const PipelineNumbers numbers(played);
    const auto [p, m, v, both_ways] = numbers.shape;
    const std::int64_t each = numbers.activation_bytes / v;
    return grade_pipeline(
        played, found, reference,
        {.time = interleaved_time(numbers),
         .why_time = fmt::format("m (F+B) + (p-1)(F+B)/v + 2 (v p - 1) c = {} x {} + {} x {} + {} x {}", m,
                                 text_of(numbers.passes()), p - 1, text_of(numbers.passes() / v), 2 * (v * p - 1),
                                 text_of(numbers.hop())),
         .peak_bytes = [&](int stage) { return chunks_kept(numbers.shape, stage) * each; },
         .why_memory = fmt::format("stage i keeps 2(p-1-i) + (v-1)p + 1 chunks' activations: {} x {} on stage 0",
                                   chunks_kept(numbers.shape, 0), text_of_bytes(each)),
         .why_order = "a stage warms up with 2(p-1-i) + (v-1)p forward passes, then runs one forward and one backward "
                      "in turn"});
}

// The order in which a stage runs its passes.
struct Habits {
    int (*ahead)(const PipelineShape& shape, int stage);
    PipelineStep (*nth)(const PipelineShape& shape, PipelineWork work, int n);
};

PipelineOrder in_the_order_of(Habits habits) {
    return [habits](const PipelineShape& shape, int stage) {
        const int total = shape.micro_batches * shape.chunks;
        const int ahead = std::clamp(habits.ahead(shape, stage), 0, total);
        std::vector<PipelineStep> steps;
        for (int n = 0; n < ahead; ++n) {
            steps.push_back(habits.nth(shape, PipelineWork::forward, n));
        }
        for (int n = 0; n < total; ++n) {
            if (ahead + n < total) {
                steps.push_back(habits.nth(shape, PipelineWork::forward, ahead + n));
            }
            steps.push_back(habits.nth(shape, PipelineWork::backward, n));
        }
        return steps;
    };
}

int right_ahead(const PipelineShape& shape, int stage) {
    return 2 * (shape.stages - 1 - stage) + (shape.chunks - 1) * shape.stages;
}
int single_ahead(const PipelineShape& shape, int stage) {
    return shape.stages - 1 - stage + (shape.chunks - 1) * shape.stages;
}
int as_without_chunks_ahead(const PipelineShape& shape, int stage) {
    return shape.stages - 1 - stage;
}
int everything_ahead(const PipelineShape& shape, int) {
    return shape.micro_batches * shape.chunks;
}

PipelineStep at(const PipelineShape& shape, PipelineWork work, int micro_batch, int chunk) {
    return {.work = work,
            .micro_batch = micro_batch,
            .chunk = work == PipelineWork::forward ? chunk : shape.chunks - 1 - chunk};
}
PipelineStep in_groups(const PipelineShape& shape, PipelineWork work, int n) {
    const int group = shape.stages * shape.chunks;
    return at(shape, work, n / group * shape.stages + n % shape.stages, n % group / shape.stages);
}
PipelineStep chunk_by_chunk(const PipelineShape& shape, PipelineWork work, int n) {
    return at(shape, work, n % shape.micro_batches, n / shape.micro_batches);
}
PipelineStep micro_batch_by_micro_batch(const PipelineShape& shape, PipelineWork work, int n) {
    return at(shape, work, n / shape.chunks, n % shape.chunks);
}
PipelineStep same_way_back(const PipelineShape& shape, PipelineWork work, int n) {
    PipelineStep step = in_groups(shape, PipelineWork::forward, n);
    step.work = work;
    return step;
}

lab::Program mistaken_order(Habits habits) {
    return pipelined({.order = in_the_order_of(habits)});
}

std::string says_single(const Case& played, const Record& theirs) {
    return fmt::format(
        "{}, where {} is right: with chunks, a stage that warms up with p-1-i + (v-1)p forward passes waits for a "
        "message "
        "in every round. Twice p-1-i hides the way there and back.",
        text_of(theirs.end()), text_of(interleaved_time(PipelineNumbers(played))));
}
std::string says_everything(const Case& played, const Record& theirs) {
    const PipelineShape shape = PipelineNumbers(played).shape;
    return fmt::format(
        "{} on stage 0: all m v = {} forward passes came first, so everything is kept at once. Begin the backward "
        "passes "
        "after 2(p-1-i) + (v-1)p of them.",
        text_of_bytes(theirs.timeline.totals.front().peak_bytes), shape.micro_batches * shape.chunks);
}
std::string says_without_chunks(const Case& played, const Record&) {
    const auto [p, m, v, both_ways] = PipelineNumbers(played).shape;
    return fmt::format(
        "You warm up with p-1-i forward passes, as without chunks; the last stage then begins a backward pass of the "
        "last "
        "chunk, which is not computed yet. (v-1)p = {} passes through the chunks before it must come first.",
        (v - 1) * p);
}
std::string says_chunk_by_chunk(const Case& played, const Record&) {
    const auto [p, m, v, both_ways] = PipelineNumbers(played).shape;
    return fmt::format(
        "You take all m = {} micro-batches through one chunk before the next chunk begins, so the first gradient comes "
        "too late. Take p = {} micro-batches through each chunk in turn, then the next {}.",
        m, p, p);
}
std::string says_micro_batch_by_micro_batch(const Case& played, const Record&) {
    const auto [p, m, v, both_ways] = PipelineNumbers(played).shape;
    return fmt::format(
        "You take each micro-batch through all {} chunks before the next one begins: between two of them it goes round "
        "all "
        "{} stages, and yours wait for it. Let {} micro-batches follow each other through a chunk.",
        v, p, p);
}
std::string says_same_way_back(const Case&, const Record&) {
    return "Your backward passes begin with chunk 0, but the loss is behind the last chunk. The n-th backward pass "
           "goes "
           "through chunk v-1-c, where the n-th forward pass goes through c.";
}

std::vector<Slip> slips_of_interleaved(const Case& played) {
    const PipelineNumbers numbers(played);
    const auto [p, m, v, both_ways] = numbers.shape;
    return {{"", seconds((m + p - 1) * numbers.passes() + 2 * (p - 1) * numbers.hop()),
             "This is (m+p-1)(F+B) and its messages, as without chunks: chunks make the bubble v times as short."},
            {"", seconds(m * numbers.passes() + (p - 1) * numbers.passes() / v),
             "This leaves out the messages: a micro-batch passes 2 (v p - 1) boundaries."},
            {"", seconds(m * numbers.passes()), "This leaves out the bubble, (p-1)(F+B)/v, and the messages."},
            {"", seconds((m + p - 1) * numbers.passes() / v),
             "This divides everything by v: chunks shorten the bubble alone, not the work."}};
}

double truth_of_interleaved(const Case& played, const Record&) {
    return seconds(interleaved_time(PipelineNumbers(played)));
}

}  // namespace

Lab lab_09();
Lab lab_09() {
    return {.number = 9,
            .folder = "09-interleaved",
            .title = "Interleaved stages",
            .cases = interleaved_cases,
            .solution = solution_09(),
            .grade = grade_interleaved,
            .mistakes = {{"half-the-warm-up", mistaken_order({single_ahead, in_groups}), says_single},
                         {"all-forward-first", mistaken_order({everything_ahead, in_groups}), says_everything},
                         {"warm-up-without-chunks", mistaken_order({as_without_chunks_ahead, in_groups}),
                          says_without_chunks},
                         {"chunk-by-chunk", mistaken_order({right_ahead, chunk_by_chunk}), says_chunk_by_chunk},
                         {"micro-batch-by-micro-batch", mistaken_order({right_ahead, micro_batch_by_micro_batch}),
                          says_micro_batch_by_micro_batch},
                         {"same-way-back", mistaken_order({right_ahead, same_way_back}), says_same_way_back}},
            .prediction = {.question = "How long does the step take?", .truth = truth_of_interleaved},
            .summands = summands_of_pipeline,
            .slips = slips_of_interleaved};
}

}  // namespace sim::labs
