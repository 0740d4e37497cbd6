#include "tools/torch/prices/works/parts.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace sim::torch::prices {

using seam::Tensor;
using training::GemmKind;

namespace {

struct Convolution {
    const Tensor* given;
    const Tensor* weight;
    const Tensor* result;
};

std::int64_t groups_of(const Call& call, const Tensor& given) {
    const bool is_by_channel = call.name().find("depthwise") != std::string_view::npos;
    return call.integer("groups", is_by_channel && given.dimensions > 1 ? given.sizes[1] : 1);
}

bool is_transposed(const Call& call) {
    return call.flag("transposed", call.name().find("transpose") != std::string_view::npos);
}

// A convolution as a matrix product per group: places x output channels x inputs of a place.
Work convolved(const Asked& asked, const Convolution& of, GemmKind kind) {
    const std::int64_t groups = groups_of(asked.call, *of.given);
    const Tensor& places = is_transposed(asked.call) ? *of.given : *of.result;
    const bool has_channels = std::min({of.given->dimensions, of.weight->dimensions, places.dimensions}) >= 2;
    if (!has_channels || elements(*of.given) * elements(*of.weight) * elements(*of.result) == 0 ||
        std::min(of.given->sizes[1], of.weight->sizes[0]) < groups) {
        return {};
    }
    std::int64_t m = elements(places) / places.sizes[1];
    std::int64_t n = of.weight->sizes[0] / groups;
    std::int64_t k = elements(*of.weight) / of.weight->sizes[0];
    const std::int64_t flops = 2 * m * n * k * groups;
    if (kind == GemmKind::input_gradient) {
        n = of.given->sizes[1] / groups;
        k = flops / (2 * m * groups * n);
    } else if (kind == GemmKind::weight_gradient) {
        std::swap(m, k);
    }
    const auto precision = precision_of(*of.given, asked.tf32.convolutions);
    const std::int64_t count = bytes(*of.given) + bytes(*of.weight) + bytes(*of.result);
    const training::Gemm shape{static_cast<double>(m), static_cast<double>(n), static_cast<double>(k),
                               static_cast<double>(groups)};
    const Duration time = asked.times.convolution(shape, kind, static_cast<double>(count), precision);
    return multiplied(asked, time, "convolution", static_cast<double>(flops), precision);
}

// The wanted gradients, in order: inputs', weights', bias's. A schema without a mask has the first two.
std::array<bool, 3> wanted_gradients(const Call& call) {
    const auto mask = call.integers("output_mask");
    std::array<bool, 3> wanted{true, true, false};
    for (std::size_t at = 0; at < std::min(mask.size(), wanted.size()); ++at) {
        wanted[at] = mask[at] != 0;
    }
    return wanted;
}

}  // namespace

Work convolution_work(const Asked& asked) {
    const Tensor& given = asked.call.tensor({"input", "self"});
    return convolved(asked, {&given, &asked.call.tensor({"weight"}), &asked.call.result()}, GemmKind::forward);
}

Work convolution_backward_work(const Asked& asked) {
    const Call& call = asked.call;
    const Tensor& result = call.tensor({"grad_output"});
    const Convolution of{&call.tensor({"input", "self"}), &call.tensor({"weight"}), &result};
    const auto wanted = wanted_gradients(call);
    Work all;
    for (const auto& [is_wanted, kind] :
         {std::pair{wanted[0], GemmKind::input_gradient}, std::pair{wanted[1], GemmKind::weight_gradient}}) {
        const Work one = is_wanted ? convolved(asked, of, kind) : Work{};
        if (all.kernels.empty()) {
            all = one;
        } else if (!one.kernels.empty()) {
            all.kernels.push_back(one.kernels.front());
            all.done += one.done;
            all.flops += one.flops;
        }
    }
    const Work of_bias = wanted[2] ? memory_work(asked, static_cast<double>(bytes(result))) : Work{};
    if (all.kernels.empty()) {
        return of_bias;
    }
    all.kernels.insert(all.kernels.end(), of_bias.kernels.begin(), of_bias.kernels.end());
    return all;
}

}  // namespace sim::torch::prices
