// Lab 15: k (fixed + I/k item) + 2 (N-1) (L + S/(N B)), with 2 S + I/k A of memory.
#include "libsim/collectives/all_reduce.hpp"
#include "tools/labs/checks.hpp"
#include "tools/labs/costs.hpp"
#include "tools/labs/course/arrays.hpp"

#include <fmt/format.h>

namespace sim::labs {

lab::Program solution_15();

namespace {

struct Accumulation {
    int ranks;
    std::int64_t items;  // per rank
    std::int64_t gradient_bytes;
    std::int64_t bytes_per_item;
    std::int64_t memory_bytes;
    std::int64_t fixed_flops;
    std::int64_t flops_per_item;
    UniformCosts costs;

    Accumulation(int ranks_of_all, const Given& given)
        : ranks(ranks_of_all),
          items(given.whole("items")),
          gradient_bytes(bytes_of_number * given.whole("elements")),
          bytes_per_item(given.whole("bytes_per_item")),
          memory_bytes(given.whole("memory_bytes")),
          fixed_flops(given.whole("fixed_flops")),
          flops_per_item(given.whole("flops_per_item")),
          costs(UniformCosts::of(given)) {}

    std::int64_t peak(std::int64_t micro_batches) const {
        return 2 * gradient_bytes + items / micro_batches * bytes_per_item;
    }
    std::int64_t micro_batches() const {
        std::int64_t number = 1;
        while (items % number != 0 || peak(number) > memory_bytes) {
            ++number;
        }
        return number;
    }
    Duration compute(std::int64_t count) const { return costs.compute(fixed_flops + count * flops_per_item); }
    Duration sum() const { return costs.ring_all_reduce(ranks, gradient_bytes); }
    Duration time(std::int64_t micro_batches) const { return micro_batches * compute(items / micro_batches) + sum(); }
};

struct AccumulationSizes {
    double items;
    double micro_batches;  // the smallest number that fits
    double elements;
    double bytes_per_item;
    double flops_per_item;
};

// The capacity leaves room for half an item's activations.
Case accumulation_case(int ranks, const AccumulationSizes& sizes, double latency, double factor) {
    const UniformCosts costs{.latency_seconds = latency, .bytes_per_second = 4e9};
    const double activations = sizes.items / sizes.micro_batches + 0.5;
    return {.ranks = ranks,
            .costs = costs.entries(),
            .given = Given({{"items", sizes.items},
                            {"elements", sizes.elements},
                            {"bytes_per_item", sizes.bytes_per_item},
                            {"memory_bytes", 2 * bytes_of_number * sizes.elements + activations * sizes.bytes_per_item},
                            {"fixed_flops", 4e6},
                            {"flops_per_item", sizes.flops_per_item},
                            {"latency_seconds", latency},
                            {"bytes_per_second", costs.bytes_per_second},
                            {"flops_per_second", costs.flops_per_second},
                            {"factor", factor}})};
}

std::vector<Case> accumulation_cases(std::uint64_t seed) {
    Draw draw(seed, 15);
    const double fewest = draw.of({2, 3, 4});
    const double fewest_of_36 = draw.of({4, 6, 9});
    const double elements = draw.of({1000, 2000, 4000});
    const double bytes = draw.of({10e3, 16e3, 24e3});
    const double latency = draw.of({2e-6, 5e-6});
    const double factor = draw.of({1, 2, 3});
    return {accumulation_case(4, {24, fewest, elements, bytes, 3e6}, latency, factor),
            accumulation_case(2, {16, 8, elements / 2, bytes * 2, 2e6}, latency, factor + 1),
            accumulation_case(8, {36, fewest_of_36, elements, bytes / 2, 1e6}, latency, factor + 2)};
}

// First, last and sum of the mean over all items of all ranks.
std::vector<double> glance_at_mean(const Case& played) {
    const Accumulation step(played.ranks, played.given);
    const double elements = played.given["elements"];
    const double first = played.given["factor"] * (static_cast<double>(step.ranks * step.items) + 1) / 2;
    return {first, first + elements - 1, elements * (first + (elements - 1) / 2)};
}

std::vector<Check> grade_accumulation(const Case& played, const Record& found, const Record&) {
    const Accumulation step(played.ranks, played.given);
    const std::int64_t k = step.micro_batches();
    const std::int64_t chunk = step.gradient_bytes / step.ranks;
    return {reports_are(found, "gradient", on_every_rank(played.ranks, glance_at_mean(played)),
                        "first, last and sum of the mean over all items of all ranks"),
            peak_bytes_are(
                found, [&](int) { return step.peak(k); },
                fmt::format("2 S + I/k A = 2 x {} + {} x {}, of {} that there are; k = {} is the fewest "
                            "micro-batches that fit",
                            text_of_bytes(step.gradient_bytes), step.items / k, text_of_bytes(step.bytes_per_item),
                            text_of_bytes(step.memory_bytes), k)),
            time_is(found, step.time(k),
                    fmt::format("k (fixed + I/k per item) + 2 (N-1) (L + S/(N B)) = {} x {} + {}", k,
                                text_of(step.compute(step.items / k)), text_of(step.sum()))),
            bytes_sent_are(
                found, [&](int) { return 2 * (step.ranks - 1) * chunk; },
                fmt::format("one all-reduce in a step: 2 (N-1) S/N = {} x {}", 2 * (step.ranks - 1),
                            text_of_bytes(chunk)))};
}

enum class Sums : std::uint8_t { once, each_micro_batch, what_is_summed_again };

// A step in which every decision can be a mistake.
struct MistakenAccumulation {
    Sums sums = Sums::once;
    bool one_batch = false;
    bool single_items = false;
    bool keeps_activations = false;
    bool divides_by_ranks_alone = false;
};

void add_mean_of(GPU& gpu, const Given& given, std::vector<double>& gradient, std::int64_t first, std::int64_t count) {
    const Accumulation step(gpu.world_size(), given);
    gpu.compute("forward and backward", Flops{step.fixed_flops + count * step.flops_per_item});
    const std::int64_t begin = gpu.rank() * step.items + first;
    const double mean = given["factor"] * (static_cast<double>(begin + 1) + static_cast<double>(count - 1) / 2);
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        gradient[i] += mean + static_cast<double>(i);
    }
}

void accumulate(GPU& gpu, const Given& given, const MistakenAccumulation& how, std::vector<double>& gradient,
                std::int64_t micro_batches) {
    const Accumulation step(gpu.world_size(), given);
    const std::int64_t count = step.items / micro_batches;
    const Bytes activations{count * step.bytes_per_item};
    for (std::int64_t first = 0; first < step.items; first += count) {
        gpu.allocate("activations", activations);
        if (how.sums == Sums::each_micro_batch) {
            std::vector<double> own(gradient.size());
            add_mean_of(gpu, given, own, first, count);
            collectives::all_reduce(gpu, world(gpu), own);
            add_to(gradient, own);
        } else {
            add_mean_of(gpu, given, gradient, first, count);
            if (how.sums == Sums::what_is_summed_again) {
                collectives::all_reduce(gpu, world(gpu), gradient);
            }
        }
        if (!how.keeps_activations) {
            gpu.release("activations", activations);
        }
    }
    if (how.sums == Sums::once) {
        collectives::all_reduce(gpu, world(gpu), gradient);
    }
    if (how.keeps_activations) {
        gpu.release("activations", micro_batches * activations);
    }
}

lab::Program mistaken_accumulation(const MistakenAccumulation& how) {
    return [how](GPU& gpu, const Given& given) {
        const Accumulation step(gpu.world_size(), given);
        const std::int64_t micro_batches = how.one_batch ? 1 : how.single_items ? step.items : step.micro_batches();
        std::vector<double> gradient(static_cast<std::size_t>(step.gradient_bytes / bytes_of_number));
        gpu.allocate("weights", Bytes{step.gradient_bytes});
        gpu.allocate("gradient", Bytes{step.gradient_bytes});
        accumulate(gpu, given, how, gradient, micro_batches);
        const std::int64_t divisor = step.ranks * (how.divides_by_ranks_alone ? 1 : micro_batches);
        for (double& number : gradient) {
            number /= static_cast<double>(divisor);
        }
        gpu.report("gradient", glance_at(gradient));
    };
}

std::string says_each_time(const Case& played, const Record& theirs) {
    const Accumulation step(played.ranks, played.given);
    return fmt::format(
        "{}: you summed over the ranks after each of the {} micro-batches, {} each time. Sums of sums are the same: "
        "accumulate first, and sum once.",
        text_of(theirs.end()), step.micro_batches(), text_of(step.sum()));
}
std::string says_again(const Case& played, const Record& theirs) {
    const Accumulation step(played.ranks, played.given);
    return fmt::format(
        "{}: you summed the accumulated gradient after each of the {} micro-batches, so that what was summed already "
        "was summed again, {} times as large. Sum once, after the last.",
        text_of(theirs.end()), step.micro_batches(), step.ranks);
}
std::string says_one_batch(const Case& played, const Record&) {
    const Accumulation step(played.ranks, played.given);
    return fmt::format(
        "Out of memory: all {} items at once take {}, and there are {}. Split them into {} micro-batches.", step.items,
        text_of_bytes(step.peak(1)), text_of_bytes(step.memory_bytes), step.micro_batches());
}
std::string says_single_items(const Case& played, const Record& theirs) {
    const Accumulation step(played.ranks, played.given);
    return fmt::format(
        "{}: {} micro-batches of one item. They fit, but each costs {} that do not depend on its items; {} "
        "micro-batches fit as well.",
        text_of(theirs.end()), step.items, text_of(step.costs.compute(step.fixed_flops)), step.micro_batches());
}
std::string says_kept(const Case& played, const Record&) {
    const Accumulation step(played.ranks, played.given);
    return fmt::format(
        "Out of memory: {} of {}. You kept the activations of all {} micro-batches; release them after each backward "
        "pass, or splitting gains nothing.",
        text_of_bytes(step.peak(1)), text_of_bytes(step.memory_bytes), step.micro_batches());
}
std::string says_divided_by_ranks(const Case& played, const Record&) {
    const Accumulation step(played.ranks, played.given);
    return fmt::format(
        "The gradient is {0} times as large as it should be: each micro-batch adds its own mean, and you divided by "
        "{1} ranks only. Divide by {0} x {1}.",
        step.micro_batches(), step.ranks);
}

std::vector<Factor> factors_of_accumulation(const Case& played) {
    return {{"k, the number of micro-batches",
             static_cast<double>(Accumulation(played.ranks, played.given).micro_batches())}};
}

// The parts of the mean of each rank, and of each micro-batch of all ranks.
std::vector<Summands> summands_of_accumulation(const Case& played, int) {
    const Accumulation step(played.ranks, played.given);
    const std::int64_t k = step.micro_batches();
    const std::int64_t count = step.items / k;
    const double elements = played.given["elements"];
    const auto parts = static_cast<double>(step.ranks * k);
    const auto mean_of = [&](int rank, std::int64_t micro_batch) {
        const auto begin = static_cast<double>(rank * step.items + micro_batch * count);
        return played.given["factor"] * (begin + 1 + static_cast<double>(count - 1) / 2);
    };
    const auto glance = [&](double sum_of_means, double number) {
        return std::vector<double>{sum_of_means / parts, (sum_of_means + number * (elements - 1)) / parts,
                                   elements * (sum_of_means + number * (elements - 1) / 2) / parts};
    };
    Summands of_ranks{.report = "gradient", .kind = "gradients", .owner = "rank", .of = {}};
    for (int rank = 0; rank < step.ranks; ++rank) {
        double sum = 0;
        for (std::int64_t i = 0; i < k; ++i) {
            sum += mean_of(rank, i);
        }
        of_ranks.of.push_back(glance(sum, static_cast<double>(k)));
    }
    Summands of_parts{.report = "gradient", .kind = "micro-batches", .owner = "micro-batch", .of = {}};
    for (std::int64_t i = 0; i < k; ++i) {
        double sum = 0;
        for (int rank = 0; rank < step.ranks; ++rank) {
            sum += mean_of(rank, i);
        }
        of_parts.of.push_back(glance(sum, step.ranks));
    }
    return {of_parts, of_ranks};
}

std::vector<Slip> slips_of_accumulation(const Case& played) {
    const Accumulation step(played.ranks, played.given);
    const auto states = static_cast<double>(2 * step.gradient_bytes);
    const auto activations = static_cast<double>(step.peak(step.micro_batches())) - states;
    return {{"", static_cast<double>(step.peak(1)), "This has the activations of all items at once."},
            {"", states / 2 + activations, "This has one of weights and gradient; both are there."},
            {"", activations, "These are the activations of a micro-batch alone; weights and gradient come on top."},
            {"", states + static_cast<double>(step.bytes_per_item),
             "This has micro-batches of one item; larger ones fit, too, and cost less."},
            {"", static_cast<double>(step.memory_bytes), "This is the memory that there is."}};
}

double peak_of_accumulation(const Case& played, const Record&) {
    const Accumulation step(played.ranks, played.given);
    return static_cast<double>(step.peak(step.micro_batches()));
}

}  // namespace

Lab lab_15();
Lab lab_15() {
    return {.number = 15,
            .folder = "15-gradient-accumulation",
            .title = "Gradient accumulation",
            .cases = accumulation_cases,
            .solution = solution_15(),
            .grade = grade_accumulation,
            .mistakes = {{"summed-in-each-micro-batch", mistaken_accumulation({.sums = Sums::each_micro_batch}),
                          says_each_time},
                         {"sums-summed-again", mistaken_accumulation({.sums = Sums::what_is_summed_again}), says_again},
                         {"all-items-at-once", mistaken_accumulation({.one_batch = true}), says_one_batch},
                         {"single-items", mistaken_accumulation({.single_items = true}), says_single_items},
                         {"activations-kept", mistaken_accumulation({.keeps_activations = true}), says_kept},
                         {"divided-by-ranks-alone", mistaken_accumulation({.divides_by_ranks_alone = true}),
                          says_divided_by_ranks}},
            .prediction = {.question = "How much memory is in use at most?",
                           .quantity = Quantity::bytes,
                           .truth = peak_of_accumulation},
            .factors = factors_of_accumulation,
            .summands = summands_of_accumulation,
            .slips = slips_of_accumulation};
}

}  // namespace sim::labs
