// Lab 3: min(2 log2(N) (L + S/B), 2 (N-1) (L + S/(N B))), and the size where both are equal.
#include "libsim/collectives/all_reduce.hpp"
#include "tools/labs/checks.hpp"
#include "tools/labs/costs.hpp"
#include "tools/labs/course/arrays.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace sim::labs {

lab::Program solution_03();

namespace {

constexpr std::array sizes_of_choice{"small", "middle", "large"};

struct Choice {
    int ranks;
    int levels;  // levels of the tree
    UniformCosts costs;

    Choice(int ranks_of_all, const Given& given)
        : ranks(ranks_of_all), levels(std::countr_zero(static_cast<unsigned>(ranks))), costs(UniformCosts::of(given)) {}

    double bytes_in_a_latency() const { return costs.latency_seconds * costs.bytes_per_second; }
    double crossover() const { return bytes_in_a_latency() * (ranks - 1 - levels) / (levels - (ranks - 1.0) / ranks); }
    // A tree that only goes up: log2(N) latencies against the ring's 2 (N-1).
    double crossover_with_half_a_tree() const {
        return bytes_in_a_latency() * (2 * (ranks - 1) - levels) / (levels - 2 * (ranks - 1.0) / ranks);
    }
    Duration tree(std::int64_t bytes) const { return 2 * levels * costs.message(bytes); }
    bool takes_ring(std::int64_t bytes) const { return static_cast<double>(bytes) > crossover(); }
    Duration time(std::int64_t bytes) const {
        return takes_ring(bytes) ? costs.ring_all_reduce(ranks, bytes) : tree(bytes);
    }
};

std::int64_t elements_of(const Given& given, const std::string& size) {
    return given.whole(size + "_elements");
}

std::int64_t bytes_of(const Given& given, const std::string& size) {
    return bytes_of_number * elements_of(given, size);
}

// Sizes in multiples of L B, the number of bytes that take one latency.
Case choice_case(int ranks, double middle, double large, const UniformCosts& costs, double factor) {
    const double elements = costs.latency_seconds * costs.bytes_per_second / bytes_of_number;
    return {.ranks = ranks,
            .costs = costs.entries(),
            .given = Given({{"small_elements", 0.5 * elements},
                            {"middle_elements", middle * elements},
                            {"large_elements", large * elements},
                            {"latency_seconds", costs.latency_seconds},
                            {"bytes_per_second", costs.bytes_per_second},
                            {"factor", factor}})};
}

// The middle size is just below or just above the crossover.
std::vector<Case> choice_cases(std::uint64_t seed) {
    Draw draw(seed, 3);
    const UniformCosts costs{.latency_seconds = draw.of({4e-6, 8e-6}), .bytes_per_second = draw.of({1.6e9, 3.2e9})};
    const bool below = draw.of({0, 1}) == 0;
    const double large = draw.of({6, 10, 12});
    const double factor = draw.of({1, 2, 3});
    return {choice_case(8, below ? 1.75 : 2, large, costs, factor),
            choice_case(4, below ? 1 : 0.75, large, costs, factor + 1),
            choice_case(16, below ? 3.5 : 4, large, costs, factor + 2)};
}

std::vector<Check> grade_choice(const Case& played, const Record& found, const Record&) {
    const Choice choice(played.ranks, played.given);
    std::vector<Check> checks;
    Duration time{0};
    std::int64_t bytes = 0;
    std::string sum;
    for (const char* const size : sizes_of_choice) {
        const std::int64_t of_size = bytes_of(played.given, size);
        checks.push_back(
            reports_are(found, size,
                        on_every_rank(played.ranks, glance_at_sum_of_ramps(played.ranks, played.given["factor"],
                                                                           elements_of(played.given, size))),
                        fmt::format("first, last and sum of the {} gradient's sum", size)));
        time += choice.time(of_size);
        bytes += 2 * (played.ranks - 1) * of_size;
        sum += fmt::format("{}{} {}", sum.empty() ? "" : " + ", text_of(choice.time(of_size)),
                           choice.takes_ring(of_size) ? "ring" : "tree");
    }
    checks.push_back(
        reports_are(found, "crossover", {{0, {choice.crossover()}}},
                    fmt::format("2 log2(N) (L + S/B) = 2 (N-1) (L + S/(N B)), so S = L B (N-1-log2 N) / (log2 N - "
                                "(N-1)/N) = {:.7g} B x {} / {:.6g}",
                                choice.bytes_in_a_latency(), choice.ranks - 1 - choice.levels,
                                choice.levels - (choice.ranks - 1.0) / choice.ranks)));
    checks.push_back(time_is(found, time, "the faster of both for each size = " + sum));
    checks.push_back(total_bytes_are(
        found, bytes, "2 (N-1) S for each size: the tree and the ring send as much, all ranks together"));
    return checks;
}

// Possible mistakes in the all-reduce.
enum class Shape : std::uint8_t { tree, ring, star, butterfly };

void add_arrived(GPU& gpu, std::vector<double>& gradient, int source) {
    add_to(gradient, gpu.receive<double>(source, "sum so far"));
}

void up_and_down_a_tree(GPU& gpu, std::vector<double>& gradient) {
    const int ranks = gpu.world_size();
    for (int distance = 1; distance < ranks; distance *= 2) {
        if (gpu.rank() % (2 * distance) == distance) {
            gpu.send(gpu.rank() - distance, gradient, "sum so far");
        } else if (gpu.rank() % (2 * distance) == 0) {
            add_arrived(gpu, gradient, gpu.rank() + distance);
        }
    }
    for (int distance = ranks / 2; distance > 0; distance /= 2) {
        if (gpu.rank() % (2 * distance) == 0) {
            gpu.send(gpu.rank() + distance, gradient, "whole sum");
        } else if (gpu.rank() % (2 * distance) == distance) {
            gpu.receive(gpu.rank() - distance, gradient, "whole sum");
        }
    }
}

void through_a_star(GPU& gpu, std::vector<double>& gradient) {
    if (gpu.rank() > 0) {
        gpu.send(0, gradient, "gradient");
        gpu.receive(0, gradient, "whole sum");
        return;
    }
    for (int other = 1; other < gpu.world_size(); ++other) {
        add_arrived(gpu, gradient, other);
    }
    for (int other = 1; other < gpu.world_size(); ++other) {
        gpu.send(other, gradient, "whole sum");
    }
}

// Recursive doubling: log2(N) steps, in each of which all ranks send.
void through_a_butterfly(GPU& gpu, std::vector<double>& gradient) {
    for (int distance = 1; distance < gpu.world_size(); distance *= 2) {
        const int partner = gpu.rank() ^ distance;
        gpu.send(partner, gradient, "sum so far");
        add_arrived(gpu, gradient, partner);
    }
}

void all_reduce_as(Shape shape, GPU& gpu, std::vector<double>& gradient) {
    switch (shape) {
        case Shape::tree: up_and_down_a_tree(gpu, gradient); break;
        case Shape::ring: collectives::all_reduce(gpu, world(gpu), gradient); break;
        case Shape::star: through_a_star(gpu, gradient); break;
        case Shape::butterfly: through_a_butterfly(gpu, gradient); break;
    }
}

struct MistakenChoice {
    Shape small = Shape::tree;  // below the crossover
    Shape large = Shape::ring;
    bool with_half_a_tree = false;  // report the crossover of a tree that only goes up
};

lab::Program choosing(const MistakenChoice& how) {
    return [how](GPU& gpu, const Given& given) {
        const Choice choice(gpu.world_size(), given);
        const double crossover = how.with_half_a_tree ? choice.crossover_with_half_a_tree() : choice.crossover();
        if (how.with_half_a_tree) {
            gpu.report("crossover", crossover);
        }
        for (const char* const size : sizes_of_choice) {
            std::vector<double> gradient(static_cast<std::size_t>(elements_of(given, size)));
            std::iota(gradient.begin(), gradient.end(), given["factor"] * (gpu.rank() + 1));
            const bool is_large = static_cast<double>(bytes_of(given, size)) > crossover;
            all_reduce_as(is_large ? how.large : how.small, gpu, gradient);
            gpu.report(size, glance_at(gradient));
        }
    };
}

std::string says_half_a_tree(const Case& played, const Record&) {
    const Choice choice(played.ranks, played.given);
    return fmt::format(
        "A crossover of {:.7g} B: you counted log2(N) = {} messages for the tree, but it goes up and down, 2 log2(N) "
        "= {}. Then both are equal at {:.7g} B.",
        choice.crossover_with_half_a_tree(), choice.levels, 2 * choice.levels, choice.crossover());
}
std::string says_always_tree(const Case& played, const Record& theirs) {
    const std::int64_t large = bytes_of(played.given, "large");
    const Choice choice(played.ranks, played.given);
    return fmt::format(
        "{}: you took the tree for every size. {} take {} that way, as every message is the whole gradient; the ring "
        "takes {}.",
        text_of(theirs.end()), text_of_bytes(large), text_of(choice.tree(large)),
        text_of(choice.costs.ring_all_reduce(choice.ranks, large)));
}
std::string says_always_ring(const Case& played, const Record& theirs) {
    const std::int64_t small = bytes_of(played.given, "small");
    const Choice choice(played.ranks, played.given);
    return fmt::format(
        "{}: you took the ring for every size. {} take {} that way, for {} latencies; the tree takes {}.",
        text_of(theirs.end()), text_of_bytes(small), text_of(choice.costs.ring_all_reduce(choice.ranks, small)),
        2 * (choice.ranks - 1), text_of(choice.tree(small)));
}
std::string says_wrong_way(const Case&, const Record& theirs) {
    return fmt::format(
        "{}: you took the ring for the small gradients and the tree for the large ones. It is the other way round: "
        "the tree has few messages, which are large.",
        text_of(theirs.end()));
}
std::string says_star(const Case& played, const Record& theirs) {
    const Choice choice(played.ranks, played.given);
    return fmt::format(
        "{}: your tree is a star. Rank 0 sends the sum to {} ranks one after another, where a tree, in which those "
        "who have it pass it on, needs {} steps.",
        text_of(theirs.end()), choice.ranks - 1, choice.levels);
}
std::string says_butterfly(const Case& played, const Record& theirs) {
    const Choice choice(played.ranks, played.given);
    return fmt::format(
        "{}: you wrote recursive doubling, in which all ranks send in each of {} steps. It is faster than this lab's "
        "tree, and real libraries have it, but it sends N log2(N) S in place of 2 (N-1) S, and has another crossover.",
        text_of(theirs.end()), choice.levels);
}

std::vector<Summands> summands_of_choice(const Case& played, int) {
    std::vector<Summands> all;
    for (const char* const size : sizes_of_choice) {
        Summands of{.report = size, .kind = "gradients", .owner = "rank", .of = {}};
        for (int rank = 0; rank < played.ranks; ++rank) {
            of.of.push_back(glance_at_ramp(rank, played.given["factor"], elements_of(played.given, size)));
        }
        all.push_back(std::move(of));
    }
    return all;
}

std::vector<Slip> slips_of_choice(const Case& played) {
    const Choice choice(played.ranks, played.given);
    const double n = choice.ranks;
    const double levels = choice.levels;
    const double unit = choice.bytes_in_a_latency();
    std::vector<Slip> slips;
    for (const char* const report : {"crossover", ""}) {
        slips.push_back(
            {report, choice.crossover_with_half_a_tree(),
             fmt::format("This crossover counts log2(N) = {} messages for the tree, which goes up and down: "
                         "2 log2(N) = {}.",
                         choice.levels, 2 * choice.levels)});
        slips.push_back({report, unit * (n - 1 - 2 * levels) / (2 * levels - (n - 1) / n),
                         "This crossover counts N-1 steps for the ring, which has 2 (N-1)."});
        slips.push_back({report, unit * (n - 1 - levels) / (levels - (n - 1)),
                         "This crossover has S in each step of the ring, which sends S/N."});
        slips.push_back({report, unit * (n - 1 - levels) / levels,
                         "This crossover leaves out the bytes of the ring, 2 (N-1) S/(N B)."});
        slips.push_back({report, unit,
                         "This is L B, the bytes that take as long as one latency: both have several "
                         "latencies, and other amounts of bytes."});
        slips.push_back({report, choice.crossover() / 8,
                         "This is a number of elements; a crossover in bytes is asked "
                         "for, 8 for each."});
    }
    return slips;
}

double crossover_of(const Case& played, const Record&) {
    return Choice(played.ranks, played.given).crossover();
}

}  // namespace

Lab lab_03();
Lab lab_03() {
    return {
        .number = 3,
        .folder = "03-ring-or-tree",
        .title = "Ring or tree",
        .cases = choice_cases,
        .solution = solution_03(),
        .grade = grade_choice,
        .mistakes = {{"half-a-tree-counted", choosing({.with_half_a_tree = true}), says_half_a_tree},
                     {"always-the-tree", choosing({.large = Shape::tree}), says_always_tree},
                     {"always-the-ring", choosing({.small = Shape::ring}), says_always_ring},
                     {"the-wrong-way-round", choosing({.small = Shape::ring, .large = Shape::tree}), says_wrong_way},
                     {"star-for-tree", choosing({.small = Shape::star}), says_star},
                     {"recursive-doubling", choosing({.small = Shape::butterfly}), says_butterfly}},
        .prediction = {.question = "From which size on is the ring faster than the tree?",
                       .quantity = Quantity::bytes,
                       .truth = crossover_of},
        .summands = summands_of_choice,
        .slips = slips_of_choice};
}

}  // namespace sim::labs
