// Scans of linear attention alone, with the shipped numbers, against kernels measured on an H100: the part "scans" of
// docs/data/h100/times.csv.
#include "libsim/split.hpp"
#include "libsim/training/hardware.hpp"
#include "libsim/training/kernel_time.hpp"
#include "libsim/training/operators.hpp"
#include "libsim/training/presets.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <numeric>
#include <string>

namespace {

using namespace sim;
using namespace sim::training;

struct MeasuredScan {
    std::string model;
    int sequences = 0;
    int tokens = 0;
    int tp = 1;
    double seconds = 0;
};

// "kimi-linear-48b-a3b 4 x 4096 tokens", or "minimax-m1 of tp 8 1 x 8192 tokens"
MeasuredScan scan_of(const std::string& name, double seconds) {
    const std::vector<std::string> words = split(name, ' ');
    const bool is_part = words.at(1) == "of";
    const auto number = [&](std::size_t word) { return std::stoi(words.at(word + (is_part ? 3 : 0))); };
    return {words[0], number(1), number(3), is_part ? std::stoi(words.at(3)) : 1, seconds};
}

// By family: "scan kimi_delta forward", "short convolution backward".
std::map<std::string, std::vector<MeasuredScan>> measured_scans() {
    std::ifstream file(NDSIM_SOURCE_DIR "/docs/data/h100/times.csv");
    std::map<std::string, std::vector<MeasuredScan>> result;
    for (std::string line; std::getline(file, line);) {
        const std::vector<std::string> cells = split(line, ',');
        if (cells.front() == "scans") {
            result[cells.at(1)].push_back(scan_of(cells.at(2), std::stod(cells.back())));
        }
    }
    return result;
}

// The operators of a layer with linear attention, on as many tensor-parallel ranks.
std::vector<Operator> operators_of(const MeasuredScan& scan, const Layout& layout) {
    Transformer model = preset(scan.model);
    model.sequence = scan.tokens;
    return layer_operators(model, layout, 0);
}

Layout layout_of(const MeasuredScan& scan) {
    Layout layout;
    layout.batch.micro = scan.sequences;
    layout.parallelism.tp = scan.tp;
    return layout;
}

double predicted_seconds(const MeasuredScan& scan, bool backward) {
    const Layout layout = layout_of(scan);
    const Machine of_h100 = machine("dgx-h100");
    const KernelTimes kernels(of_h100.gpu, layout);
    double seconds = 0;
    for (const Operator& op : operators_of(scan, layout)) {
        if (op.kind == OperatorKind::scan) {
            seconds += kernels.scan({.flops = backward ? op.backward_flops : op.forward_flops,
                                     .product_share = op.product_share,
                                     .turns = double{1} * (backward ? op.backward_turns : op.forward_turns),
                                     .bytes = backward ? op.backward_bytes : op.forward_bytes,
                                     .kernels = backward ? op.backward_kernels : op.forward_kernels});
        }
    }
    return seconds;
}

double mean_of(const std::vector<double>& errors) {
    return std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
}

// Means of the absolute logarithm of predicted over measured: of the cases that numbers were set from, and of others.
struct Bounds {
    const char* kind;
    std::size_t cases;
    double shown;
    double aside;
};

// The line of a kernel in docs/accuracy.md. `errors`: predicted / measured - 1; every second one was set aside.
std::string errors_text(const std::string& kernel, const std::vector<double>& errors) {
    std::vector<double> absolute;
    std::vector<double> aside;
    for (std::size_t at = 0; at < errors.size(); ++at) {
        absolute.push_back(std::abs(errors[at]));
        if (at % 2 == 1) {
            aside.push_back(absolute.back());
        }
    }
    return fmt::format("{:<20} {:>2} cases: bias {:>+5.1f} %, error {:>4.1f} %, aside {:>4.1f} %\n", kernel,
                       errors.size(), 100 * mean_of(errors), 100 * mean_of(absolute), 100 * mean_of(aside));
}

class MeasuredScans : public testing::TestWithParam<Bounds> {};

TEST_P(MeasuredScans, ArePredictedAlsoInTheHalfThatWasSetAside) {
    std::array<std::vector<double>, 2> halves;
    for (const char* const pass : {"forward", "backward"}) {
        const std::vector<MeasuredScan> scans = measured_scans()[fmt::format("scan {} {}", GetParam().kind, pass)];
        ASSERT_EQ(scans.size(), GetParam().cases);
        std::vector<double> errors;
        for (std::size_t at = 0; at < scans.size(); ++at) {
            const double predicted = predicted_seconds(scans[at], std::string_view(pass) == "backward");
            halves[at % 2].push_back(std::abs(std::log(predicted / scans[at].seconds)));
            errors.push_back(predicted / scans[at].seconds - 1);
        }
        std::cout << errors_text(fmt::format("{} {}", GetParam().kind, pass), errors);
    }
    EXPECT_LT(mean_of(halves[0]), GetParam().shown);
    EXPECT_LT(mean_of(halves[1]), GetParam().aside);
}

INSTANTIATE_TEST_SUITE_P(Kinds, MeasuredScans,
                         testing::Values(Bounds{"gated_delta", 5, 0.03, 0.04}, Bounds{"kimi_delta", 5, 0.08, 0.1},
                                         Bounds{"lightning", 5, 0.11, 0.07}, Bounds{"mamba2", 10, 0.1, 0.1}),
                         [](const auto& which) { return which.param.kind; });

TEST(Scans, WaitForProductsForTheMemoryOrForTheChunkBefore) {
    Accelerator gpu = accelerator("H100");
    gpu.efficiency.kernel_gap = 0;
    gpu.efficiency.memory_half_bytes = 0;
    const KernelTimes kernels(gpu, Layout{});
    const double products = kernels.scan({.flops = 1e12, .product_share = 0.1});
    EXPECT_DOUBLE_EQ(products, 1e12 / (0.1 * gpu.sustained(MatrixUnits::bf16)));
    EXPECT_EQ(kernels.scan({.flops = 1e12}), 0);  // hidden behind traffic
    const double memory = kernels.scan({.bytes = 1e9});
    const double turns = kernels.scan({.turns = 256});
    EXPECT_DOUBLE_EQ(kernels.scan({.turns = 512}), 2 * turns);
    EXPECT_EQ(kernels.scan({.flops = 1e12, .product_share = 0.1, .turns = 256, .bytes = 1e9}),
              std::max({products, memory, turns}));
}

}  // namespace
