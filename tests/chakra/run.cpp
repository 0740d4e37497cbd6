// Finish times of a trace's ranks, worked out by hand. A message of 1 MB takes 5 us + 20 us at 50 GB/s.
#include "libsim/interop/chakra/run.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "tests/chakra/traces.hpp"

#include <gmock/gmock.h>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t MB = 1'000'000;

Cluster fifty() {
    return uniform({.latency = 5us, .bandwidth = 50 * GB_per_s});
}

std::vector<Duration> finish_of(const chakra::Traces& traces, const chakra::RunOptions& options) {
    std::vector<Duration> ends;
    for (const RankTotals& rank : chakra::run(traces, options).ranks) {
        ends.push_back(rank.end.time_since_epoch());
    }
    return ends;
}

std::vector<Duration> finish_of(const std::vector<std::string>& ranks) {
    return finish_of(traces_of(ranks), {.cluster = fifty()});
}

template <class Error>
std::string error_of(const std::vector<std::string>& ranks, const Cluster& cluster = fifty()) {
    try {
        chakra::run(traces_of(ranks), {.cluster = cluster});
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

// 2 steps of half a MiB each: 5 us + 524,288 B x 20 ps.
TEST(ChakraRun, ComputesAndThenSumsInTwoStepsOfHalfEach) {
    const std::string rank = compute(1, 10) + collective(2, all_reduce_type, 1 << 20, after(1));
    const Duration end = 10us + 2 * (5us + Duration{524'288 * 20});
    EXPECT_THAT(finish_of({rank, rank}), ElementsAre(end, end));
}

TEST(ChakraRun, SumsBesideComputingWhatDoesNotDependOnTheSum) {
    const std::string rank =
        compute(1, 10) + compute(2, 100) + collective(3, all_reduce_type, 2 * MB, after(1)) + compute(4, 3, after(3));
    EXPECT_THAT(finish_of({rank, rank}), ElementsAre(113us, 113us));  // the sum ends at 10 + 2 x 25
    const std::string shorter =
        compute(1, 10) + compute(2, 20) + collective(3, all_reduce_type, 2 * MB, after(1)) + compute(4, 3, after(3));
    EXPECT_THAT(finish_of({shorter, shorter}), ElementsAre(63us, 63us));
}

TEST(ChakraRun, PassesAMessageOnFromRankToRank) {
    EXPECT_THAT(finish_of({compute(1, 10) + send(2, 1, MB, after(1)),
                           receive(1, 0, MB) + compute(2, 7, after(1)) + send(3, 2, MB, after(2)),
                           receive(5, 1, MB) + compute(6, 1, after(5))}),
                ElementsAre(35us, 67us, 68us));
}

// 3 steps of one shard each.
TEST(ChakraRun, TakesAnAllGathersSizeForOneShard) {
    const std::string rank = collective(1, all_gather_type, MB);
    EXPECT_THAT(finish_of({rank, rank, rank, rank}), testing::Each(75us));
}

// 2 (n-1) steps, in each of which all five ranks send and receive a fifth: an all-reduce made of messages costs as much
// as the collective.
TEST(ChakraRun, RunsARingOfMessagesAsFastAsTheCollective) {
    constexpr int n = 5;
    chakra::Traces ring;
    for (int rank = 0; rank < n; ++rank) {
        ring.files.push_back(fmt::format("ring.{}.et", rank));
        chakra::RankTrace& trace = ring.ranks.emplace_back();
        for (std::uint64_t step = 0; step < 2 * (n - 1); ++step) {
            chakra::Node node{.id = 2 * step + 1, .kind = chakra::NodeKind::send, .peer = (rank + 1) % n, .bytes = MB};
            if (step > 0) {
                node.data_deps = {2 * step};
            }
            trace.nodes.push_back(node);
            node.id += 1;
            node.kind = chakra::NodeKind::receive;
            node.peer = (rank + n - 1) % n;
            trace.nodes.push_back(node);
        }
    }
    EXPECT_THAT(finish_of(ring, {.cluster = fifty()}), testing::Each(8 * 25us));
    const std::string sum = collective(1, all_reduce_type, n * MB);
    EXPECT_THAT(finish_of({sum, sum, sum, sum, sum}), testing::Each(8 * 25us));
}

TEST(ChakraRun, LetsTwoRanksReceiveBeforeTheySendWhereNothingDependsOnIt) {
    EXPECT_THAT(finish_of({receive(1, 1, MB) + send(2, 1, MB), receive(1, 0, MB) + send(2, 0, MB)}),
                ElementsAre(25us, 25us));
}

// Node 2 of rank 0 waits for the answer to node 3, which comes after it: the program must not keep that order.
TEST(ChakraRun, SendsWhatMayBeginBeforeWhatWaits) {
    EXPECT_THAT(finish_of({receive(1, 1, MB, "", 1) + send(2, 1, MB, after(1), 2) + send(3, 1, MB, "", 3),
                           receive(1, 0, MB, "", 3) + send(2, 0, MB, after(1), 1) + receive(3, 0, MB, "", 2)}),
                ElementsAre(75us, 75us));
}

TEST(ChakraRun, RunsTwoGroupsOfARankSideBySide) {
    const std::string groups =
        R"(id: 9 type: METADATA_NODE inputs { values: "[{\"pg_name\": \"0\", \"ranks\": [0, 1]},)"
        R"( {\"pg_name\": \"1\", \"ranks\": [0, 1]}]" })"
        "\n";
    const std::string rank = groups + collective(1, all_reduce_type, 2 * MB, string("pg_name", "0")) +
                             collective(2, all_reduce_type, 2 * MB, string("pg_name", "1"));
    EXPECT_THAT(finish_of({rank, rank}), ElementsAre(50us, 50us));
    const std::string one = groups + collective(1, all_reduce_type, 2 * MB, string("pg_name", "0")) +
                            collective(2, all_reduce_type, 2 * MB, string("pg_name", "0"));
    EXPECT_THAT(finish_of({one, one}), ElementsAre(100us, 100us));
}

TEST(ChakraRun, TakesGroupsFromTheFileOfGroupsToo) {
    const std::string rank = collective(1, all_reduce_type, 2 * MB, string("pg_name", "7"));
    chakra::Traces traces = traces_of({rank, rank, compute(1, 1)});
    traces.groups = {{"7", {1, 0}}};
    EXPECT_THAT(finish_of(traces, {.cluster = fifty()}), ElementsAre(50us, 50us, 1us));
}

TEST(ChakraRun, ComputesTheSmallestIdFirstOfThoseThatMayBegin) {
    // Node 3 can begin when 1 has ended, and goes before 4 and 5, which could have begun at once.
    const chakra::Traces traces =
        traces_of({compute(1, 1) + compute(5, 50) + compute(4, 40) + compute(3, 30, after(1))});
    std::vector<std::string> order;
    chakra::run(traces, {.cluster = fifty(), .on_span = [&](const Span& span) { order.push_back(*span.label); }});
    EXPECT_THAT(order, ElementsAre("compute 1", "compute 3", "compute 4", "compute 5"));
}

TEST(ChakraRun, TakesNumOpsWhereThereIsNoTime) {
    const std::string rank = "id: 1 type: COMP_NODE" + whole("num_ops", 7'000'000) + "\n";
    Cluster cluster = fifty();
    cluster.compute.per_flop.reset();
    EXPECT_THAT(error_of<config::UsageError>({rank}, cluster), HasSubstr("t.0.et: node 1 has num_ops and no duration"));
    cluster.compute.per_flop = pace_of(1 * TFLOP_per_s);
    EXPECT_THAT(finish_of(traces_of({rank}), {.cluster = cluster}), ElementsAre(7us));
}

TEST(ChakraRun, PassesOverTheCpuUnlessAskedAndAccessesMemoryAsItComputes) {
    const std::string on_cpu = " attr { name: \"is_cpu_op\" bool_val: true }";
    const chakra::Traces traces = traces_of({compute(1, 10) + compute(2, 20, after(1) + on_cpu) +
                                             "id: 3 type: MEM_LOAD_NODE duration_micros: 4 data_deps: 2\n" +
                                             "id: 4 type: MEM_STORE_NODE data_deps: 3\n" + compute(5, 1, after(4))});
    EXPECT_THAT(finish_of(traces, {.cluster = fifty()}), ElementsAre(15us));
    EXPECT_THAT(finish_of(traces, {.cluster = fifty(), .cpu_time = true}), ElementsAre(35us));
}

// Nodes without a duration join and fork dependencies: they cost nothing, and their successors wait for all their
// predecessors.
TEST(ChakraRun, WaitsThroughNodesThatTakeNoTime) {
    const std::string join = "id: 4 name: \"join\" type: METADATA_NODE data_deps: 1 ctrl_deps: 2 ctrl_deps: 3\n";
    const std::string rank = compute(1, 100) + collective(2, all_reduce_type, 2 * MB) +
                             collective(3, all_reduce_type, 2 * MB) + join + compute(5, 1, after(4));
    EXPECT_THAT(finish_of({rank, rank}), ElementsAre(101us, 101us));
    const std::string longer = compute(1, 60) + collective(2, all_reduce_type, 2 * MB) +
                               collective(3, all_reduce_type, 2 * MB) + join + compute(5, 1, after(4));
    EXPECT_THAT(finish_of({longer, longer}), ElementsAre(101us, 101us));
}

TEST(ChakraRun, NamesTheNodesOfADeadlock) {
    EXPECT_EQ(error_of<DeadlockError>({receive(1, 1, MB) + send(2, 1, MB, after(1)),
                                       receive(1, 0, MB) + compute(2, 1, after(1)) + send(3, 0, MB, after(2))}),
              "deadlock: 5 nodes can never begin, because these wait for each other\n"
              "  rank 0, node 1 \"receive 1\"   waits for rank 1, node 3 \"send 3\"\n"
              "  rank 1, node 3 \"send 3\"   depends on node 2 \"compute 2\"\n"
              "  rank 1, node 2 \"compute 2\"   depends on node 1 \"receive 1\"\n"
              "  rank 1, node 1 \"receive 1\"   waits for rank 0, node 2 \"send 2\"\n"
              "  rank 0, node 2 \"send 2\"   depends on node 1 \"receive 1\"");
}

TEST(ChakraRun, NamesTheFirstNodesOfALongDeadlock) {
    std::vector<std::string> ranks;
    for (int rank = 0; rank < 40; ++rank) {
        ranks.push_back(receive(1, (rank + 39) % 40, MB) + send(2, (rank + 1) % 40, MB, after(1)));
    }
    const std::string error = error_of<DeadlockError>(ranks);
    EXPECT_THAT(error, HasSubstr("deadlock: 80 nodes can never begin"));
    EXPECT_THAT(error, testing::EndsWith("\n  …"));
}

TEST(ChakraRun, NamesTheCollectivesThatRanksJoinInAnotherOrder) {
    const std::string groups =
        R"(id: 9 type: METADATA_NODE inputs { values: "[{\"pg_name\": \"0\", \"ranks\": [0, 1]},)"
        R"( {\"pg_name\": \"1\", \"ranks\": [0, 1]}]" })"
        "\n";
    const auto rank = [&](const std::string& first, const std::string& second) {
        return groups + collective(1, all_reduce_type, MB, string("pg_name", first)) +
               collective(2, all_reduce_type, MB, string("pg_name", second) + after(1));
    };
    EXPECT_THAT(
        error_of<DeadlockError>({rank("0", "1"), rank("1", "0")}),
        HasSubstr("\n  rank 0, node 1 \"collective 1\"   waits in its collective for rank 1, node 2 "
                  "\"collective 2\"\n  rank 1, node 2 \"collective 2\"   depends on node 1 \"collective 1\"\n"));
}

TEST(ChakraRun, NamesAMessageThatNobodyReceivesAndTheNearMiss) {
    EXPECT_EQ(error_of<MismatchError>({send(1, 1, MB, "", 3), receive(1, 0, 2 * MB, "", 4)}),
              "rank 0, node 1 \"send 1\": sends 1000000 bytes to 1 with tag 3, which rank 1 never receives; rank 1, "
              "node 1 \"receive 1\" receives 2000000 bytes with tag 4");
    EXPECT_EQ(error_of<MismatchError>({compute(1, 1), receive(1, 0, 5)}),
              "rank 1, node 1 \"receive 1\": receives 5 bytes from 0 with tag 0, which rank 0 never sends");
}

TEST(ChakraRun, NamesACollectiveThatARankNeverJoinsOrJoinsAsAnother) {
    EXPECT_EQ(error_of<MismatchError>({collective(1, all_reduce_type, 5), compute(1, 1)}),
              "rank 0, node 1 \"collective 1\": rank 1 of its 2 never joins it: it joins 0 collectives of the group, "
              "not 1");
    EXPECT_EQ(error_of<MismatchError>({collective(1, all_reduce_type, 5), collective(1, all_gather_type, 5)}),
              "rank 0, node 1 \"collective 1\" and rank 1, node 1 \"collective 1\" meet, but one is all-reduce of 5 "
              "bytes and the other all-gather of 5 bytes");
}

TEST(ChakraRun, RefusesAGroupThatIsNotDefinedAndRanksWithoutFiles) {
    const auto in_group = [](const std::string& name) {
        return collective(1, all_reduce_type, 5, string("pg_name", name));
    };
    const std::string groups =
        R"(id: 9 type: METADATA_NODE inputs { values: "[{\"pg_name\": \"0\", \"ranks\": [0, 1]}]" })"
        "\n";
    EXPECT_THAT(error_of<config::UsageError>({in_group("3")}),
                HasSubstr("t.0.et: node 1 \"collective 1\": process group \"3\" is not defined"));
    EXPECT_THAT(error_of<config::UsageError>({groups + in_group("0")}),
                HasSubstr("process group \"0\" has rank 1, which has no file"));
    EXPECT_THAT(error_of<config::UsageError>({send(1, 4, 5)}), HasSubstr("there is no file of its peer, rank 4"));
    EXPECT_THAT(error_of<config::UsageError>({send(1, 1, 5), receive(1, 0, 5)}, gpu_py()),
                HasSubstr("t.0.et: node 1 \"send 1\": "));
}
