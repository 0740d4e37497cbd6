// Lab 4: (N-1) (L + S/B), against 2 (N-1) (L + S/(N B)).
#include "libsim/collectives/all_reduce.hpp"
#include "tools/labs/checks.hpp"
#include "tools/labs/costs.hpp"
#include "tools/labs/course/arrays.hpp"

#include <fmt/format.h>

#include <array>

namespace sim::labs {

lab::Program solution_04();

namespace {

constexpr std::array sizes_of_rings{"small", "large"};

struct TwoRings {
    int ranks;
    UniformCosts costs;

    TwoRings(int ranks_of_all, const Given& given) : ranks(ranks_of_all), costs(UniformCosts::of(given)) {}

    double break_even() const { return costs.latency_seconds * costs.bytes_per_second * ranks / (ranks - 2.0); }
    Duration bad(std::int64_t bytes) const { return (ranks - 1) * costs.message(bytes); }
    Duration good(std::int64_t bytes) const { return costs.ring_all_reduce(ranks, bytes); }
};

std::int64_t ring_elements(const Given& given, const std::string& size) {
    return given.whole(size + "_elements");
}

std::int64_t ring_bytes(const Given& given, const std::string& size) {
    return bytes_of_number * ring_elements(given, size);
}

Case two_rings_case(int ranks, double large, const UniformCosts& costs, double factor) {
    const double elements = costs.latency_seconds * costs.bytes_per_second / bytes_of_number;
    return {.ranks = ranks,
            .costs = costs.entries(),
            .given = Given({{"small_elements", elements / 2},
                            {"large_elements", large * elements},
                            {"latency_seconds", costs.latency_seconds},
                            {"bytes_per_second", costs.bytes_per_second},
                            {"factor", factor}})};
}

std::vector<Case> two_rings_cases(std::uint64_t seed) {
    Draw draw(seed, 4);
    const UniformCosts costs{.latency_seconds = draw.of({2e-6, 4e-6, 8e-6}),
                             .bytes_per_second = draw.of({1.6e9, 3.2e9})};
    const double large = draw.of({6, 8, 12});
    const double factor = draw.of({1, 2, 3, 4});
    return {two_rings_case(8, large, costs, factor), two_rings_case(4, large + 3, costs, factor + 1),
            two_rings_case(5, large / 2, costs, factor + 2)};
}

std::vector<Check> grade_two_rings(const Case& played, const Record& found, const Record&) {
    const TwoRings rings(played.ranks, played.given);
    std::vector<Check> checks;
    Duration time{0};
    std::int64_t bytes = 0;
    for (const std::string size : sizes_of_rings) {
        const std::int64_t of_size = ring_bytes(played.given, size);
        const std::int64_t chunk = of_size / played.ranks;
        checks.push_back(
            reports_are(found, size + "_sum",
                        on_every_rank(played.ranks, glance_at_sum_of_ramps(played.ranks, played.given["factor"],
                                                                           ring_elements(played.given, size))),
                        fmt::format("first, last and sum of the {} gradient's sum", size)));
        checks.push_back(reports_are(found, size + "_bad_seconds",
                                     on_every_rank(played.ranks, {seconds(rings.bad(of_size))}),
                                     fmt::format("(N-1) (L + S/B) = {} x {} = {}; the good ring takes {}",
                                                 played.ranks - 1, text_of(rings.costs.message(of_size)),
                                                 text_of(rings.bad(of_size)), text_of(rings.good(of_size)))));
        time += rings.bad(of_size) + rings.good(of_size);
        bytes += (played.ranks - 1) * (of_size + 2 * chunk);
    }
    checks.push_back(
        reports_are(found, "break_even", {{0, {rings.break_even()}}},
                    fmt::format("(N-1) (L + S/B) = 2 (N-1) (L + S/(N B)), so S = L B N/(N-2) = {:.7g} B x {}/{}",
                                played.given["latency_seconds"] * played.given["bytes_per_second"], played.ranks,
                                played.ranks - 2)));
    checks.push_back(time_is(found, time, "both rings, for both sizes, one after another"));
    checks.push_back(bytes_sent_are(
        found, [&](int) { return bytes; }, "(N-1) S in the bad ring and 2 (N-1) S/N in the good one, for both sizes"));
    checks.push_back(receivers_are_at_most(found, 2, "a ring needs links to two neighbours, and no others"));
    return checks;
}

struct MistakenRing {
    bool passes_sum_on = false;
    bool loses_sum = false;
    bool in_chunks = false;
    bool clock_not_stopped = false;
    bool straight_to_all = false;
    int more_steps = 0;
};

void add_straight_from_all(GPU& gpu, std::vector<double>& gradient) {
    const int ranks = gpu.world_size();
    const std::vector<double> own = gradient;
    for (int step = 1; step < ranks; ++step) {
        gpu.send((gpu.rank() + step) % ranks, own);
        add_to(gradient, gpu.receive<double>((gpu.rank() + ranks - step) % ranks));
    }
}

void pass_round(GPU& gpu, std::vector<double>& gradient, const MistakenRing& how) {
    const int ranks = gpu.world_size();
    std::vector<double> passing = gradient;
    for (int step = 0; step < ranks - 1 + how.more_steps; ++step) {
        gpu.send((gpu.rank() + 1) % ranks, how.passes_sum_on ? gradient : passing);
        gpu.receive((gpu.rank() + ranks - 1) % ranks, passing);
        if (!how.loses_sum) {
            add_to(gradient, passing);
        }
    }
}

lab::Program mistaken_ring(const MistakenRing& how) {
    return [how](GPU& gpu, const Given& given) {
        for (const std::string size : sizes_of_rings) {
            std::vector<double> gradient(static_cast<std::size_t>(ring_elements(given, size)));
            std::iota(gradient.begin(), gradient.end(), given["factor"] * (gpu.rank() + 1));
            std::vector<double> copy = gradient;
            collectives::all_reduce(gpu, world(gpu), copy);
            const Duration begin = gpu.now();
            if (how.in_chunks) {
                collectives::all_reduce(gpu, world(gpu), gradient);
            } else if (how.straight_to_all) {
                add_straight_from_all(gpu, gradient);
            } else {
                pass_round(gpu, gradient, how);
            }
            gpu.report(size + "_bad_seconds", seconds(how.clock_not_stopped ? gpu.now() : gpu.now() - begin));
            gpu.report(size + "_sum", glance_at(gradient));
            if (how.straight_to_all) {
                gpu.report("break_even", TwoRings(gpu.world_size(), given).break_even());
            }
        }
    };
}

std::string says_sum_passed_on(const Case&, const Record&) {
    return "The times are right, but you passed on the sum so far in place of what had arrived, so that gradients "
           "which "
           "are in it already are counted again. Keep what arrived, and send that.";
}
std::string says_sum_lost(const Case&, const Record&) {
    return "The times are right, but each rank still has its own gradient in the end: the sum is in an array that is "
           "lost. Add to `gradient` itself, in place: gradient += passing in Python.";
}
std::string says_step_too_many(const Case& played, const Record&) {
    const TwoRings rings(played.ranks, played.given);
    const std::int64_t large = ring_bytes(played.given, "large");
    return fmt::format(
        "{} for the large gradient: you made N = {} steps, not N-1. In the last one your own gradient came back, and "
        "was added once more.",
        text_of(rings.ranks * rings.costs.message(large)), rings.ranks);
}
std::string says_good_ring(const Case& played, const Record&) {
    const TwoRings rings(played.ranks, played.given);
    return fmt::format(
        "{} for the large gradient, as long as the good ring: you sent chunks of S/N. The bad ring sends all of S in "
        "each of its {} steps.",
        text_of(rings.good(ring_bytes(played.given, "large"))), rings.ranks - 1);
}
std::string says_clock(const Case&, const Record&) {
    return "The ring is right, but you returned what the clock says, which counts from the beginning of the run. "
           "Look at it before the ring, too, and return the difference.";
}
std::string says_straight(const Case& played, const Record&) {
    return fmt::format(
        "Sums and times are right, but this is no ring: each rank sent to all {} others. Here every pair has a link of "
        "its own; where links are shared, that costs. Send to the right neighbour only, what came from the left.",
        played.ranks - 1);
}

std::vector<Summands> summands_of_rings(const Case& played, int) {
    std::vector<Summands> all;
    for (const std::string size : sizes_of_rings) {
        Summands of{.report = size + "_sum", .kind = "gradients", .owner = "rank", .of = {}};
        for (int rank = 0; rank < played.ranks; ++rank) {
            of.of.push_back(glance_at_ramp(rank, played.given["factor"], ring_elements(played.given, size)));
        }
        all.push_back(std::move(of));
    }
    return all;
}

std::vector<Slip> slips_of_rings(const Case& played) {
    const TwoRings rings(played.ranks, played.given);
    const double n = rings.ranks;
    const double unit = played.given["latency_seconds"] * played.given["bytes_per_second"];
    const std::int64_t large = ring_bytes(played.given, "large");
    return {{"break_even", rings.break_even() / 8,
             "This break-even is a number of elements; it is asked for in bytes, 8 for each."},
            {"break_even", unit,
             "This break-even is L B. Both rings have latencies and bytes: solve (N-1) (L + S/B) = 2 "
             "(N-1) (L + S/(N B)) for S."},
            {"break_even", unit * n,
             "This break-even is L B N: N-2 is missing below. Solve (N-1) (L + S/B) = 2 (N-1) (L "
             "+ S/(N B)) for S."},
            {"break_even", unit * n / (n - 1),
             "This break-even is L B N/(N-1): the good ring has 2 (N-1) steps, not N-1, so that 2 S/N is subtracted."},
            {"break_even", unit * (n - 2) / n, "This break-even is upside down: S = L B N/(N-2), not L B (N-2)/N."},
            {"", n / 2,
             "This is N/2, by their bytes alone. Each step also takes a latency, and the good ring has twice "
             "as many."},
            {"", n, "This is N, by the size of a message alone. The good ring has twice as many steps."},
            {"", seconds(rings.good(large)) / seconds(rings.bad(large)), "This is the good ring over the bad one."}};
}

double times_as_long(const Case& played, const Record&) {
    const TwoRings rings(played.ranks, played.given);
    const std::int64_t large = ring_bytes(played.given, "large");
    return seconds(rings.bad(large)) / seconds(rings.good(large));
}

}  // namespace

Lab lab_04();
Lab lab_04() {
    return {.number = 4,
            .folder = "04-bad-ring",
            .title = "The bad ring",
            .cases = two_rings_cases,
            .solution = solution_04(),
            .grade = grade_two_rings,
            .mistakes = {{"sum-passed-on", mistaken_ring({.passes_sum_on = true}), says_sum_passed_on},
                         {"sum-lost", mistaken_ring({.loses_sum = true}), says_sum_lost},
                         {"step-too-many", mistaken_ring({.more_steps = 1}), says_step_too_many},
                         {"good-ring-written", mistaken_ring({.in_chunks = true}), says_good_ring},
                         {"clock-not-stopped", mistaken_ring({.clock_not_stopped = true}), says_clock},
                         {"straight-to-all", mistaken_ring({.straight_to_all = true}), says_straight}},
            .prediction = {.question = "How many times as long as the good ring does the bad one take for the large "
                                       "gradient?",
                           .quantity = Quantity::number,
                           .truth = times_as_long},
            .summands = summands_of_rings,
            .slips = slips_of_rings};
}

}  // namespace sim::labs
