// Lab 11: three deadlocks to repair, with sends that wait for their receivers.
#include "tools/labs/checks.hpp"
#include "tools/labs/costs.hpp"
#include "tools/labs/course/clinic_step.hpp"

#include <fmt/format.h>

namespace sim::labs {

lab::Program solution_11();

namespace {

using Exchange = ClinicStep::Exchange;
using Losses = ClinicStep::Losses;
using Gradients = ClinicStep::Gradients;

constexpr std::int64_t bytes_of_loss = 8;

struct Ward {
    int ranks;
    int samples;  // on rank 0; each further rank has one less
    std::int64_t edge_bytes;
    std::int64_t gradient_bytes;
    double factor;
    UniformCosts costs;

    explicit Ward(const Case& played)
        : ranks(played.ranks),
          samples(static_cast<int>(played.given.whole("samples"))),
          edge_bytes(8 * played.given.whole("edge")),
          gradient_bytes(8 * played.given.whole("gradient")),
          factor(played.given["factor"]),
          costs{.latency_seconds = played.given["latency_seconds"],
                .bytes_per_second = played.given["bytes_per_second"],
                .flops_per_second = 1e12} {}

    Duration compute() const { return costs.compute(std::int64_t{1'000'000} * samples); }
    Duration all_reduce() const { return 2 * half_ring_time(costs, ranks, gradient_bytes); }
    Duration time() const {
        return 2 * costs.message(edge_bytes) + costs.message(bytes_of_loss) + compute() + all_reduce();
    }
    std::int64_t sent(int rank) const {
        return edge_bytes + (rank > 0 ? bytes_of_loss : 0) + 2 * half_ring_bytes(ranks, gradient_bytes);
    }
};

// The last rank has no samples, and skips a step that it should not skip.
Case ward(int ranks, double edge, double gradient, double latency, double rate, double factor) {
    const UniformCosts costs{.latency_seconds = latency, .bytes_per_second = rate, .flops_per_second = 1e12};
    return {.ranks = ranks,
            .costs = costs.entries(),
            .given = Given({{"samples", ranks - 1.0},
                            {"edge", edge},
                            {"gradient", gradient * ranks},
                            {"factor", factor},
                            {"latency_seconds", latency},
                            {"bytes_per_second", rate}}),
            .blocking_sends = true};
}

std::vector<Case> wards(std::uint64_t seed) {
    Draw draw(seed, 11);
    const double edge = draw.of({1000, 2000, 4000, 5000});
    const double gradient = draw.of({500, 1000, 2000});
    const double latency = draw.of({1e-6, 2e-6, 4e-6});
    const double rate = draw.of({1e9, 2e9, 4e9});
    const double factor = draw.of({2, 3, 5});
    return {ward(4, edge, gradient, latency, rate, factor), ward(6, edge / 2, gradient, latency, rate, factor + 1),
            ward(8, edge, gradient / 2, 2 * latency, rate, factor)};
}

Check no_later_than(const Record& found, Duration limit, std::string why) {
    return {.aspect = Aspect::time,
            .ok = found.end() <= limit,
            .expected = text_of(limit) + " or less",
            .found = text_of(found.end()),
            .why = std::move(why)};
}

std::vector<Check> grade_clinic(const Case& played, const Record& found, const Record&) {
    const Ward at(played);
    const auto edge = static_cast<std::size_t>(played.given.whole("edge"));
    std::map<int, std::vector<double>> halos;
    std::map<int, std::vector<double>> gradients;
    std::vector<double> losses;
    for (int rank = 0; rank < at.ranks; ++rank) {
        halos[rank].assign(edge, at.factor * ((rank + at.ranks - 1) % at.ranks));
        gradients[rank].assign(static_cast<std::size_t>(played.given.whole("gradient")),
                               at.samples * (at.samples + 1) / 2);
        losses.push_back(at.factor + rank);
    }
    return {
        reports_are(found, "halo", halos, "every rank holds the edge of its left neighbour"),
        reports_are(found, "losses", {{0, losses}}, "rank 0 holds the loss of every rank, in their order"),
        reports_are(found, "gradient", gradients, "every rank holds the sum, also who had no samples"),
        no_later_than(found, at.time(),
                      fmt::format("two rounds of edges 2 x {}, the losses {}, the backward pass {}, the all-reduce {}",
                                  text_of(at.costs.message(at.edge_bytes)), text_of(at.costs.message(bytes_of_loss)),
                                  text_of(at.compute()), text_of(at.all_reduce()))),
        bytes_sent_are(
            found, [&](int rank) { return at.sent(rank); }, "a repaired program sends what it was to send")};
}

std::string says_all_receive(const Case&, const Record&) {
    return "Now all receive first, and nobody sends: the same circle the other way round. Some have to begin with the "
           "one, "
           "some with the other.";
}
std::string says_wrong_tag(const Case&, const Record&) {
    return "The edges get through now. Rank 0 asks for the losses with a different tag from the one they are sent "
           "with; a message is found by its source and its tag.";
}
std::string says_skipped(const Case& played, const Record&) {
    return fmt::format(
        "Edges and losses get through now. Rank {} has no samples and skips the all-reduce that all others "
        "wait in: a collective is everybody's, whatever there is to add.",
        played.ranks - 1);
}
std::string says_no_losses(const Case&, const Record&) {
    return "Nothing hangs any more, as the losses are not sent any more. A message that is taken out repairs no "
           "program: "
           "rank 0 needs them.";
}
std::string says_smaller_group(const Case& played, const Record&) {
    return fmt::format(
        "Nothing hangs, as only ranks with samples come to the all-reduce. Rank {} does not hold the sum, and "
        "from this step on it has other weights than the rest.",
        played.ranks - 1);
}

std::string says_one_turned(const Case& played, const Record& theirs) {
    const Ward at(played);
    return fmt::format(
        "{}: rank 0 alone sends first, so the circle is open but the edges go on one after another: {} rounds of {}. "
        "If "
        "every second rank receives first, two rounds are enough.",
        text_of(theirs.end()), at.ranks, text_of(at.costs.message(at.edge_bytes)));
}

std::vector<Summands> summands_of_clinic(const Case& played, int) {
    const Ward at(played);
    Summands halo{.report = "halo", .kind = "edges", .owner = "rank", .of = {}};
    Summands gradient{.report = "gradient", .kind = "gradients", .owner = "rank", .of = {}};
    for (int rank = 0; rank < at.ranks; ++rank) {
        halo.of.emplace_back(static_cast<std::size_t>(played.given.whole("edge")), at.factor * rank);
        gradient.of.emplace_back(static_cast<std::size_t>(played.given.whole("gradient")),
                                 rank < at.samples ? rank + 1 : 0);
    }
    return {halo, gradient};
}

std::vector<Slip> slips_of_clinic(const Case& played) {
    const Ward at(played);
    const Duration edge = at.costs.message(at.edge_bytes);
    const Duration loss = at.costs.message(bytes_of_loss);
    return {{"", seconds(at.time() - edge), "This has one round of edges; half of the ranks send in each of two."},
            {"", seconds(at.time() - 2 * edge), "This leaves out the edges."},
            {"", seconds(at.time() - loss), "This leaves out the losses."},
            {"", seconds(at.time() + (at.ranks - 2) * edge), "This has N rounds of edges, one rank after another."},
            {"", seconds(at.time() + (at.ranks - 2) * loss),
             "This has the losses one after another; their senders wait beside each other, in the time of one."},
            {"", seconds(at.time() - at.all_reduce()), "This leaves out the all-reduce."}};
}

double time_to_predict(const Case& played, const Record&) {
    return seconds(Ward(played).time());
}

lab::Program clinic(const ClinicStep& step) {
    return [step](GPU& gpu, const Given& given) { run_clinic(gpu, given, step); };
}

}  // namespace

Lab lab_11();
Lab lab_11() {
    return {.number = 11,
            .folder = "11-deadlock-clinic",
            .title = "The deadlock clinic",
            .cases = wards,
            .solution = solution_11(),
            .grade = grade_clinic,
            .mistakes = {{"all-receive-first", clinic({.exchange = Exchange::all_receive_first}), says_all_receive},
                         {"tags-differ", clinic({.losses = Losses::tag_of_another}), says_wrong_tag},
                         {"collective-skipped", clinic({.gradients = Gradients::skipped_by_others}), says_skipped},
                         {"one-rank-sends-first", clinic({.exchange = Exchange::one_sends_first}), says_one_turned},
                         {"losses-left-out", clinic({.losses = Losses::none_sent}), says_no_losses},
                         {"group-without-the-idle", clinic({.gradients = Gradients::of_those_with_samples}),
                          says_smaller_group}},
            .prediction = {.question =
                               "How long does the step take, once nothing hangs and neighbours exchange in two rounds?",
                           .truth = time_to_predict},
            .summands = summands_of_clinic,
            .slips = slips_of_clinic};
}

}  // namespace sim::labs
