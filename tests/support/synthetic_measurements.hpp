// Measurements of a cluster with hidden numbers: the model's own times with noise, in the formats of nccl-tests and of
// the benchmark's table.
#pragma once

#include "libsim/fit/calibration/measurement.hpp"
#include "libsim/network/bus_bandwidth.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace sim::test {

// Approximately normal noise, the same in every run.
class Noise {
public:
    Noise(double share, std::uint64_t seed) : share_(share), state_(seed) {}

    double factor() {
        double sum = 0;
        constexpr int terms = 12;  // of variance 1/12 each
        for (int i = 0; i < terms; ++i) {
            sum += uniform();
        }
        return 1 + share_ * (sum - terms / 2.0);
    }

private:
    double uniform() {
        state_ += 0x9e3779b97f4a7c15ULL;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
        return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
    }

    double share_;
    std::uint64_t state_;
};

struct SyntheticCollective {
    const char* program = "all_reduce";
    CollectiveKind kind = CollectiveKind::all_reduce;
    int nodes = 1;
    int per_node = 8;
    std::int64_t smallest = 1024;
    std::int64_t largest = std::int64_t{8} << 30U;
};

// The output of `program`_perf.
inline std::string nccl_tests_output(const training::Machine& machine, const SyntheticCollective& what, Noise& noise) {
    const int ranks = what.nodes * what.per_node;
    std::string text = fmt::format("# Collective test starting: {}_perf\n", what.program);
    text += "# nThread 1 nGpus 1 minBytes 1024 maxBytes 8589934592 step: 2(factor) warmup iters: 1 iters: 20\n#\n";
    text += "# Using devices\n";
    for (int rank = 0; rank < ranks; ++rank) {
        text +=
            fmt::format("#  Rank {:2} Group  0 Pid {:6} on node-{:03} device {:2} [0000:1b:00] NVIDIA H100 80GB HBM3\n",
                        rank, 4000 + rank, rank / what.per_node, rank % what.per_node);
    }
    text +=
        "#\n#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   "
        "busbw #wrong\n";
    for (std::int64_t bytes = what.smallest; bytes <= what.largest; bytes *= 2) {
        const fit::TimedCollective timed{what.kind, false, bytes, ranks, what.per_node};
        const double seconds = fit::expected_seconds({"", 0, 0, timed}, machine) * noise.factor();
        const double algorithm = static_cast<double>(bytes) / seconds / 1e9;
        text += fmt::format(
            "{:12} {:13}     float  {:>6}      -1 {:8.4g} {:7.4f} {:7.4f}      0 {:8.4g} {:7.4f} {:7.4f}    N/A\n",
            bytes, bytes / 4, what.kind == CollectiveKind::all_gather ? "none" : "sum", seconds * 1e6, algorithm,
            algorithm * network::bus_factor(what.kind, ranks), seconds * 1e6, algorithm,
            algorithm * network::bus_factor(what.kind, ranks));
    }
    return text + "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 1\n";
}

inline std::string kernel_line(const training::Machine& machine, const fit::TimedKernel& kernel, Noise& noise) {
    const double seconds = fit::expected_seconds({"", 0, 0, kernel}, machine) * noise.factor();
    switch (kernel.kind) {
        case fit::KernelKind::memory: return fmt::format("memory,,,,,{},,,,{:.6e}\n", kernel.bytes, seconds);
        case fit::KernelKind::flash_forward:
        case fit::KernelKind::flash_backward:
            return fmt::format("{},bf16,,,,,{},{},{},{:.6e}\n", name_of(kernel.kind), kernel.heads, kernel.head_dim,
                               kernel.tokens, seconds);
        default:
            return fmt::format("{},{},{},{},{},,,,,{:.6e}\n", name_of(kernel.kind), name_of(kernel.precision),
                               kernel.gemm.m, kernel.gemm.n, kernel.gemm.k, seconds);
    }
}

// A table with the shapes of the benchmark that ndsim prints.
inline std::string kernel_table(const training::Machine& machine, Noise& noise, bool with_fp8) {
    using fit::KernelKind;
    using training::Precision;
    std::string text = "kind,precision,m,n,k,bytes,heads,head_dim,tokens,seconds\n";
    const auto add = [&](const fit::TimedKernel& kernel) { text += kernel_line(machine, kernel, noise); };
    for (const Precision precision : {Precision::bf16, Precision::fp8}) {
        for (const double m : {64.0, 256.0, 1024.0, 4096.0, 16384.0}) {
            for (const double n : {1024.0, 4096.0, 8192.0}) {
                for (const double k : {64.0, 1024.0, 8192.0}) {
                    if (precision == Precision::bf16 || with_fp8) {
                        add({.kind = KernelKind::forward, .precision = precision, .gemm = {m, n, k, 1}});
                    }
                }
            }
        }
    }
    for (const double n : {1000.0, 4000.0, 8200.0}) {
        add({.kind = KernelKind::forward, .gemm = {8192, n, 4096, 1}});
        add({.kind = KernelKind::forward, .gemm = {8192, 4096, n, 1}});
    }
    for (double bytes = 16384; bytes < 3e9; bytes *= 2) {
        add({.kind = KernelKind::memory, .bytes = bytes});
    }
    for (const double tokens : {1024.0, 2048.0, 4096.0, 8192.0, 16384.0}) {
        for (const double heads : {8.0, 32.0}) {
            add({.kind = KernelKind::flash_forward, .heads = heads, .head_dim = 128, .tokens = tokens});
            add({.kind = KernelKind::flash_backward, .heads = heads, .head_dim = 128, .tokens = tokens});
        }
    }
    return text;
}

}  // namespace sim::test
