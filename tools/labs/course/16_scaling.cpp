// Lab 16: strong and weak speedup and efficiency of a step with an all-reduce.
#include "tools/labs/checks.hpp"
#include "tools/labs/costs.hpp"
#include "tools/labs/course/scaling_study.hpp"

#include <fmt/format.h>

namespace sim::labs {

lab::Program solution_16();

namespace {

struct ScalingCase {
    int ranks;
    std::int64_t samples;
    std::int64_t flops_per_sample;
    std::int64_t gradient_bytes;
    UniformCosts costs;

    explicit ScalingCase(const Case& played)
        : ranks(played.ranks),
          samples(played.given.whole("samples")),
          flops_per_sample(played.given.whole("flops_per_sample")),
          gradient_bytes(played.given.whole("gradient_bytes")),
          costs(UniformCosts::of(played.given)) {}

    std::vector<int> numbers_of_ranks() const {
        std::vector<int> numbers;
        for (int n = 1; n <= ranks; n *= 2) {
            numbers.push_back(n);
        }
        return numbers;
    }
    Duration compute(std::int64_t of) const { return costs.compute(of * flops_per_sample); }
    Duration all_reduce(int n) const { return 2 * half_ring_time(costs, n, gradient_bytes); }
    Duration strong(int n) const { return compute(samples / n) + all_reduce(n); }
    Duration weak(int n) const { return compute(samples) + all_reduce(n); }
    double speedup(int n) const { return seconds(strong(1)) / seconds(strong(n)); }
    double weak_efficiency(int n) const { return seconds(weak(1)) / seconds(weak(n)); }

