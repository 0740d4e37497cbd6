// Lab 14: a layout for 70 billion parameters on 64 GPUs, compared with the best that an exhaustive search finds.
#include "tools/labs/checks.hpp"
#include "tools/labs/course/plan_task.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace sim::labs {

lab::Program solution_14();

namespace {

constexpr double within = 1.05;  // relative to the best step

std::vector<Case> plan_cases(std::uint64_t seed) {
    Draw draw(seed, 14);
    const int llama = static_cast<int>(draw.of({2, 3}));
    const bool h100 = draw.of({0, 1}) == 1;
    const int batch = static_cast<int>(draw.of({256, 512, 1024}));
    const int other_batch = static_cast<int>(draw.of({256, 512, 1024}));
    return {plan_case(llama, h100, batch), plan_case(5 - llama, !h100, other_batch)};
}

double times_the_best(const Case& played, const Record& found) {
    const JudgedLayout theirs = judged(played, found);
    return theirs.problem.empty() ? seconds(theirs.step) / seconds(best_step(played)) : 0;
}

std::vector<Check> grade_plan(const Case& played, const Record& found, const Record&) {
    const JudgedLayout theirs = judged(played, found);
    const bool is_legal = theirs.problem.empty();
    const Duration best = best_step(played);
    const auto capacity = static_cast<std::int64_t>(played.given["memory_bytes"]);
    const auto limit = Duration{static_cast<std::int64_t>(within * static_cast<double>(best.count()))};
    return {{.aspect = Aspect::data,
             .ok = is_legal,
             .expected = "a layout that 64 GPUs can have",
             .found = is_legal ? theirs.text : theirs.problem,
             .why = "tp x cp x pp x dp is the number of GPUs, and every size divides what it splits"},
            {.aspect = Aspect::memory,
             .ok = is_legal && theirs.fits,
             .expected = text_of_bytes(capacity) + " or less",
             .found = is_legal ? text_of_bytes(theirs.memory) : "no such layout",
             .why = "states, activations and buffers of the fullest GPU, as ndsim memory counts them"},
            {.aspect = Aspect::time,
             .ok = is_legal && theirs.fits && theirs.step <= limit,
             .expected = text_of(limit) + " or less, in a layout that fits",
             .found = is_legal ? text_of(theirs.step) : "no such layout",
             .why = fmt::format("within 5 % of {}, the best of all layouts that ndsim plan looks at", text_of(best))}};
}

lab::Program planned(const ReportedLayout& layout) {
    return [layout](GPU& gpu, const Given&) { report_layout(gpu, layout); };
}

std::string says_data_parallel(const Case& played, const Record& theirs) {
    return fmt::format(
        "64 replicas with all states on each: {} on a GPU of {}. 18 bytes for each of the parameters have to be "
        "spread, by ZeRO, tensor or pipeline parallelism.",
        text_of_bytes(judged(played, theirs).memory),
        text_of_bytes(static_cast<std::int64_t>(played.given["memory_bytes"])));
}
std::string says_recipe(const Case& played, const Record& theirs) {
    return fmt::format(
        "tp fills the node and pp the rest: it fits, with room to spare, and takes {:.2f} times the best. The room "
        "is worth something: less tensor parallelism communicates less in every layer.",
        times_the_best(played, theirs));
}
std::string says_recompute(const Case& played, const Record& theirs) {
    return fmt::format(
        "Recomputing everything makes room, and costs a forward pass more, a third of the work: {:.2f} times the "
        "best. Split the activations in place of throwing them away: tp, or cp where sequences are long.",
        times_the_best(played, theirs));
}
std::string says_tensor(const Case& played, const Record& theirs) {
    return fmt::format(
        "Tensor parallelism over all 64 GPUs leaves the node: four all-reduces in every layer take the slow links, "
        "{:.2f} times the best. It stays within a node (lab 13).",
        times_the_best(played, theirs));
}

// Another choice at one place of a layout.
struct Lever {
    const char* name;     // as it is reported
    const char* meaning;  // in words
    double (*other)(double theirs);
};
double half(double theirs) {
    return theirs / 2;
}
double twice(double theirs) {
    return theirs * 2;
}
constexpr std::array levers{
    Lever{"tp", "less tensor parallelism, which communicates in every layer", half},
    Lever{"tp", "more tensor parallelism", twice},
    Lever{"pp", "fewer pipeline stages, whose bubble is shorter", half},
    Lever{"pp", "more pipeline stages", twice},
    Lever{"cp", "less context parallelism", half},
    Lever{"cp", "more context parallelism", twice},
    Lever{"interleave", "more chunks on each stage, which shorten the bubble", twice},
    Lever{"micro_batch", "smaller micro-batches", half},
    Lever{"zero", "ZeRO 3 in place of less", [](double) { return 3.0; }},
    Lever{"zero", "ZeRO 1 in place of more", [](double) { return 1.0; }},
    Lever{"recompute", "keeping the activations in place of computing them twice", [](double) { return 0.0; }}};

JudgedLayout with_lever(const Case& played, Record theirs, const Lever& lever) {
    for (auto& [rank, numbers] : theirs.reports[lever.name]) {
        for (double& number : numbers) {
            number = lever.other(number);
        }
    }
    return judged(played, theirs);
}

// The change of one number that helps most: to fit, or else to be fast.
std::string explain_layout(const Case& played, const Record& theirs) {
    const JudgedLayout own = judged(played, theirs);
    if (!own.problem.empty()) {
        return fmt::format("64 GPUs cannot have this layout: {}.", own.problem);
    }
    const Lever* best = nullptr;
    JudgedLayout found;
    for (const Lever& lever : levers) {
        JudgedLayout other = with_lever(played, theirs, lever);
        const bool is_better = own.fits ? other.fits && other.step < (best == nullptr ? own : found).step
                                        : other.memory < (best == nullptr ? own : found).memory;
        if (other.problem.empty() && is_better) {
            best = &lever;
            found = std::move(other);
        }
    }
    const std::string what =
        own.fits ? fmt::format("{} fits, and takes {:.2f} times the best", own.text, times_the_best(played, theirs))
                 : fmt::format("{} needs {} on a GPU of {}", own.text, text_of_bytes(own.memory),
                               text_of_bytes(static_cast<std::int64_t>(played.given["memory_bytes"])));
    return best == nullptr ? what + ": no change of one number alone makes it better."
                           : fmt::format("{}. The one number that helps most: {}.", what, best->meaning);
}

double best_to_predict(const Case& played, const Record&) {
    return seconds(best_step(played));
}

}  // namespace

Lab lab_14();
Lab lab_14() {
    return {
        .number = 14,
        .folder = "14-plan-a-70b",
        .title = "Plan 70B on 64 GPUs",
        .cases = plan_cases,
        .solution = solution_14(),
        .grade = grade_plan,
        .mistakes = {{"all-data-parallel", planned({}), says_data_parallel},
                     {"node-then-pipeline", planned({.tp = 8, .pp = 8}), says_recipe},
                     {"recompute-everything", planned({.zero = 3, .recompute = 1}), says_recompute},
                     {"tensor-parallel-across-nodes", planned({.tp = 64}), says_tensor}},
        .prediction =
            {.question = "How long is a step of the fastest layout? (6 FLOPs per parameter and token, at what share of "
                         "the peak?)",
             .tolerance = 0.25,
             .truth = best_to_predict},
        .board = {{.heading = "times the best plan", .value = times_the_best}},
        .explain = explain_layout};
}

}  // namespace sim::labs
