// Lab 8: the time of GPipe, with p - i activations on stage i instead of m.
#include "libsim/parallel/pipeline/schedules/schedules.hpp"
#include "tools/labs/course/pipelines.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sim::labs {

lab::Program solution_08();

namespace {

using parallel::PipelineShape;

std::vector<Case> one_f_one_b_cases(std::uint64_t seed) {
    Draw draw(seed, 8);
    const int m = static_cast<int>(draw.of({8, 9, 10, 12}));
    return pipeline_cases(
        draw,
        {{.stages = 4, .micro_batches = m}, {.stages = 3, .micro_batches = m - 3}, {.stages = 5, .micro_batches = 7}});
}

// Messages in each direction that the step waits for: at the ends of the pipeline and, because a stage at its warm-up
// limit waits for a gradient, once more for every p micro-batches (docs/formulas.md).
int waited_for(const PipelineShape& shape) {
    const int m = shape.micro_batches;
    const int p = shape.stages;
    return p + m - 2 - static_cast<int>(ceil_div(m - 1, p));
}

std::vector<Check> grade_one_f_one_b(const Case& played, const Record& found, const Record& reference) {
    const PipelineNumbers numbers(played);
    const int p = numbers.shape.stages;
    const int m = numbers.shape.micro_batches;
    const int h = waited_for(numbers.shape);
    return grade_pipeline(
        played, found, reference,
        {.time = (m + p - 1) * numbers.passes() + 2 * h * numbers.hop(),
         .why_time = fmt::format(
             "(m+p-1)(F+B) + 2 h c = {} x {} + {} x {}; h = p+m-2-⌈(m-1)/p⌉ messages each way are waited for",
             m + p - 1, text_of(numbers.passes()), 2 * h, text_of(numbers.hop())),
         .peak_bytes = [&](int stage) { return std::min(p - stage, m) * numbers.activation_bytes; },
         .why_memory = fmt::format("stage i keeps p - i micro-batches, stage 0 {} x {}, however many there are", p,
                                   text_of_bytes(numbers.activation_bytes)),
         .why_order = "stage i runs p-1-i forward passes to warm up, then one forward and one backward in turn"});
}

PipelineOrder with_warm_up(int (*ahead)(const PipelineShape& shape, int stage)) {
    return [ahead](const PipelineShape& shape, int stage) {
        // A stage at this distance from the end of a pipeline has the requested warm-up.
        const int asked = std::clamp(ahead(shape, stage), 0, shape.micro_batches);
        return parallel::one_f_one_b({.stages = asked + 1, .micro_batches = shape.micro_batches}, 0);
    };
}
int none_ahead(const PipelineShape&, int) {
    return 0;
}
int one_more_ahead(const PipelineShape& shape, int stage) {
    return shape.stages - stage;
}
int all_alike_ahead(const PipelineShape& shape, int) {
    return shape.stages - 1;
}
int stage_ahead(const PipelineShape&, int stage) {
    return stage;
}

std::string says_all_forward(const Case& played, const Record& theirs) {
    const PipelineNumbers numbers(played);
    return fmt::format(
        "{}: all {} forward passes come first, so every stage keeps {} micro-batches, as GPipe does. Begin the "
        "backward "
        "passes after p-1-i forward passes, and run one of each in turn.",
        text_of_bytes(theirs.timeline.totals.front().peak_bytes), numbers.shape.micro_batches,
        numbers.shape.micro_batches);
}
std::string says_no_warm_up(const Case&, const Record& theirs) {
    return fmt::format(
        "{}: without a warm-up each stage waits for the gradient of a micro-batch before it begins the next one, so "
        "that "
        "one stage works at a time. Stage i runs p-1-i forward passes first.",
        text_of(theirs.end()));
}
std::string says_one_more_ahead(const Case& played, const Record& theirs) {
    const PipelineNumbers numbers(played);
    return fmt::format(
        "{} on stage 0, one micro-batch too many: p-i forward passes came before the first pair, which begins with one "
        "more. Warm up with p-1-i.",
        text_of_bytes(theirs.timeline.totals.front().peak_bytes));
}
std::string says_all_alike(const Case& played, const Record& theirs) {
    const int p = PipelineNumbers(played).shape.stages;
    return fmt::format(
        "{} on the last stage: every stage warmed up with p-1 = {} forward passes, as stage 0 does. The last stage "
        "needs "
        "none, since its loss is there at once: stage i needs p-1-i.",
        text_of_bytes(theirs.timeline.totals.back().peak_bytes), p - 1);
}
std::string says_wrong_end(const Case&, const Record&) {
    return "You counted the warm-up from the wrong end: stage 0 is farthest from the loss and needs the longest one, "
           "p-1-i "
           "forward passes with i = 0. With none, it waits for a gradient, and the others wait for its next "
           "activation.";
}

std::vector<Slip> slips_of_first_stage(const Case& played) {
    const PipelineNumbers numbers(played);
    const auto each = static_cast<double>(numbers.activation_bytes);
    const int p = numbers.shape.stages;
    const int m = numbers.shape.micro_batches;
    return {
        {"", m * each, "This is m micro-batches, as GPipe keeps: 1F1B begins its backward passes earlier."},
        {"", (p - 1) * each, "This is p-1 micro-batches, those of the warm-up: one more comes with the first pair."},
        {"", each, "This is one micro-batch, as on the last stage; stage 0 waits longest for its first gradient."},
        {"", (m + p - 1) * each, "This is a micro-batch for each of m+p-1 turns: most are released by then."}};
}

// No backward passes after the last forward pass.
std::vector<parallel::PipelineStep> without_cool_down(const PipelineShape& shape, int stage) {
    std::vector<parallel::PipelineStep> steps = parallel::one_f_one_b(shape, stage);
    const int ahead = std::min(shape.stages - 1 - stage, shape.micro_batches);
    steps.resize(steps.size() - static_cast<std::size_t>(ahead));
    return steps;
}
std::string says_no_cool_down(const Case& played, const Record&) {
    const int p = PipelineNumbers(played).shape.stages;
    return fmt::format(
        "Your last stage ends as it should, but the others stop when their forward passes are over: stage i still owes "
        "the backward passes of the p-1-i micro-batches of its warm-up, stage 0 the last {}. Run them after the pairs.",
        p - 1);
}
// Every stage ran all forward passes, and as many backward passes fewer as it ran ahead.
bool shows_no_cool_down(const Case& played, const Record& theirs) {
    const PipelineShape shape = PipelineNumbers(played).shape;
    std::vector<int> forward(static_cast<std::size_t>(shape.stages));
    std::vector<int> backward = forward;
    for (const Span& span : theirs.timeline.spans) {
        if (span.kind == OpKind::compute) {
            ++(span.label->starts_with("forward") ? forward : backward)[static_cast<std::size_t>(span.rank)];
        }
    }
    bool is_it = shape.stages > 1;
    for (int stage = 0; stage < shape.stages; ++stage) {
        const auto at = static_cast<std::size_t>(stage);
        const int ahead = std::min(shape.stages - 1 - stage, shape.micro_batches);
        is_it = is_it && forward[at] == shape.micro_batches && backward[at] == shape.micro_batches - ahead;
    }
    return is_it;
}

double truth_of_first_stage(const Case& played, const Record&) {
    const PipelineNumbers numbers(played);
    return static_cast<double>(std::min(numbers.shape.stages, numbers.shape.micro_batches) * numbers.activation_bytes);
}

}  // namespace

