// Lab 10: ZeRO's memory, 18 bytes of states per parameter spread over the ranks, and its communication volume.
#include "tools/labs/checks.hpp"
#include "tools/labs/costs.hpp"
#include "tools/labs/course/zero_training.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace sim::labs {

lab::Program solution_10();

namespace {

struct ZeroCase {
    int ranks;
    std::int64_t zero;
    std::int64_t layers;
    std::int64_t parameters;  // per layer
    std::int64_t tokens;
    UniformCosts costs;

    explicit ZeroCase(const Case& played)
        : ranks(played.ranks),
          zero(played.given.whole("zero")),
          layers(played.given.whole("layers")),
          parameters(played.given.whole("parameters")),
          tokens(played.given.whole("tokens")),
          costs(UniformCosts::of(played.given)) {}

    std::int64_t all() const { return layers * parameters; }
    std::int64_t layer() const { return 2 * parameters; }  // bytes
    std::int64_t peak() const {
        return 2 * all() / (zero == 3 ? ranks : 1) + 4 * all() / (zero >= 2 ? ranks : 1) + 12 * all() / ranks +
               (zero == 3 ? layer() : 0);
    }
    // Number of reduce-scatters and all-gathers, each of one layer.
    std::int64_t collectives() const { return (zero == 3 ? 3 : 2) * layers; }
    std::int64_t sent() const { return collectives() * half_ring_bytes(ranks, layer()); }
    Duration compute() const {
        return layers * (costs.compute(2 * parameters * tokens) + costs.compute(4 * parameters * tokens));
    }
    Duration time() const { return compute() + collectives() * half_ring_time(costs, ranks, layer()); }
};

Case zero_case(int ranks, int zero, double layers, double parameters, double rate, double latency) {
    const UniformCosts costs{.latency_seconds = latency, .bytes_per_second = rate, .flops_per_second = 1e14};
    return {.ranks = ranks,
            .costs = costs.entries(),
            .given = Given({{"zero", static_cast<double>(zero)},
                            {"layers", layers},
                            {"parameters", parameters},
                            {"tokens", 1000},
                            {"latency_seconds", latency},
                            {"bytes_per_second", rate},
                            {"flops_per_second", costs.flops_per_second}})};
}

std::vector<Case> zero_cases(std::uint64_t seed) {
    Draw draw(seed, 10);
    const double layers = draw.of({4, 5, 6, 8});
    const double parameters = draw.of({12e6, 18e6, 24e6, 48e6});  // divisible by 2, 3, 4 and 8 ranks
    const double rate = draw.of({50e9, 100e9, 200e9});
    const double latency = draw.of({2e-6, 4e-6, 5e-6});
    return {zero_case(4, 1, layers, parameters, rate, latency), zero_case(8, 3, layers - 1, parameters, rate, latency),
            zero_case(3, 2, layers, parameters / 2, rate, 2 * latency)};
}

std::string why_peak(const ZeroCase& at) {
    return fmt::format(
        "({}{}12/{}) bytes x {} x {} parameters{}", at.zero == 3 ? fmt::format("2/{} + ", at.ranks) : "2 + ",
        at.zero >= 2 ? fmt::format("4/{} + ", at.ranks) : "4 + ", at.ranks, at.layers, at.parameters,
        at.zero == 3 ? fmt::format(", and {} of the layer that is gathered", text_of_bytes(at.layer())) : "");
}

std::vector<Check> grade_zero(const Case& played, const Record& found, const Record& reference) {
    const ZeroCase at(played);
    const std::string layer = text_of_bytes(at.layer());
    return {
        peak_bytes_are(
            found, [&](int) { return at.peak(); }, why_peak(at)),
        bytes_sent_are(
            found, [&](int) { return at.sent(); },
            fmt::format("{} layers x {} (d-1)/d x {}: {}", at.layers, at.zero == 3 ? 3 : 2, layer,
                        at.zero == 3 ? "3/2 of what data parallelism sends" : "as data parallelism does")),
        time_is(found, at.time(),
                fmt::format("{} of computing, and {} collectives of (d-1) (L + {}/(d B)) = {}", text_of(at.compute()),
                            at.collectives(), layer, text_of(half_ring_time(at.costs, at.ranks, at.layer())))),
        same_order(found, reference,
                   at.zero == 3 ? "a layer is gathered, computed and released; after its backward pass its gradient "
                                  "is scattered"
                                : "a layer's gradient is scattered after its backward pass; parameters are gathered "
                                  "at the end")};
}

std::int64_t peak_on_rank_0(const Record& theirs) {
    return theirs.timeline.totals.front().peak_bytes;
}

std::string says_kept(const Case&, const Record&) {
    return "In stage 3 you kept every layer from its forward to its backward pass, so that in between a rank holds the "
           "whole model. Release each layer after its forward pass, and gather it again.";
}
std::string says_not_freed(const Case&, const Record&) {
    return "In stage 3 you gathered every layer twice, but did not release it after its forward pass: the memory of "
           "the "
           "whole model is still there when the backward pass begins.";
}
std::string says_all_reduce(const Case& played, const Record& theirs) {
    return fmt::format(
        "{} are sent where {} are enough: you took an all-reduce, which brings every rank the whole sum. A "
        "rank needs its own part alone; that is a reduce-scatter.",
        text_of_bytes(theirs.timeline.totals.front().bytes_sent), text_of_bytes(ZeroCase(played).sent()));
}
std::string says_all_divided(const Case& played, const Record& theirs) {
    const ZeroCase at(played);
    return fmt::format(
        "{}, which is 18/{} bytes for each parameter: you spread all three states. Stage 1 spreads the "
        "optimizer's 12 bytes alone, stage 2 the gradients' 4 as well.",
        text_of_bytes(peak_on_rank_0(theirs)), at.ranks);
}
std::string says_two_moments(const Case&, const Record& theirs) {
    return fmt::format(
        "{}: you counted 8 bytes for the optimizer, Adam's two moments. It also keeps a master copy of the "
        "parameters in fp32, 4 bytes more.",
        text_of_bytes(peak_on_rank_0(theirs)));
}

// A rank's states as a wrong program may hold them.
struct HeldStates {
    bool spreads_parameters;
    bool spreads_gradients;
    bool spreads_optimizer;
    std::int64_t of_gradient = 4;
    std::int64_t of_optimizer = 12;
    std::int64_t gathered_layers = 0;

