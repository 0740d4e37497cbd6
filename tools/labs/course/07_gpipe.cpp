// Lab 7: (m + p - 1)(F + B) + 2 (p - 1) c.
#include "libsim/parallel/pipeline/schedules/schedules.hpp"
#include "tools/labs/course/pipelines.hpp"

#include <fmt/format.h>

namespace sim::labs {

lab::Program solution_07();

namespace {

using parallel::PipelineShape;
using parallel::PipelineStep;
using parallel::PipelineWork;

std::vector<Case> gpipe_cases(std::uint64_t seed) {
    Draw draw(seed, 7);
    const int m = static_cast<int>(draw.of({6, 8, 10, 12}));
    return pipeline_cases(draw, {{.stages = 4, .micro_batches = m},
                                 {.stages = 3, .micro_batches = m / 2},
                                 {.stages = 2, .micro_batches = m + 1}});
}

std::vector<Check> grade_gpipe(const Case& played, const Record& found, const Record& reference) {
    const PipelineNumbers numbers(played);
    const auto [p, m, v, both_ways] = numbers.shape;
    return grade_pipeline(
        played, found, reference,
        {.time = numbers.gpipe(),
         .why_time = fmt::format("(m+p-1)(F+B) + 2 (p-1) c = {} x {} + {} x {}; c is one message", m + p - 1,
                                 text_of(numbers.passes()), 2 * (p - 1), text_of(numbers.hop())),
         .peak_bytes = [&, m = m](int) { return m * numbers.activation_bytes; },
         .why_memory = fmt::format("all m = {} micro-batches are kept when the backward passes begin: {} x {}", m, m,
                                   text_of_bytes(numbers.activation_bytes)),
         .why_order = "a stage runs all forward passes, then all backward passes"});
}

std::vector<PipelineStep> one_at_a_time(const PipelineShape& shape, int) {
    std::vector<PipelineStep> steps;
    for (int i = 0; i < shape.micro_batches; ++i) {
        steps.push_back({PipelineWork::forward, i});
        steps.push_back({PipelineWork::backward, i});
    }
    return steps;
}

std::string says_one_at_a_time(const Case& played, const Record& theirs) {
    const PipelineNumbers numbers(played);
    return fmt::format(
        "{}: one micro-batch went forward and back through all {} stages before the next one began, so that one stage "
        "worked at a time. Run all {} forward passes first, then the backward passes.",
        text_of(theirs.end()), numbers.shape.stages, numbers.shape.micro_batches);
}
std::string says_waits(const Case& played, const Record& theirs) {
    const PipelineNumbers numbers(played);
    return fmt::format(
        "{}, {} too long: your stages wait until what they send has left, {} for each message. Send with send_async, "
        "and they compute on meanwhile.",
        text_of(theirs.end()), text_of(theirs.end() - numbers.gpipe()), text_of(numbers.hop()));
}
std::string says_late(const Case& played, const Record& theirs) {
    return fmt::format(
        "{}: a stage sent nothing before it had computed all {} micro-batches, so the next one waited for the whole "
        "batch. Send each micro-batch as soon as its pass is done.",
        text_of(theirs.end()), PipelineNumbers(played).shape.micro_batches);
}
std::string says_one_f_one_b(const Case& played, const Record& theirs) {
    return fmt::format(
        "{}: this is 1F1B, the schedule of lab 8, which begins backward passes early and keeps fewer activations. "
        "GPipe runs all {} forward passes first.",
        text_of(theirs.end()), PipelineNumbers(played).shape.micro_batches);
}

std::vector<Slip> slips_of_bubble(const Case& played) {
    const PipelineNumbers numbers(played);
    const double p = numbers.shape.stages;
    const double m = numbers.shape.micro_batches;
    return {
        {"", 100 * (p - 1) / m,
         "This is (p-1)/m, the bubble over the time of the work. Asked for is its share of the whole step, which has "
         "the bubble in it: (p-1)/(m+p-1), and the messages."},
        {"", 100 * m / (m + p - 1), "This is m/(m+p-1), the share in which a GPU computes."},
        {"", 100 * (p - 1) / (m + p), "This is (p-1)/(m+p): a step has m+p-1 turns."},
        {"", 100 * p / (m + p - 1), "This is p/(m+p-1): a stage waits for p-1 turns, not p."},
        {"", 100 * (p - 1) / p, "This is (p-1)/p, as without micro-batches."},
        {"", 100 / p, "This is 1/p: each of p stages is busy for m of m+p-1 turns."}};
}

double truth_of_bubble(const Case&, const Record& reference) {
    return idle_percent(reference);
}

}  // namespace

Lab lab_07();
Lab lab_07() {
    return {.number = 7,
            .folder = "07-gpipe",
            .title = "A pipeline and its bubble",
            .cases = gpipe_cases,
            .solution = solution_07(),
            .grade = grade_gpipe,
            .mistakes = {{"one-micro-batch-at-a-time", pipelined({.order = one_at_a_time}), says_one_at_a_time},
                         {"waits-for-its-sends", pipelined({.order = parallel::gpipe, .sends_wait = true}), says_waits},
                         {"sends-after-the-last", pipelined({.order = parallel::gpipe, .sends_late = true}), says_late},
                         {"one-f-one-b", pipelined({.order = parallel::one_f_one_b}), says_one_f_one_b}},
            .prediction = {.question = "Which part of the step does a GPU not compute, in percent?",
                           .quantity = Quantity::percent,
                           .truth = truth_of_bubble},
            .summands = summands_of_pipeline,
            .slips = slips_of_bubble};
}

}  // namespace sim::labs
