// Wrong backward passes.
#include "tests/labs/wrong.hpp"

#include "libsim/collectives/all_reduce.hpp"

#include <functional>
#include <numeric>
#include <span>
#include <string>

namespace wrong {

namespace {

using sim::Flops;
using sim::GPU;
using sim::lab::Given;

// A backward pass in which each decision can be made differently.
struct Buckets {
    bool from_the_first = false;  // starts at the first layer
    bool on_main = false;
    bool shifted = false;       // a bucket is summed one layer too early
    bool last_missing = false;  // the bucket of the first layers is never summed
    bool waits_for_first_only = false;
    bool barrier = false;
    int bucket_scale = 1;
    int streams = 1;
    double scale = 1;
    double flops_scale = 1;
    sim::Algorithm algorithm = sim::Algorithm::ring;
    bool twice = false;
    bool forward_missing = false;
    bool computes_beside = false;  // the update runs before the waits, and again after them
    bool reports = true;
};

struct Layers {
    std::vector<double> numbers;
    std::size_t length;

    std::span<double> of(int first, int count) {
        return std::span(numbers).subspan(static_cast<std::size_t>(first) * length,
                                          static_cast<std::size_t>(count) * length);
    }
};

void add_up(GPU& gpu, std::span<double> bucket, const Buckets& how) {
    for (int time = 0; time < (how.twice ? 2 : 1); ++time) {
        sim::collectives::all_reduce(gpu, sim::world(gpu), bucket, {}, sim::Reduction::sum, {how.algorithm});
    }
}

void go_back(GPU& gpu, const Given& given, const Buckets& how, Layers& layers) {
    const int count = static_cast<int>(given.whole("layers"));
    const int in_bucket = how.bucket_scale * static_cast<int>(given.whole("bucket_layers"));
    std::vector<sim::Handle> handles;
    for (int i = 0; i < count; ++i) {
        const int layer = how.from_the_first ? i : count - 1 - i;
        gpu.compute("backward " + std::to_string(layer),
                    Flops{static_cast<std::int64_t>(how.flops_scale * given["backward_flops"])});
        for (double& number : layers.of(layer, 1)) {
            number = given["factor"] * (gpu.rank() + 1) + layer;
        }
        const int first = how.shifted ? layer - 1 : layer;
        if (first < 0 || first % in_bucket != 0 || first + in_bucket > count || (how.last_missing && first == 0)) {
            continue;
        }
        if (how.on_main) {
            add_up(gpu, layers.of(first, in_bucket), how);
        } else {
            const auto stream = static_cast<sim::Stream>(1 + first / in_bucket % how.streams);
            handles.push_back(gpu.on(stream, [&] { add_up(gpu, layers.of(first, in_bucket), how); }));
        }
    }
    if (how.computes_beside) {
        gpu.compute("update", Flops{given.whole("update_flops")});
    }
    for (std::size_t i = 0; i < handles.size(); ++i) {
        if (!how.waits_for_first_only || i == 0) {
            gpu.wait(handles[i]);
        }
    }
}

void step(GPU& gpu, const Given& given, const Buckets& how) {
    Layers layers{std::vector<double>(static_cast<std::size_t>(given.whole("layers") * given.whole("elements"))),
                  static_cast<std::size_t>(given.whole("elements"))};
    if (!how.forward_missing) {
        gpu.compute("forward", Flops{given.whole("forward_flops")});
    }
    go_back(gpu, given, how, layers);
    if (how.barrier) {
        gpu.barrier();
    }
    gpu.compute("update", Flops{given.whole("update_flops")});
    std::vector<double> sums;
    for (int layer = 0; layer < given.whole("layers"); ++layer) {
        const auto gradient = layers.of(layer, 1);
        sums.push_back(how.scale * std::accumulate(gradient.begin(), gradient.end(), 0.0));
    }
    if (how.reports) {
        gpu.report("sums", sums);
    }
}

Program buckets(const char* what, const Buckets& how, const char* named = "") {
    return {5, what, [how](GPU& gpu, const Given& given) { step(gpu, given, how); }, named};
}

}  // namespace

std::vector<Program> of_lab_05();
std::vector<Program> of_lab_05() {
    return {
        buckets("from the first layer on", {.from_the_first = true}, "first-to-last"),
        buckets("on the main stream", {.on_main = true}, "waits-at-once"),
        buckets("a bucket starts a layer too early", {.shifted = true}),
        buckets("the last bucket is never summed", {.last_missing = true}),
        buckets("waits for the first bucket only", {.waits_for_first_only = true}, "never-waits"),
        buckets("a barrier before the update", {.barrier = true}),
        buckets("buckets of twice the size", {.bucket_scale = 2}),
        buckets("two streams in turn", {.streams = 2}),
        buckets("the mean", {.scale = 0.25}),
        buckets("half the backward pass", {.flops_scale = 0.5}),
        buckets("through a parameter server", {.algorithm = sim::Algorithm::parameter_server}),
        buckets("direct", {.algorithm = sim::Algorithm::direct}),
        buckets("every bucket twice", {.twice = true}),
        buckets("no forward pass", {.forward_missing = true}),
        buckets("two updates", {.computes_beside = true}),
        buckets("reports nothing", {.reports = false}),
        {5, "does nothing", [](GPU& gpu, const Given&) { gpu.barrier(); }},
    };
}

}  // namespace wrong