    // The time of all steps in sequence, as rank 0 runs them.
    Duration time() const {
        Duration sum{0};
        for (const int n : numbers_of_ranks()) {
            sum += strong(n) + weak(n);
        }
        return sum;
    }
    std::int64_t sent(int rank) const {
        std::int64_t sum = 0;
        for (const int n : numbers_of_ranks()) {
            sum += rank < n ? 2 * 2 * half_ring_bytes(n, gradient_bytes) : 0;
        }
        return sum;
    }
};

Case scaling_case(int ranks, double samples, double flops_per_sample, double bytes, double rate, double latency) {
    const UniformCosts costs{.latency_seconds = latency, .bytes_per_second = rate, .flops_per_second = 1e13};
    return {.ranks = ranks,
            .costs = costs.entries(),
            .given = Given({{"samples", samples},
                            {"flops_per_sample", flops_per_sample},
                            {"gradient_bytes", bytes},
                            {"latency_seconds", latency},
                            {"bytes_per_second", rate},
                            {"flops_per_second", costs.flops_per_second}})};
}

std::vector<Case> scaling_cases(std::uint64_t seed) {
    Draw draw(seed, 16);
    const double samples = draw.of({256, 512, 1024});
    const double flops = draw.of({2e10, 4e10, 5e10});
    const double bytes = draw.of({100e6, 200e6, 400e6});
    const double rate = draw.of({5e9, 10e9, 12.5e9});
    const double latency = draw.of({5e-6, 10e-6, 20e-6});
    return {scaling_case(8, samples, flops, bytes, rate, latency),
            scaling_case(4, samples / 2, 2 * flops, 2 * bytes, rate, latency),
            scaling_case(16, 2 * samples, flops / 2, bytes / 4, 2 * rate, latency)};
}

std::vector<Check> grade_scaling(const Case& played, const Record& found, const Record&) {
    const ScalingCase at(played);
    std::vector<double> speedup;
    std::vector<double> strong;
    std::vector<double> weak;
    for (const int n : at.numbers_of_ranks()) {
        speedup.push_back(at.speedup(n));
        strong.push_back(at.speedup(n) / n);
        weak.push_back(at.weak_efficiency(n));
    }
    const int n = at.ranks;
    return {reports_are(
                found, "speedup", {{0, speedup}},
                fmt::format("T(1)/T(n), where T(n) = compute/n + 2 (n-1) (L + S/(n B)); with {} ranks {} / ({} + {})",
                            n, text_of(at.strong(1)), text_of(at.compute(at.samples / n)), text_of(at.all_reduce(n)))),
            reports_are(found, "strong efficiency", {{0, strong}}, "the speedup of n ranks, over n"),
            reports_are(found, "weak efficiency", {{0, weak}},
                        fmt::format("T(1)/T(n), where each rank has all the samples: with {} ranks {} / ({} + {})", n,
                                    text_of(at.weak(1)), text_of(at.compute(at.samples)), text_of(at.all_reduce(n)))),
            {.aspect = Aspect::time,
             .ok = found.end() <= at.time(),
             .expected = text_of(at.time()) + " or less",
             .found = text_of(found.end()),
             .why = fmt::format("a strong and a weak step with each of 1, 2, … {} ranks, once each", n)},
            bytes_sent_are(
                found, [&](int rank) { return at.sent(rank); },
                "2 (n-1) S/n in each of the two steps that a rank takes part in")};
}

std::string says_divided(const Case& played, const Record&) {
    const ScalingCase at(played);
    return fmt::format(
        "Your weak efficiency of {} ranks is {:.3g}, {} times too small: you divided it by n. In weak scaling the "
        "work has grown n times already, so that T(1)/T(n) is the efficiency itself.",
        at.ranks, at.weak_efficiency(at.ranks) / at.ranks, at.ranks);
}
std::string says_not_shared(const Case& played, const Record&) {
    const ScalingCase at(played);
    return fmt::format(
        "Your speedup never exceeds 1: in the strong step each rank still computed all {} samples. n ranks share "
        "them, {} / n each.",
        at.samples, at.samples);
}
std::string says_shared_in_weak(const Case& played, const Record&) {
    return fmt::format(
        "Your weak steps share the {} samples, which is strong scaling once more. In weak scaling each rank has as "
        "many as one had alone.",
        ScalingCase(played).samples);
}
std::string says_from_beginning(const Case&, const Record&) {
    return "You took gpu.now() as the time of a step. That is the time since the beginning of the run, with all "
           "earlier steps in "
           "it: subtract what it was before the step.";
}
std::string says_upside_down(const Case&, const Record&) {
    return "You divided the new time by the old one. A speedup is T(1)/T(n): more than 1 if it has become faster.";
}
std::vector<Slip> slips_of_scaling(const Case& played) {
    const ScalingCase at(played);
    const int n = at.ranks;
    return {{"", static_cast<double>(n), "This is N, as if the gradients were added up in no time."},
            {"", at.speedup(n) / n, "This is the efficiency, the speedup over N."},
            {"", 1 / at.speedup(n), "This is the new time over the old one; a speedup is T(1)/T(N)."},
            {"", n * at.weak_efficiency(n), "This is the weak speedup, where every rank has all samples."},
            {"", seconds(at.strong(1)) / seconds(at.compute(at.samples / n) + at.all_reduce(n) / 2),
             "This has half of the all-reduce: a ring has 2 (N-1) steps."}};
}

double scaling_to_predict(const Case& played, const Record&) {
    const ScalingCase at(played);
    return at.speedup(at.ranks);
}

lab::Program scaling(const ScalingStudy& how) {
    return [how](GPU& gpu, const Given& given) { study(gpu, given, how); };
}

}  // namespace

Lab lab_16();
Lab lab_16() {
    return {.number = 16,
            .folder = "16-scaling",
            .title = "Scaling, strong and weak",
            .cases = scaling_cases,
            .solution = solution_16(),
            .grade = grade_scaling,
            .mistakes = {{"weak-divided-by-ranks", scaling({.divides_weak = true}), says_divided},
                         {"samples-not-shared", scaling({.shares_samples = false}), says_not_shared},
                         {"weak-is-strong", scaling({.shares_in_weak = true}), says_shared_in_weak},
                         {"time-since-the-beginning", scaling({.from_the_beginning = true}), says_from_beginning},
                         {"upside-down", scaling({.upside_down = true}), says_upside_down}},
            .prediction = {.question = "What is the speedup of all ranks over one, with the same samples in all?",
                           .quantity = Quantity::number,
                           .truth = scaling_to_predict},
            .slips = slips_of_scaling};
}

}  // namespace sim::labs
