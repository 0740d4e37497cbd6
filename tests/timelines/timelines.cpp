// Timelines as text, run by every host. A file tests/timelines/NAME.timeline holds
//
//   # the calculation by hand
//   run NAME --ranks N
//   ----
//   rank 0   0 us   25 us   send 1000000 B to 1
//
// where NAME is one of the programs below. A rank's lines are in program order.
#include "libsim/collectives/all_reduce.hpp"
#include "libsim/collectives/broadcast.hpp"
#include "libsim/kernel/parts/describe.hpp"
#include "tests/support/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

namespace {

using namespace sim;
using namespace sim::kernel;
using namespace sim::test;
using namespace std::chrono_literals;

struct Named {
    Cluster cluster;
    ranks::Program program;
};

void ping(GPU& gpu) {
    gpu.rank() == 0 ? gpu.send(1, 1_MB) : gpu.receive(0, 1_MB);
}

void data_parallel_step(GPU& gpu) {
    gpu.compute("forward and backward", Units(80));
    std::vector<double> gradient(8, 1.0);
    all_reduce(gpu, world(gpu), gradient, Units(500));
}

void straggler(GPU& gpu) {
    gpu.compute("work", Units(10 * gpu.rank()));
    all_reduce(gpu, world(gpu), Units(300));
    gpu.barrier();
}

void overlap(GPU& gpu) {
    const int other = 1 - gpu.rank();
    const Handle receiving = gpu.receive_async(other, "bucket 1", Units(100));
    const Handle sending = gpu.send_async(other, "bucket 1", Units(100));
    gpu.compute("backward", Units(20));
    gpu.wait(sending);
    gpu.wait(receiving);
    gpu.log("joined");
}

void pipelined_broadcast(GPU& gpu) {
    std::vector<double> data(3, gpu.rank());
    broadcast(gpu, world(gpu), 0, std::span(data), Bytes(3'000'000));
}

std::map<std::string, Named> all_programs() {
    const Cluster bytes = uniform({.latency = 5us, .bandwidth = 50 * GB_per_s});
    return {{"ping", {bytes, ping}},
            {"data_parallel_step", {gpu_py(), data_parallel_step}},
            {"straggler", {gpu_py(), straggler}},
            {"overlap", {gpu_py(), overlap}},
            {"pipelined_broadcast", {bytes, pipelined_broadcast}}};
}

std::string line_of(const KeptSpan& span, const Measure measure) {
    const bool has_size = span.kind != OpKind::log && !(span.kind == OpKind::collective && span.amount == 0);
    std::string text = fmt::format("rank {}   {}   {}   {}", span.rank, describe_time(Time{span.begin}),
                                   describe_time(Time{span.end}), name_of(span.kind));
    if (!span.label.empty()) {
        text += fmt::format(" '{}'", span.label);
    }
    if (has_size) {
        text += fmt::format(" {}", describe_amount(span.amount, measure));
    }
    if (span.peer >= 0) {
        text += fmt::format(" {} {}", span.kind == OpKind::send ? "to" : "from", span.peer);
    }
    return text;
}

std::string timeline_of(const Named& named, int ranks, ranks::Host host) {
    const Simulation run = simulate_well({.ranks = ranks, .host = host, .cluster = named.cluster}, named.program);
    const Measure measure = named.cluster.name == "uniform" ? Measure::bytes : Measure::units;
    std::string text;
    for (const auto& spans : run.spans) {
        for (const KeptSpan& span : spans) {
            text += line_of(span, measure);
            text += '\n';
        }
    }
    return text;
}

struct File {
    std::string program;
    int ranks = 0;
    std::string expected;
};

File read(const std::filesystem::path& path) {
    std::ifstream in(path);
    File file;
    std::string line;
    while (std::getline(in, line) && line != "----") {
        std::istringstream words(line);
        std::string run;
        std::string option;
        if (line.starts_with("run ")) {
            words >> run >> file.program >> option >> file.ranks;
        }
    }
    std::ostringstream rest;
    rest << in.rdbuf();
    file.expected = rest.str();
    return file;
}

std::vector<std::string> all_files() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(NDSIM_SOURCE_DIR "/tests/timelines")) {
        if (entry.path().extension() == ".timeline") {
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

class Timeline : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Files, Timeline, testing::ValuesIn(all_files()), [](const auto& file) { return file.param; });

TEST_P(Timeline, IsWhatTheFileSaysOnEveryHost) {
    const File file = read(std::filesystem::path(NDSIM_SOURCE_DIR "/tests/timelines") / (GetParam() + ".timeline"));
    const auto programs = all_programs();
    const auto named = programs.find(file.program);
    ASSERT_NE(named, programs.end()) << "no program '" << file.program << "'";
    EXPECT_EQ(timeline_of(named->second, file.ranks, ranks::Host::fiber), file.expected);
    EXPECT_EQ(timeline_of(named->second, file.ranks, ranks::Host::process), file.expected);
}

}  // namespace
