// Lab 1: (I/N) u c + N (L + G p + A), through rank 0.
#include "tools/labs/checks.hpp"
#include "tools/labs/costs.hpp"
#include "tools/labs/course/arrays.hpp"

#include <fmt/format.h>

namespace sim::labs {

lab::Program solution_01();

namespace {

struct ServedStep {
    int ranks;
    std::int64_t items;
    Units units;
    Units gradient;
    UnitCosts costs;

    explicit ServedStep(const Case& played)
        : ranks(played.ranks),
          items(played.given.whole("items")),
          units(played.given["units"]),
          gradient(played.given["gradient_units"]),
          costs{.seconds_per_unit = played.given["seconds_per_unit"],
                .latency_seconds = played.given["latency_seconds"],
                .seconds_per_data_unit = played.given["seconds_per_data_unit"]} {}

    Duration compute() const { return items / ranks * costs.compute(units); }
    Duration exchange() const { return ranks * (costs.send(gradient) + costs.receive()); }
    Duration time() const { return compute() + exchange(); }
    // Rank 0 acknowledges N - 1 gradients, the first of which takes a whole send, and sends N - 1 sums.
    Duration end_of_server() const { return compute() + ranks * costs.send(gradient) + (ranks - 1) * costs.receive(); }
};

Case served_case(int ranks, double items, double units, double gradient_units, const UnitCosts& costs, double factor) {
    return {.ranks = ranks,
            .costs = costs.entries(),
            .given = Given({{"items", items},
                            {"units", units},
                            {"gradient_units", gradient_units},
                            {"seconds_per_unit", costs.seconds_per_unit},
                            {"latency_seconds", costs.latency_seconds},
                            {"seconds_per_data_unit", costs.seconds_per_data_unit},
                            {"factor", factor}})};
}

std::vector<Case> served_cases(std::uint64_t seed) {
    Draw draw(seed, 1);
    const double share = draw.of({3, 4, 5, 6});
    const double units = draw.of({10, 15, 25});
    const double gradient = draw.of({200, 300, 400});
    const double latency = draw.of({0.02, 0.04, 0.1});
    const double factor = draw.of({1, 2, 4});
    const UnitCosts costs{.latency_seconds = latency};
    // Seed 1 is the setting of 1d_data_parallel, so that it can be compared with the scenario's ring.
    return {
        seed == 1 ? served_case(4, 16, 20, 500, {}, factor) : served_case(4, 4 * share, units, gradient, costs, factor),
        served_case(3, 3 * (share + 1), units, gradient / 2, costs, factor + 1),
        served_case(8, 8 * share, units / 5, gradient + 50, costs, factor + 2)};
}

std::vector<double> mean_gradient(const Case& played) {
    const double first = played.given["factor"] * (played.given["items"] + 1) / 2;
    return {first, first + 1, first + 2, first + 3};
}

std::vector<Check> grade_served(const Case& played, const Record& found, const Record&) {
    const ServedStep step(played);
    const std::string send =
        fmt::format("{} + {}", text_of(step.costs.send(step.gradient)), text_of(step.costs.receive()));
    return {reports_are(found, "mean gradient", on_every_rank(played.ranks, mean_gradient(played)),
                        "every rank holds the mean over all items"),
            time_is(found, step.time(),
                    fmt::format("(I/N) u c + N (L + G p + A) = {} + {} x ({}): a send and its acknowledgement",
                                text_of(step.compute()), played.ranks, send)),
            rank_ends_at(found, 0, step.end_of_server(),
                         "rank 0 is done when its last send has left, one acknowledgement before the last worker"),
            units_sent_are(
                found, [&](int rank) { return (rank == 0 ? played.ranks - 1 : 1) * step.gradient; },
                fmt::format("rank 0 sends (N-1) G = {} x {}, each of the others G", played.ranks - 1,
                            text_of_units(step.gradient)))};
}

std::vector<double> gradient_of_item(std::int64_t item, const Given& given) {
    const double first = given["factor"] * static_cast<double>(item + 1);
    return {first, first + 1, first + 2, first + 3};
}

// The sum over every `stride`-th item, computed on this rank.
std::vector<double> compute_items(GPU& gpu, const Given& given, std::int64_t first, std::int64_t stride) {
    std::vector<double> sum(4);
    for (std::int64_t item = first; item < given.whole("items"); item += stride) {
        gpu.compute("item", Units{given["units"]});
        add_to(sum, gradient_of_item(item, given));
    }
    return sum;
}

void report_mean(GPU& gpu, const Given& given, std::vector<double> gradient) {
    for (double& number : gradient) {
        number /= given["items"];
    }
    gpu.report("mean gradient", gradient);
}

enum class Answer : std::uint8_t { whole_sum, at_once, none };

// Through rank 0, which answers with the sum, with the partial sum so far, or not at all.
void through_rank_0(GPU& gpu, const Given& given, std::vector<double> gradient, Answer answer) {
    const Units size{given["gradient_units"]};
    if (gpu.rank() == 0) {
        for (int worker = 1; worker < gpu.world_size(); ++worker) {
            add_to(gradient, gpu.receive<double>(worker, "gradient", size));
            if (answer == Answer::at_once) {
                gpu.send(worker, gradient, "sum", size);
            }
        }
        for (int worker = 1; answer == Answer::whole_sum && worker < gpu.world_size(); ++worker) {
            gpu.send(worker, gradient, "sum", size);
        }
    } else {
        gpu.send(0, gradient, "gradient", size);
        if (answer != Answer::none) {
            gpu.receive(0, gradient, "sum", size);
        }
    }
    report_mean(gpu, given, gradient);
}

std::vector<double> compute_share(GPU& gpu, const Given& given) {
    return compute_items(gpu, given, gpu.rank(), gpu.world_size());
}

void everybody_computes_all(GPU& gpu, const Given& given) {
    through_rank_0(gpu, given, compute_items(gpu, given, 0, 1), Answer::whole_sum);
}
void answers_at_once(GPU& gpu, const Given& given) {
    through_rank_0(gpu, given, compute_share(gpu, given), Answer::at_once);
}
void never_answers(GPU& gpu, const Given& given) {
    through_rank_0(gpu, given, compute_share(gpu, given), Answer::none);
}
void never_talks(GPU& gpu, const Given& given) {
    report_mean(gpu, given, compute_share(gpu, given));
}

// The original ring: one lap of the whole gradient, from rank to rank.
void one_lap(GPU& gpu, const Given& given) {
    const int ranks = gpu.world_size();
    const Units size{given["gradient_units"]};
    std::vector<double> gradient = compute_share(gpu, given);
    if (gpu.rank() > 0) {
        add_to(gradient, gpu.receive<double>(gpu.rank() - 1, "sum so far", size));
    }
    gpu.send((gpu.rank() + 1) % ranks, gradient, "sum so far", size);
    if (gpu.rank() == 0) {
        gpu.receive(ranks - 1, gradient, "sum", size);
    }
    report_mean(gpu, given, gradient);
}

std::string says_all_items(const Case& played, const Record& theirs) {
    const ServedStep step(played);
    return fmt::format(
        "{}: every rank computed all {} items, so that nothing is gained by {} ranks, and every item counts {} times. "
        "Compute every {}th item, beginning with your rank.",
        text_of(theirs.end()), step.items, step.ranks, step.ranks, step.ranks);
}
std::string says_at_once(const Case& played, const Record&) {
    return fmt::format(
        "The time is right, but rank 0 answers each worker before it has heard from the next, so that only rank {} "
        "gets the whole sum. Receive from all {} workers first, in one loop, and send in another.",
        played.ranks - 1, played.ranks - 1);
}
std::string says_no_answer(const Case&, const Record& theirs) {
    return fmt::format(
        "{}: only rank 0 has the sum, and the workers go on with gradients of their own. Send the sum back to each.",
        text_of(theirs.end()));
}
std::string says_no_talk(const Case& played, const Record& theirs) {
    return fmt::format(
        "{}, the computing alone: no gradient was sent, so that from here on you train {} different models.",
        text_of(theirs.end()), played.ranks);
}
std::string says_one_lap(const Case& played, const Record& theirs) {
    const ServedStep step(played);
    return fmt::format(
        "{}: the whole gradient went round the ring once, {} serial hops, as long as through rank 0, and only rank 0 "
        "has the whole sum. Here all send to rank 0; lab 2 makes a ring of it that is worth it.",
        text_of(theirs.end()), step.ranks);
}

std::vector<Summands> summands_of_served(const Case& played, int) {
    Summands of{.report = "mean gradient", .kind = "gradients", .owner = "item", .of = {}};
    for (std::int64_t item = 0; item < ServedStep(played).items; ++item) {
        of.of.push_back(gradient_of_item(item, played.given));
        for (double& number : of.of.back()) {
            number /= played.given["items"];
        }
    }
    // The ranks' shares, every N-th item or one after the other.
    Summands strided{.report = of.report, .kind = of.kind, .owner = "rank", .of = {}};
    strided.of.assign(static_cast<std::size_t>(played.ranks), std::vector<double>(4));
    Summands blocks = strided;
    for (std::size_t item = 0; item < of.of.size(); ++item) {
        add_to(strided.of[item % strided.of.size()], of.of[item]);
        add_to(blocks.of[item * blocks.of.size() / of.of.size()], of.of[item]);
    }
    return {strided, blocks, of};
}

std::vector<Slip> slips_of_served(const Case& played) {
    const ServedStep step(played);
    const Duration message = step.costs.send(step.gradient) + step.costs.receive();
    return {
        {"", seconds(step.compute()), "This is the computing alone; the gradients have to be sent, too."},
        {"", seconds(step.compute() + message),
         fmt::format("This is one message; {} go through rank 0, one after another.", step.ranks)},
        {"", seconds(step.compute() + 2 * message),
         "This has one gradient and one sum; every worker sends a "
         "gradient to rank 0, which can take only one at a time."},
        {"", seconds(step.compute() + 2 * (step.ranks - 1) * message),
         "This has all gradients and all sums one after another; the sends of the workers overlap, but for rank 0's "
         "acknowledgements."},
        {"", seconds(step.ranks * step.compute() + step.exchange()),
         fmt::format("This has all items on each rank; {} ranks share them.", step.ranks)}};
}

double seconds_of_served(const Case& played, const Record&) {
    return seconds(ServedStep(played).time());
}

}  // namespace

Lab lab_01();
Lab lab_01() {
    return {.number = 1,
            .folder = "01-data-parallel",
            .title = "Data parallelism, the naive way",
            .cases = served_cases,
            .solution = solution_01(),
            .grade = grade_served,
            .mistakes = {{"every-rank-computes-all-items", everybody_computes_all, says_all_items},
                         {"answered-before-all-were-heard", answers_at_once, says_at_once},
                         {"sum-stays-on-rank-0", never_answers, says_no_answer},
                         {"no-gradient-is-sent", never_talks, says_no_talk},
                         {"one-lap-of-a-serial-ring", one_lap, says_one_lap}},
            .prediction = {.question = "How long does the step take?", .truth = seconds_of_served},
            .summands = summands_of_served,
            .slips = slips_of_served};
}

}  // namespace sim::labs
