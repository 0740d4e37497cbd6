// Lab 15 as a PyTorch script: one all-reduce per step, and the activations of one micro-batch.
#include "tools/labs/script_checks.hpp"

#include <fmt/format.h>

namespace sim::labs {

namespace {

struct AccumulationScript {
    int ranks;
    std::int64_t width, micro_batches, batch, steps;

    explicit AccumulationScript(const Case& played)
        : ranks(played.ranks),
          width(played.given.whole("width")),
          micro_batches(played.given.whole("micro_batches")),
          batch(played.given.whole("batch")),
          steps(played.given.whole("steps")) {}

    // Three layers, weights and biases; smaller than DDP's first bucket, so there is only one all-reduce.
    std::int64_t gradient_bytes() const { return 3 * 4 * (width * width + width); }
};

Case accumulation_case(int ranks, double width, double micro_batches, double batch, double seed) {
    return {.ranks = ranks,
            .costs = on_machine("g4dn.12xlarge"),
            .given = Given(
                {{"width", width}, {"micro_batches", micro_batches}, {"batch", batch}, {"steps", 2}, {"seed", seed}})};
}

std::vector<Case> accumulation_cases(std::uint64_t seed) {
    Draw draw(seed, 15);
    const double width = draw.of({32, 48, 64, 96});
    const double micro_batches = draw.of({3, 4, 5});
    const double batch = 128;
    return {accumulation_case(4, width, micro_batches, batch, 1),
            accumulation_case(2, width + 16, micro_batches - 1, 2 * batch, 2)};
}

std::vector<Check> grade_accumulation(const Case& played, const Record& found, const Record& reference) {
    const AccumulationScript lab(played);
    const std::int64_t bytes = lab.gradient_bytes();
    const Duration time = price_of(played, CollectiveKind::all_reduce, bytes, lab.ranks);
    return {
        same_everywhere(found, "weights", "equal weights and equal gradients stay equal weights"),
        near_reference(
            found, reference, "weights", 1e-4,
            fmt::format("the gradient of the mean over {} x {} samples of a rank: the sum of {} losses, each "
                        "divided by {}",
                        lab.micro_batches, lab.batch, lab.micro_batches, lab.micro_batches)),
        bytes_called_are(found, {CollectiveKind::all_reduce}, lab.steps * bytes,
                         fmt::format("{} steps, each with one gradient of {}, whatever the micro-batches", lab.steps,
                                     text_of_bytes(bytes))),
        time_called_is(found, {CollectiveKind::all_reduce}, {lab.steps * time},
                       fmt::format("{} all-reduces of {}, {} each", lab.steps, text_of_bytes(bytes), text_of(time))),
        peak_is_at_most(found, reference,
                        fmt::format("weights, gradients, the step's inputs, and the activations of one of {} "
                                    "micro-batches",
                                    lab.micro_batches))};
}

std::string says_every_time(const Case& played, const Record&) {
    const AccumulationScript lab(played);
    return fmt::format(
        "You all-reduce in each of {0} micro-batches, {0} times {1} in a step. Put forward and backward of "
        "all but the last into model.no_sync(): DDP decides in forward.",
        lab.micro_batches, text_of_bytes(lab.gradient_bytes()));
}
std::string says_not_divided_by_parts(const Case& played, const Record&) {
    return fmt::format(
        "Your gradient is {0} times too large: it is the sum of {0} means. Divide each loss by the number "
        "of micro-batches.",
        AccumulationScript(played).micro_batches);
}
std::string says_last_alone(const Case& played, const Record&) {
    return fmt::format(
        "Only the last of {} micro-batches counts: zero_grad() in the loop throws away what the others "
        "added up. Call it once a step.",
        AccumulationScript(played).micro_batches);
}
std::string says_one_backward(const Case& played, const Record& theirs) {
    const std::vector<double>& peak = reported(theirs, "peak bytes", 0);
    return fmt::format(
        "The numbers are right, but {} are in memory at the peak: one backward at the end keeps the "
        "activations of all {} micro-batches. Call backward() after each.",
        text_of_bytes(peak.empty() ? 0 : static_cast<std::int64_t>(peak.front())),
        AccumulationScript(played).micro_batches);
}

double saved_share(const Case& played, const Record&) {
    return 100 - 100.0 / static_cast<double>(AccumulationScript(played).micro_batches);
}

}  // namespace

Lab torch_lab_15();
Lab torch_lab_15() {
    return {.number = 15,
            .folder = "15-gradient-accumulation",
            .title = "Gradient accumulation under DDP",
            .cases = accumulation_cases,
            .solution = {},
            .grade = grade_accumulation,
            .prediction = {.question = "Which share of the all-reduces of a step does no_sync() save?",
                           .quantity = Quantity::percent,
                           .tolerance = 0.02,
                           .truth = saved_share},
            .script_mistakes = {{"all-reduce-every-micro-batch", says_every_time},
                                {"loss-not-divided", says_not_divided_by_parts},
                                {"zero-grad-in-the-loop", says_last_alone},
                                {"one-backward-at-the-end", says_one_backward}}};
}

}  // namespace sim::labs
