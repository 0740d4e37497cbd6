// Traces that ASTRA-sim ran: each of its times is reproduced here (docs/network.md), from a trace instead of a program.
#include "libsim/interop/chakra/run.hpp"

#include "tests/oracle/astra.hpp"

#include <fmt/format.h>

namespace {

using namespace sim;
using namespace sim::astra;
using namespace std::chrono_literals;
using chakra::Node;
using chakra::NodeKind;

Duration end_of(const std::string& topology, const chakra::RankTrace& each, int n) {
    chakra::Traces traces;
    for (int rank = 0; rank < n; ++rank) {
        traces.ranks.push_back(each);
        traces.files.push_back(fmt::format("t.{}.et", rank));
    }
    return chakra::run(traces, {.cluster = cluster_on(topology, n)}).end.time_since_epoch();
}

}  // namespace

// comm_size has the same meaning here as in ASTRA-sim: one shard for an all-gather.
TEST(ChakraFromAstraSim, RunsEveryRingCollectiveOnPrivateLinksAsItDid) {
    int runs = 0;
    for (const nlohmann::json& row : runs_of("collectives")) {
        const std::string topology = row[1];
        const int chunks = row[6];
        const CollectiveKind kind = kind_of(row[3]);
        if (row[5] != "ring" || chunks != 1 || topology == "Switch" || kind == CollectiveKind::all_to_all) {
            continue;
        }
        const int n = row[2];
        const std::int64_t bytes = row[4];
        const chakra::RankTrace trace{.nodes = {{.id = 1,
                                                 .kind = NodeKind::collective,
                                                 .bytes = bytes,
                                                 .collective = kind,
                                                 .algorithm = Algorithm::ring}}};
        const Asked asked{.kind = kind, .members = n, .bytes = bytes};
        EXPECT_TRUE(agrees(row[7], charges_of(asked), end_of(topology, trace, n), 0, 2 * (n - 1))) << row;
        ++runs;
    }
    EXPECT_GT(runs, 0);
}

// Four layers forward, four backward, and a gradient all-reduce per layer once that layer is done.
TEST(ChakraFromAstraSim, OverlapsATrainingStepAsItDid) {
    int runs = 0;
    for (const nlohmann::json& row : runs_of("training_step")) {
        const int n = row[1];
        chakra::RankTrace trace;
        for (std::uint64_t layer = 0; layer < 8; ++layer) {
            const bool backward = layer >= 4;
            Node compute{.id = layer, .time = backward ? 1000us : 500us};
            if (layer > 0) {
                compute.data_deps = {layer - 1};
            }
            trace.nodes.push_back(compute);
        }
        for (std::uint64_t layer = 4; layer < 8; ++layer) {
            trace.nodes.push_back({.id = layer + 4,
                                   .kind = NodeKind::collective,
                                   .data_deps = {layer},
                                   .bytes = 64 << 20,
                                   .algorithm = Algorithm::ring});
            trace.nodes.back().collective = CollectiveKind::all_reduce;
        }
        const Asked gradient{.members = n, .bytes = 64 << 20};
        EXPECT_TRUE(agrees(row[3], 4 * charges_of(gradient), end_of("Ring", trace, n), 0, 4 * 2 * (n - 1))) << row;
        ++runs;
    }
    EXPECT_EQ(runs, 8);
}
