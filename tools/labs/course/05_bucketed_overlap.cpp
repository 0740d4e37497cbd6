// Lab 5: F + m b + R + U if a bucket's all-reduce is shorter than its backward pass; else F + b + m R + U.
#include "libsim/collectives/all_reduce.hpp"
#include "tools/labs/checks.hpp"
#include "tools/labs/costs.hpp"
#include "tools/labs/course/arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace sim::labs {

lab::Program solution_05();

namespace {

struct Overlap {
    int ranks;
    std::int64_t layers;
    std::int64_t bucket_layers;
    std::int64_t elements;  // per layer
    std::int64_t forward_flops;
    std::int64_t backward_flops;  // per layer
    std::int64_t update_flops;
    UniformCosts costs;

    Overlap(int ranks_of_all, const Given& given)
        : ranks(ranks_of_all),
          layers(given.whole("layers")),
          bucket_layers(given.whole("bucket_layers")),
          elements(given.whole("elements")),
          forward_flops(given.whole("forward_flops")),
          backward_flops(given.whole("backward_flops")),
          update_flops(given.whole("update_flops")),
          costs(UniformCosts::of(given)) {}

    std::int64_t buckets() const { return layers / bucket_layers; }
    std::int64_t bytes(std::int64_t of_layers) const { return bytes_of_number * of_layers * elements; }
    Duration forward() const { return costs.compute(forward_flops); }
    Duration backward() const { return bucket_layers * costs.compute(backward_flops); }  // per bucket
    Duration update() const { return costs.compute(update_flops); }
    Duration sum() const { return costs.ring_all_reduce(ranks, bytes(bucket_layers)); }  // per bucket
    bool computes_longer() const { return backward() >= sum(); }
    Duration time() const {
        const Duration both = computes_longer() ? buckets() * backward() + sum() : backward() + buckets() * sum();
        return forward() + both + update();
    }
    Duration time_in_turn() const { return forward() + buckets() * (backward() + sum()) + update(); }
};

struct OverlapSizes {
    double layers;
    double bucket_layers;
    double elements;
    double backward_flops;
};

Case overlap_case(int ranks, const OverlapSizes& sizes, double latency, double rate, double factor) {
    const UniformCosts costs{.latency_seconds = latency, .bytes_per_second = rate};
    return {.ranks = ranks,
            .costs = costs.entries(),
            .given = Given({{"layers", sizes.layers},
                            {"bucket_layers", sizes.bucket_layers},
                            {"elements", sizes.elements},
                            {"forward_flops", sizes.layers * sizes.backward_flops / 2},
                            {"backward_flops", sizes.backward_flops},
                            {"update_flops", 5e6},
                            {"latency_seconds", latency},
                            {"bytes_per_second", rate},
                            {"flops_per_second", costs.flops_per_second},
                            {"factor", factor}})};
}

// With 4 ranks a bucket of two layers of 1000 numbers takes 6 (L + 4 kB / B). The seed decides whether the learner's
// own case is bound by compute or by communication; the other two are one of each.
std::vector<Case> overlap_cases(std::uint64_t seed) {
    Draw draw(seed, 5);
    const double latency = draw.of({1e-6, 2e-6, 3e-6});
    const double rate = draw.of({2e9, 4e9});
    const double own = draw.of({5e6, 20e6});
    const double layers = draw.of({8, 12, 16});
    const double factor = draw.of({1, 2, 3});
    return {overlap_case(4, {layers, 2, 1000, own}, latency, rate, factor),
            overlap_case(2, {12, 3, 500, 10e6}, latency, rate, factor + 1),
            overlap_case(8, {6, 2, 2000, 2e6}, latency, rate, factor + 2)};
}

std::vector<double> layer_sums(const Case& played) {
    const Overlap step(played.ranks, played.given);
    const auto ranks = static_cast<double>(step.ranks);
    std::vector<double> sums;
    for (std::int64_t layer = 0; layer < step.layers; ++layer) {
        sums.push_back(static_cast<double>(step.elements) *
                       (played.given["factor"] * ranks * (ranks + 1) / 2 + ranks * static_cast<double>(layer)));
    }
    return sums;
}

std::string label_of(std::int64_t layer) {
    return fmt::format("backward {}", layer);
}

std::vector<Check> grade_overlap(const Case& played, const Record& found, const Record&) {
    const Overlap step(played.ranks, played.given);
    const std::string forward = text_of(step.forward());
    const std::string b = text_of(step.backward());
    const std::string r = text_of(step.sum());
    const std::string why = step.computes_longer() ? fmt::format("R <= b, so F + m b + R + U = {} + {} x {} + {} + {}",
                                                                 forward, step.buckets(), b, r, text_of(step.update()))
                                                   : fmt::format("R > b, so F + b + m R + U = {} + {} + {} x {} + {}",
                                                                 forward, b, step.buckets(), r, text_of(step.update()));
    const std::int64_t chunk = step.bytes(step.bucket_layers) / step.ranks;
    return {reports_are(found, "sums", on_every_rank(played.ranks, layer_sums(played)),
                        "each layer's gradient, added up over ranks and elements"),
            time_is(found, step.time(), why),
            bytes_sent_are(
                found, [&](int) { return step.buckets() * 2 * (step.ranks - 1) * chunk; },
                fmt::format("2 (N-1)/N of the gradient, whether in buckets or not: {} x {} x {}", step.buckets(),
                            2 * (step.ranks - 1), text_of_bytes(chunk))),
            labels_are(
                found,
                [&](int) {
                    std::vector<std::string> labels{"forward"};
                    for (std::int64_t layer = step.layers - 1; layer >= 0; --layer) {
                        labels.push_back(label_of(layer));
                    }
                    labels.emplace_back("update");
                    return labels;
                },
                "the backward pass goes from the last layer to the first, and computes each once")};
}

// A backward pass in which every decision can be a mistake.
struct MistakenOverlap {
    bool waits_at_once = false;
    bool at_the_end = false;
    bool never_waits = false;
    bool layer_by_layer = false;
    bool first_to_last = false;
};

std::span<double> of_layers(std::vector<double>& gradients, const Overlap& step, std::int64_t first,
                            std::int64_t count) {
    return std::span(gradients).subspan(static_cast<std::size_t>(first * step.elements),
                                        static_cast<std::size_t>(count * step.elements));
}

void mistaken_backward(GPU& gpu, const Given& given, const MistakenOverlap& how, std::vector<double>& gradients) {
    const Overlap step(gpu.world_size(), given);
    const std::int64_t together = how.at_the_end ? step.layers : how.layer_by_layer ? 1 : step.bucket_layers;
    std::vector<Handle> sums;
    for (std::int64_t i = 0; i < step.layers; ++i) {
        const std::int64_t layer = how.first_to_last ? i : step.layers - 1 - i;
        gpu.compute(label_of(layer), Flops{step.backward_flops});
        std::ranges::fill(of_layers(gradients, step, layer, 1),
                          given["factor"] * (gpu.rank() + 1) + static_cast<double>(layer));
        if ((i + 1) % together != 0) {
            continue;
        }
        const std::int64_t first = how.first_to_last ? layer + 1 - together : layer;
        sums.push_back(gpu.on(
            Stream{1}, [&] { collectives::all_reduce(gpu, world(gpu), of_layers(gradients, step, first, together)); }));
        if (how.waits_at_once) {
            gpu.wait(sums.back());
        }
    }
    for (std::size_t i = 0; !how.waits_at_once && !how.never_waits && i < sums.size(); ++i) {
        gpu.wait(sums[i]);
    }
}

lab::Program mistaken_overlap(const MistakenOverlap& how) {
    return [how](GPU& gpu, const Given& given) {
        const Overlap step(gpu.world_size(), given);
        std::vector<double> gradients(static_cast<std::size_t>(step.layers * step.elements));
        gpu.compute("forward", Flops{step.forward_flops});
        mistaken_backward(gpu, given, how, gradients);
        gpu.compute("update", Flops{step.update_flops});
        std::vector<double> sums;
        for (std::int64_t layer = 0; layer < step.layers; ++layer) {
            const std::span<double> gradient = of_layers(gradients, step, layer, 1);
            sums.push_back(std::accumulate(gradient.begin(), gradient.end(), 0.0));
        }
        gpu.report("sums", sums);
    };
}

std::string says_in_turn(const Case& played, const Record& theirs) {
    const Overlap step(played.ranks, played.given);
    return fmt::format(
        "{}: computing and communicating in turn, F + m (b + R) + U. Your program waits for each sum before it "
        "computes "
        "the next layer; start sums beside it, keep the handles, and wait after the loop: {}.",
        text_of(theirs.end()), text_of(step.time()));
}
std::string says_at_the_end(const Case& played, const Record& theirs) {
    const Overlap step(played.ranks, played.given);
    return fmt::format(
        "{}: one sum of all {} layers, {}, which begins when there is nothing left to compute beside it. Start a "
        "bucket's sum when its {} layers are done.",
        text_of(theirs.end()), step.layers, text_of(step.costs.ring_all_reduce(step.ranks, step.bytes(step.layers))),
        step.bucket_layers);
}
std::string says_never_waits(const Case&, const Record& theirs) {
    return fmt::format(
        "{}: the update began while sums were still under way, so that it took gradients which were not there yet. "
        "Wait for every handle first.",
        text_of(theirs.end()));
}
std::string says_layer_by_layer(const Case& played, const Record& theirs) {
    const Overlap step(played.ranks, played.given);
    return fmt::format(
        "{}: you summed every layer on its own, in {} sums of 2 (N-1) latencies in place of {}.{} A bucket is "
        "{} layers.",
        text_of(theirs.end()), step.layers, step.buckets(),
        theirs.end() < step.time() ? " Here that is hidden behind computing, elsewhere it is not." : "",
        step.bucket_layers);
}

std::string says_first_to_last(const Case& played, const Record&) {
    return fmt::format(
        "Your backward pass goes from layer 0 to layer {0}. The loss is behind layer {0}, and a layer's gradient needs "
        "that of the layer after it: begin with the last layer, and go down to 0.",
        Overlap(played.ranks, played.given).layers - 1);
}
// Whether rank 0 computes its layers in ascending order.
bool shows_first_to_last(const Case&, const Record& theirs) {
    std::vector<int> layers;
    for (const Span& span : theirs.timeline.spans) {
        if (span.rank == 0 && span.kind == OpKind::compute && span.label->starts_with("backward ")) {
            layers.push_back(std::atoi(span.label->c_str() + std::string_view("backward ").size()));
        }
    }
    return layers.size() > 1 && std::is_sorted(layers.begin(), layers.end()) && layers.front() < layers.back();
}

std::vector<Summands> summands_of_overlap(const Case& played, int) {
    const Overlap step(played.ranks, played.given);
    Summands of{.report = "sums",
                .kind = "gradients",
                .owner = "rank",
                .of = {},
                .pieces = static_cast<int>(step.layers),
                .piece = "layer"};
    for (int rank = 0; rank < step.ranks; ++rank) {
        std::vector<double> own;
        for (std::int64_t layer = 0; layer < step.layers; ++layer) {
            own.push_back(static_cast<double>(step.elements) *
                          (played.given["factor"] * (rank + 1) + static_cast<double>(layer)));
        }
        of.of.push_back(std::move(own));
    }
    return {of};
}

std::vector<Slip> slips_of_overlap(const Case& played) {
    const Overlap step(played.ranks, played.given);
    const Duration ends = step.forward() + step.update();
    const std::int64_t m = step.buckets();
    const Duration sum_of_all = step.costs.ring_all_reduce(step.ranks, step.bytes(step.layers));
    return {
        {"", seconds(step.time_in_turn()), "This is F + m (b + R) + U, without any overlap."},
        {"", seconds(ends + m * step.backward()),
         "This is the computing alone: the sum of the last bucket has nothing to hide behind."},
        {"", seconds(ends + m * step.backward() + sum_of_all), "This has one sum of all layers at the end."},
        {"",
         seconds(ends + (step.computes_longer() ? step.backward() + m * step.sum() : m * step.backward() + step.sum())),
         "This takes the shorter of b and R for the longer one: m times the longer, and once the other."},
        {"", seconds(ends + m * std::max(step.backward(), step.sum())),
         "This leaves out an end: before the first sum a bucket is computed, and the last sum has nothing beside "
         "it."}};
}

double seconds_of_overlap(const Case& played, const Record&) {
    return seconds(Overlap(played.ranks, played.given).time());
}

}  // namespace

Lab lab_05();
Lab lab_05() {
    return {.number = 5,
            .folder = "05-bucketed-overlap",
            .title = "Overlap, bucket by bucket",
            .cases = overlap_cases,
            .solution = solution_05(),
            .grade = grade_overlap,
            .mistakes = {{"first-to-last", mistaken_overlap({.first_to_last = true}), says_first_to_last,
                          shows_first_to_last},
                         {"waits-at-once", mistaken_overlap({.waits_at_once = true}), says_in_turn},
                         {"all-at-the-end", mistaken_overlap({.at_the_end = true}), says_at_the_end},
                         {"never-waits", mistaken_overlap({.never_waits = true}), says_never_waits},
                         {"layer-by-layer", mistaken_overlap({.layer_by_layer = true}), says_layer_by_layer}},
            .prediction = {.question = "How long does the step take?", .truth = seconds_of_overlap},
            .gates = {Aspect::data, Aspect::order},
            .summands = summands_of_overlap,
            .slips = slips_of_overlap};
}

}  // namespace sim::labs
