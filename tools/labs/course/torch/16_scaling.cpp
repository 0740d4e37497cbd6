// Lab 16 as a PyTorch script: a step measured on 1, 2, 4, … ranks, and the conclusions from the measurement.
#include "tools/labs/script_checks.hpp"

#include <fmt/format.h>

#include <cmath>

namespace sim::labs {

namespace {

struct ScalingScript {
    int ranks;
    std::int64_t layers, width, batch, steps;

    explicit ScalingScript(const Case& played)
        : ranks(played.ranks),
          layers(played.given.whole("layers")),
          width(played.given.whole("width")),
          batch(played.given.whole("batch")),
          steps(played.given.whole("steps")) {}

    std::int64_t gradient_bytes() const { return 4 * layers * (width * width + width); }
    // Rank 0 is in the groups of 2, 4, … ranks; one step is for setup.
    std::int64_t all_reduced_steps() const {
        return (steps + 1) * static_cast<std::int64_t>(std::lround(std::log2(ranks)));
    }
};

Case scaling_case(int ranks, double layers, double width, double batch, double steps) {
    return {.ranks = ranks,
            .costs = on_machine("g4dn.12xlarge", true),
            .given = Given({{"layers", layers}, {"width", width}, {"batch", batch}, {"steps", steps}})};
}

std::vector<Case> scaling_cases(std::uint64_t seed) {
    Draw draw(seed, 16);
    const double layers = draw.of({2, 3});
    const double width = draw.of({1024, 1536});
    const double batch = draw.of({1024, 2048, 4096});
    return {scaling_case(4, layers, width, batch, 3), scaling_case(2, layers + 1, width, batch / 2, 2)};
}

// Compares a list of rank 0 with the expected one, number by number.
Check list_is(const Record& found, const std::string& name, Aspect aspect, const std::vector<double>& right,
              double error, std::string why) {
    const std::vector<double>& numbers = reported(found, name, 0);
    std::size_t at = 0;
    while (at < right.size() && at < numbers.size() &&
           std::abs(numbers[at] - right[at]) <= error * std::abs(right[at])) {
        ++at;
    }
    const bool ok = at == right.size() && numbers.size() == right.size();
    const std::size_t shown = ok ? right.size() - 1 : at;
    const auto text = [&](const std::vector<double>& of) {
        return shown < of.size() ? fmt::format("{:.6g} in {} on {} ranks", of[shown], name, 1 << shown)
                                 : fmt::format("{} numbers in {}", of.size(), name);
    };
    return {.aspect = aspect, .ok = ok, .expected = text(right), .found = text(numbers), .why = std::move(why)};
}

// Only rank 0, because the other ranks are in fewer groups.
Check bytes_of_first_rank(const ScalingScript& lab, const Record& found) {
    const std::int64_t bytes = bytes_called(found, 0, {CollectiveKind::all_reduce});
    const std::int64_t right = lab.all_reduced_steps() * lab.gradient_bytes();
    return {.aspect = Aspect::bytes,
            .ok = bytes == right,
            .expected = text_of_bytes(right) + " in all-reduce on rank 0",
            .found = text_of_bytes(bytes) + " in all-reduce on rank 0",
            .why = fmt::format("{} + 1 steps in each group of several ranks, with a gradient of {}", lab.steps,
                               text_of_bytes(lab.gradient_bytes()))};
}

std::vector<Check> grade_scaling(const Case& played, const Record& found, const Record& reference) {
    const ScalingScript lab(played);
    const std::vector<double>& seconds = reported(found, "seconds", 0);
    std::vector<double> speedup;
    std::vector<double> efficiency;
    for (int ranks = 1; ranks <= lab.ranks; ranks *= 2) {
        const std::size_t at = speedup.size();
        speedup.push_back(at < seconds.size() ? seconds[0] / seconds[at] : 0);
        efficiency.push_back(speedup.back() / ranks);
    }
    return {list_is(found, "seconds", Aspect::time, reported(reference, "seconds", 0), 0.01,
                    fmt::format("{} samples shared by the ranks, the mean of {} steps after the first", lab.batch,
                                lab.steps)),
            list_is(found, "speedup", Aspect::data, speedup, 1e-9, "T(1) / T(N), of your own seconds"),
            list_is(found, "efficiency", Aspect::data, efficiency, 1e-9, "speedup / N, of your own seconds"),
            bytes_of_first_rank(lab, found)};
}

std::string says_no_wait(const Case&, const Record& theirs) {
    const std::vector<double>& seconds = reported(theirs, "seconds", 0);
    return fmt::format(
        "{} a step on one rank is what the host needs to launch it: it runs ahead of its GPU. Wait for the "
        "GPU before each look at the clock.",
        seconds.empty() ? "That" : text_of(duration_of_seconds(seconds[0])));
}
std::string says_weak(const Case& played, const Record&) {
    const ScalingScript lab(played);
    return fmt::format(
        "Each of N ranks computes all {} samples: that is weak scaling, with N times the work. Divide the "
        "batch by the ranks.",
        lab.batch);
}
std::string says_efficiency(const Case&, const Record&) {
    return "Your efficiency is the speedup once more. It is the share of N times the speed that is reached: speedup / "
           "N.";
}
std::string says_first_step(const Case& played, const Record&) {
    const auto steps = ScalingScript(played).steps;
    return fmt::format(
        "The clock runs from before the first step: you divide {} steps by {}. Begin after the step that "
        "sets things up.",
        steps + 1, steps);
}

double time_of_all_reduce(const Case& played, const Record&) {
    const ScalingScript lab(played);
    return seconds(price_of(played, CollectiveKind::all_reduce, lab.gradient_bytes(), lab.ranks));
}

}  // namespace

Lab torch_lab_16();
Lab torch_lab_16() {
    return {.number = 16,
            .folder = "16-scaling",
            .title = "Strong scaling of a DDP step",
            .cases = scaling_cases,
            .solution = {},
            .grade = grade_scaling,
            .prediction = {.question = "How long does an all-reduce of the whole gradient take among all ranks?",
                           .tolerance = 0.3,
                           .truth = time_of_all_reduce},
            .script_mistakes = {{"clock-without-waiting", says_no_wait},
                                {"clock-without-waiting", says_no_wait},
                                {"weak-not-strong", says_weak},
                                {"efficiency-is-speedup", says_efficiency},
                                {"first-step-counted", says_first_step}}};
}

}  // namespace sim::labs
