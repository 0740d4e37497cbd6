// Lab 2: 2 (N-1) steps of L + S/(N B).
#include "libsim/collectives/all_reduce.hpp"
#include "tools/labs/checks.hpp"
#include "tools/labs/costs.hpp"
#include "tools/labs/course/arrays.hpp"

#include <fmt/format.h>

#include <span>

namespace sim::labs {

lab::Program solution_02();

namespace {

struct Ring {
    int ranks;
    std::int64_t bytes;  // gradient size
    UniformCosts costs;

    explicit Ring(const Case& played)
        : ranks(played.ranks),
          bytes(played.given.whole("elements") * bytes_of_number),
          costs(UniformCosts::of(played.given)) {}

    int steps() const { return 2 * (ranks - 1); }
    std::int64_t chunk() const { return bytes / ranks; }
    Duration time() const { return costs.ring_all_reduce(ranks, bytes); }
};

Case case_of(int ranks, double elements_each, double latency, double rate, double factor) {
    const UniformCosts costs{.latency_seconds = latency, .bytes_per_second = rate};
    return {.ranks = ranks,
            .costs = costs.entries(),
            .given = Given({{"elements", elements_each * ranks},
                            {"factor", factor},
                            {"latency_seconds", latency},
                            {"bytes_per_second", rate}})};
}

std::vector<Case> cases_of(std::uint64_t seed) {
    Draw draw(seed, 2);
    const double latency = draw.of({1e-6, 2e-6, 4e-6, 5e-6});
    const double rate = draw.of({1e9, 2e9, 4e9, 5e9});
    const double elements = draw.of({500, 1000, 1500, 2000});
    const double factor = draw.of({1, 2, 3, 5});
    return {case_of(4, elements, latency, rate, factor), case_of(3, elements / 2, 2 * latency, rate, factor),
            case_of(6, elements / 4, latency, rate / 2, factor + 1)};
}

std::map<int, std::vector<double>> sums(const Case& played) {
    const std::int64_t ranks = played.ranks;
    std::vector<double> sum;
    for (std::int64_t i = 0; i < played.given.whole("elements"); ++i) {
        sum.push_back(played.given["factor"] * static_cast<double>(ranks * (ranks + 1) / 2) +
                      static_cast<double>(ranks * i));
    }
    return on_every_rank(played.ranks, sum);
}

// The library's ring has the same steps, but is not the learner's.
Check by_hand(const Record& found, const Record& reference, std::string why) {
    return calls_collectives(found) ? Check{.aspect = Aspect::order,
                                            .expected = "sends and receives of your own",
                                            .found = "a collective of the library",
                                            .why = std::move(why)}
                                    : same_order(found, reference, std::move(why));
}

std::vector<Check> grade(const Case& played, const Record& found, const Record& reference) {
    const Ring ring(played);
    const std::string chunk = text_of_bytes(ring.chunk());
    return {reports_are(found, "gradient", sums(played), "every rank holds the sum over all ranks"),
            time_is(found, ring.time(),
                    fmt::format("2 (N-1) (L + S/(N B)) = {} x ({} + {} / ({}/s))", ring.steps(),
                                text_of(ring.costs.message(0)), chunk,
                                text_of_bytes(played.given.whole("bytes_per_second")))),
            bytes_sent_are(
                found, [&](int) { return ring.steps() * ring.chunk(); },
                fmt::format("2 (N-1) S/N = {} x {}: no all-reduce sends less", ring.steps(), chunk)),
            by_hand(found, reference, "in each step a rank sends to its right and receives from its left")};
}

// The mistaken programs share the lab's data.
std::vector<double> gradient_of(GPU& gpu, const Given& given) {
    std::vector<double> gradient(static_cast<std::size_t>(given.whole("elements")));
    for (std::size_t i = 0; i < gradient.size(); ++i) {
        gradient[i] = given["factor"] * (gpu.rank() + 1) + static_cast<double>(i);
    }
    return gradient;
}

std::span<double> chunk_of(std::vector<double>& gradient, int index, int ranks) {
    const std::size_t length = gradient.size() / static_cast<std::size_t>(ranks);
    return std::span(gradient).subspan(static_cast<std::size_t>((index + ranks) % ranks) * length, length);
}

struct Neighbours {
    int right;
    int left;
};
Neighbours neighbours_of(const GPU& gpu) {
    const int ranks = gpu.world_size();
    return {(gpu.rank() + 1) % ranks, (gpu.rank() + ranks - 1) % ranks};
}

// The whole gradient circulates, and every rank adds it up: N - 1 steps of S.
void whole_gradient_each_step(GPU& gpu, const Given& given) {
    std::vector<double> sum = gradient_of(gpu, given);
    std::vector<double> passing = sum;
    const auto [right, left] = neighbours_of(gpu);
    for (int step = 0; step < gpu.world_size() - 1; ++step) {
        gpu.send(right, passing);
        gpu.receive(left, passing);
        add_to(sum, passing);
    }
    gpu.report("gradient", sum);
}

void reduce_scatter(GPU& gpu, std::vector<double>& gradient, int steps) {
    const int ranks = gpu.world_size();
    const auto [right, left] = neighbours_of(gpu);
    for (int step = 0; step < steps; ++step) {
        gpu.send(right, chunk_of(gradient, gpu.rank() - step + 2 * ranks, ranks));
        const auto arrived = gpu.receive<double>(left);
        add_to(chunk_of(gradient, gpu.rank() - step - 1 + 2 * ranks, ranks), arrived);
    }
}

// Only the first half: every rank has the sum of one chunk.
void half_a_ring(GPU& gpu, const Given& given) {
    std::vector<double> gradient = gradient_of(gpu, given);
    reduce_scatter(gpu, gradient, gpu.world_size() - 1);
    gpu.report("gradient", gradient);
}

// N steps instead of N - 1: a rank's own data comes back and is added again.
void one_step_too_many(GPU& gpu, const Given& given) {
    const int ranks = gpu.world_size();
    std::vector<double> gradient = gradient_of(gpu, given);
    reduce_scatter(gpu, gradient, ranks);
    const auto [right, left] = neighbours_of(gpu);
    for (int step = 0; step < ranks; ++step) {
        gpu.send(right, chunk_of(gradient, gpu.rank() + 1 - step + ranks, ranks));
        gpu.receive(left, chunk_of(gradient, gpu.rank() - step + ranks, ranks));
    }
    gpu.report("gradient", gradient);
}

void library_all_reduce(GPU& gpu, const Given& given) {
    std::vector<double> gradient = gradient_of(gpu, given);
    collectives::all_reduce(gpu, world(gpu), gradient);
    gpu.report("gradient", gradient);
}

std::string says_library(const Case& played, const Record&) {
    return fmt::format(
        "You called a collective of the library, which does what this lab asks you to write: {} steps in which a rank "
        "sends a chunk to its right and receives one from its left, with gpu.send and gpu.receive.",
        Ring(played).steps());
}
bool shows_library(const Case&, const Record& theirs) {
    return calls_collectives(theirs);
}
void through_rank_0(GPU& gpu, const Given& given) {
    std::vector<double> gradient = gradient_of(gpu, given);
    for (int other = 1; other < gpu.world_size(); ++other) {
        if (gpu.rank() == 0) {
            add_to(gradient, gpu.receive<double>(other));
        } else if (gpu.rank() == other) {
            gpu.send(0, gradient);
        }
    }
    for (int other = 1; other < gpu.world_size(); ++other) {
        if (gpu.rank() == 0) {
            gpu.send(other, gradient);
        } else if (gpu.rank() == other) {
            gpu.receive(0, gradient);
        }
    }
    gpu.report("gradient", gradient);
}

std::string says_through_rank_0(const Case& played, const Record& theirs) {
    return fmt::format(
        "{}: every message begins or ends at rank 0, whose link carries {} gradients while the others are idle. In a "
        "ring each rank sends to its right neighbour alone, a chunk in each step, and all links are busy.",
        text_of(theirs.end()), 2 * (played.ranks - 1));
}
bool shows_through_rank_0(const Case& played, const Record& theirs) {
    int sends = 0;
    bool at_rank_0 = true;
    for (const Span& span : theirs.timeline.spans) {
        sends += span.kind == OpKind::send ? 1 : 0;
        at_rank_0 = at_rank_0 && (span.kind != OpKind::send || span.rank == 0 || span.peer == 0);
    }
    return theirs.ok() && at_rank_0 && played.ranks > 2 && sends >= played.ranks - 1;
}
std::string says_whole(const Case& played, const Record& theirs) {
    const Ring ring(played);
    return fmt::format("{}: you sent S ({}), not S/N, in each step. Cut the gradient into N chunks.",
                       text_of(theirs.end()), text_of_bytes(ring.bytes));
}
std::string says_half(const Case&, const Record& theirs) {
    return fmt::format(
        "{}, half of what it takes: after N-1 steps each rank has the sum of one chunk only. The all-gather "
        "is missing: N-1 steps more, in which nothing is added.",
        text_of(theirs.end()));
}
std::string says_one_more(const Case& played, const Record& theirs) {
    const int ranks = Ring(played).ranks;
    return fmt::format(
        "{}: you made N = {} steps in each half, not N-1 = {}. In the last one a chunk came back to where "
        "it began, and was added once more.",
        text_of(theirs.end()), ranks, ranks - 1);
}

std::vector<Summands> summands_of_ring(const Case& played, int) {
    Summands of{.report = "gradient", .kind = "gradients", .owner = "rank", .of = {}, .pieces = played.ranks};
    for (int rank = 0; rank < played.ranks; ++rank) {
        std::vector<double> own;
        for (std::int64_t i = 0; i < played.given.whole("elements"); ++i) {
            own.push_back(played.given["factor"] * (rank + 1) + static_cast<double>(i));
        }
        of.of.push_back(std::move(own));
    }
    return {of};
}

std::vector<Slip> slips_of_ring(const Case& played) {
    const Ring ring(played);
    const int n = ring.ranks;
    const Duration whole = ring.costs.message(ring.bytes);
    const Duration chunk = ring.costs.message(ring.chunk());
    return {{"", seconds(ring.steps() * whole), "This is 2 (N-1) (L + S/B): a step sends a chunk, S/N, not all of S."},
            {"", seconds((n - 1) * whole), "This is (N-1) (L + S/B), the bad ring of lab 4: a step sends S/N, not S."},
            {"", seconds((n - 1) * chunk),
             "This is (N-1) (L + S/(N B)), half of it: N-1 steps add up, and N-1 more pass the sums on."},
            {"", seconds(2 * n * chunk), "This is 2 N (L + S/(N B)): each half has N-1 steps, not N."},
            {"", seconds(ring.steps() * (chunk - ring.costs.message(0))),
             "This is 2 (N-1) S/(N B), without the latency L of each step."},
            {"", seconds(2 * whole), "This is 2 (L + S/B): there and back once. A ring takes 2 (N-1) steps."}};
}

double truth(const Case& played, const Record&) {
    return seconds(Ring(played).time());
}

}  // namespace

Lab lab_02();
Lab lab_02() {
    return {.number = 2,
            .folder = "02-ring-all-reduce",
            .title = "Ring all-reduce",
            .cases = cases_of,
            .solution = solution_02(),
            .grade = grade,
            .mistakes = {{"library-all-reduce", library_all_reduce, says_library, shows_library},
                         {"through-rank-0", through_rank_0, says_through_rank_0, shows_through_rank_0},
                         {"whole-gradient-each-step", whole_gradient_each_step, says_whole},
                         {"half-a-ring", half_a_ring, says_half},
                         {"one-step-too-many", one_step_too_many, says_one_more}},
            .prediction = {.question = "How long does the all-reduce take?", .truth = truth},
            .gates = {Aspect::data, Aspect::order},
            .summands = summands_of_ring,
            .slips = slips_of_ring};
}

}  // namespace sim::labs