    static HeldStates right(const ZeroCase& at) {
        return {.spreads_parameters = at.zero == 3,
                .spreads_gradients = at.zero >= 2,
                .spreads_optimizer = true,
                .gathered_layers = at.zero == 3 ? 1 : 0};
    }
    std::int64_t peak(const ZeroCase& at) const {
        const auto part = [&](std::int64_t bytes, bool is_spread) {
            return bytes * at.all() / (is_spread ? at.ranks : 1);
        };
        return part(2, spreads_parameters) + part(of_gradient, spreads_gradients) +
               part(of_optimizer, spreads_optimizer) + gathered_layers * at.layer();
    }
    // How it differs from the right one.
    std::vector<std::string> differences(const HeldStates& right) const {
        std::vector<std::string> all;
        const auto spread = [&](bool mine, bool other, const char* what) {
            if (mine != other) {
                all.push_back(fmt::format("{} {}", what, mine ? "spread over the ranks" : "whole on every rank"));
            }
        };
        spread(spreads_parameters, right.spreads_parameters, "the parameters");
        spread(spreads_gradients, right.spreads_gradients, "the gradients");
        spread(spreads_optimizer, right.spreads_optimizer, "the optimizer's states");
        if (of_gradient != right.of_gradient) {
            all.push_back(fmt::format("{} bytes for a gradient, not {}", of_gradient, right.of_gradient));
        }
        if (of_optimizer != right.of_optimizer) {
            all.push_back(fmt::format("{} bytes for the optimizer, not {}", of_optimizer, right.of_optimizer));
        }
        if (gathered_layers != right.gathered_layers) {
            all.push_back(gathered_layers == 0 ? "no room for the layer that is gathered"
                                               : fmt::format("{} gathered layer{} at once", gathered_layers,
                                                             gathered_layers == 1 ? "" : "s"));
        }
        return all;
    }
};

// The habits with the fewest differences, two at most, that leave this peak; empty: none, or more than two.
std::string explain_peak(const Case& played, const Record& theirs) {
    const ZeroCase at(played);
    const std::int64_t peak = theirs.timeline.totals.front().peak_bytes;
    const HeldStates right = HeldStates::right(at);
    std::size_t fewest = 3;
    std::set<std::string> found;
    const auto look_at = [&](const HeldStates& held) {
        const std::vector<std::string> differences = held.differences(right);
        if (held.peak(at) != peak || differences.empty() || differences.size() > fewest) {
            return;
        }
        if (differences.size() < fewest) {
            found.clear();
            fewest = differences.size();
        }
        found.insert(fmt::format("{}", fmt::join(differences, ", and ")));
    };
    for (int bits = 0; bits < 8; ++bits) {
        for (const std::int64_t of_gradient : {4, 2, 8}) {
            for (const std::int64_t of_optimizer : {12, 8, 16, 4}) {
                for (const std::int64_t gathered : {std::int64_t{0}, std::int64_t{1}, at.layers, 2 * at.layers}) {
                    look_at({(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, of_gradient, of_optimizer, gathered});
                }
            }
        }
    }
    return peak == at.peak() || found.empty() || found.size() > 2 || fewest > 2
               ? ""
               : fmt::format("ZeRO {}: a peak of {} is that of {}.", at.zero, text_of_bytes(peak),
                             fmt::join(found, "; or of "));
}

std::vector<Slip> slips_of_zero(const Case& played) {
    const ZeroCase at(played);
    const auto all = static_cast<double>(at.all());
    const double d = at.ranks;
    return {{"", 18 * all, "This is all 18 bytes of each parameter, with nothing spread."},
            {"", 18 * all / d,
             "This has all states spread; which are spread depends on the stage: 1 the optimizer's, 2 "
             "the gradients, too, 3 the parameters, too."},
            {"", 6 * all + 8 * all / d,
             "This has 8 bytes for the optimizer, Adam's moments; the master copy of the "
             "parameters is 4 more."},
            {"", 4 * all + 12 * all / d, "This has 2 bytes for a gradient; here they are 4."},
            {"", 12 * all / d, "This is the optimizer alone; parameters and gradients come on top."},
            {"", 16 * all, "This is 16 bytes for each parameter, with nothing spread."},
            {"", 2 * all + 16 * all / d, "This is stage 2, which spreads the gradients, too; your case is stage 1."}};
}

double peak_to_predict(const Case& played, const Record&) {
    return static_cast<double>(ZeroCase(played).peak());
}

lab::Program zero_program(const ZeroTraining& training) {
    return [training](GPU& gpu, const Given& given) { train(gpu, given, training); };
}

}  // namespace

Lab lab_10();
Lab lab_10() {
    return {.number = 10,
            .folder = "10-zero",
            .title = "ZeRO, the states spread over the ranks",
            .cases = zero_cases,
            .solution = solution_10(),
            .grade = grade_zero,
            .mistakes = {{"layers-kept", zero_program({.gathers_in_backward = false, .releases_after_forward = false}),
                          says_kept},
                         {"layers-not-released", zero_program({.releases_after_forward = false}), says_not_freed},
                         {"all-reduce-for-reduce-scatter", zero_program({.all_reduces = true}), says_all_reduce},
                         {"all-states-spread", zero_program({.spreads_gradients = 0, .spreads_parameters = 0}),
                          says_all_divided},
                         {"no-master-copy", zero_program({.of_optimizer = 8}), says_two_moments}},
            .prediction = {.question = "How many bytes does a rank hold at most?",
                           .quantity = Quantity::bytes,
                           .truth = peak_to_predict},
            .gates = {Aspect::memory},
            .slips = slips_of_zero,
            .explain = explain_peak};
}

}  // namespace sim::labs