Lab lab_08();
Lab lab_08() {
    const auto mistaken = [](int (*ahead)(const PipelineShape&, int)) {
        return pipelined({.order = with_warm_up(ahead)});
    };
    return {
        .number = 8,
        .folder = "08-one-f-one-b",
        .title = "One forward, one backward",
        .cases = one_f_one_b_cases,
        .solution = solution_08(),
        .grade = grade_one_f_one_b,
        .mistakes = {{"all-forward-first", pipelined({.order = parallel::gpipe}), says_all_forward},
                     {"no-cool-down", pipelined({.order = without_cool_down}), says_no_cool_down, shows_no_cool_down},
                     {"no-warm-up", mistaken(none_ahead), says_no_warm_up},
                     {"one-ahead-too-many", mistaken(one_more_ahead), says_one_more_ahead},
                     {"all-stages-alike", mistaken(all_alike_ahead), says_all_alike},
                     {"warm-up-from-the-wrong-end", mistaken(stage_ahead), says_wrong_end}},
        .prediction = {.question = "How much memory do the activations of stage 0 take at most?",
                       .quantity = Quantity::bytes,
                       .truth = truth_of_first_stage},
        .summands = summands_of_pipeline,
        .slips = slips_of_first_stage};
}

}  // namespace sim::labs
