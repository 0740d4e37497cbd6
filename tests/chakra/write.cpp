// Written traces read back unchanged, and another reader finds Chakra's own fields in them.
#include "libsim/interop/chakra/run.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/interop/chakra/messages.hpp"
#include "tests/chakra/traces.hpp"

#include <gmock/gmock.h>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using chakra::Node;
using chakra::NodeKind;
using testing::HasSubstr;

// Every member of a node has a value other than its default somewhere.
std::vector<chakra::RankTrace> all_members() {
    chakra::RankTrace first{.groups = {{"0", {0, 1}}, {"1", {1, 0}}}};
    first.nodes = {
        {.id = 0, .name = "forward", .time = Duration{1'234'567}, .flops = 42, .stream = Stream::main},
        {.id = 1, .name = "load", .kind = NodeKind::memory_load, .ctrl_deps = {0}, .time = 3us},
        {.id = 2, .name = "store", .kind = NodeKind::memory_store, .data_deps = {0, 1}, .on_cpu = true},
        {.id = 3,
         .name = "gradient",
         .kind = NodeKind::send,
         .data_deps = {2},
         .peer = 1,
         .tag = -7,
         .in_collective = true,
         .bytes = 5'000,
         .size = Size{Units{12.5}},
         .stream = Stream{3}},
        {.id = 5, .kind = NodeKind::receive, .peer = 1, .tag = 9, .bytes = 1, .stream = Stream::own},
        {.id = 8,
         .name = "weights",
         .kind = NodeKind::collective,
         .bytes = 334,
         .size = Size{Bytes{1000}},
         .collective = CollectiveKind::all_gather,
         .group = "1",
         .algorithm = AlgorithmConfig{Algorithm::hierarchical, {.channels = 2, .pieces = 3, .inner = 4, .middle = 5}}},
        {.id = 9,
         .kind = NodeKind::collective,
         .bytes = 8,
         .collective = CollectiveKind::reduce,
         .root = 1,
         .reduction = Reduction::max},
        {.id = 10, .name = "wait", .kind = NodeKind::metadata, .data_deps = {8}, .stream = Stream::main},
        {.id = 11, .name = "mark", .kind = NodeKind::metadata, .stream = Stream{2}},
    };
    chakra::RankTrace second = first;
    for (Node& node : second.nodes) {
        node.peer = node.peer == 1 ? 0 : node.peer;
    }
    return {first, second};
}

}  // namespace

TEST(ChakraWriting, KeepsEveryMemberOfEveryNode) {
    const std::vector<chakra::RankTrace> ranks = all_members();
    const TextTraces folder;
    write_traces(folder.prefix(), ranks);
    const chakra::Traces back = chakra::read(folder.prefix());
    ASSERT_EQ(back.ranks.size(), ranks.size());
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        EXPECT_EQ(back.ranks[rank].groups, ranks[rank].groups);
        ASSERT_EQ(back.ranks[rank].nodes.size(), ranks[rank].nodes.size());
        for (std::size_t i = 0; i < ranks[rank].nodes.size(); ++i) {
            EXPECT_EQ(back.ranks[rank].nodes[i], ranks[rank].nodes[i]) << "rank " << rank << ", node " << i;
        }
    }
    EXPECT_EQ(back.ranks, ranks);
}

TEST(ChakraWriting, KeepsEveryKindOfCollective) {
    chakra::RankTrace trace;
    for (int kind = 0; kind <= static_cast<int>(CollectiveKind::all_to_all); ++kind) {
        trace.nodes.push_back({.id = static_cast<std::uint64_t>(kind),
                               .kind = NodeKind::collective,
                               .collective = static_cast<CollectiveKind>(kind)});
    }
    const TextTraces folder;
    write_traces(folder.prefix(), {trace});
    EXPECT_EQ(chakra::read(folder.prefix()).ranks[0], trace);
}

// protoc finds the fields that ASTRA-sim reads, in the types that it expects.
TEST(ChakraWriting, GivesOthersWhatTheyRead) {
    const chakra::RankTrace trace{
        .groups = {{"0", {0, 1}}},
        .nodes = {{.id = 4, .name = "forward", .ctrl_deps = {9}, .time = Duration{1'000'001}, .flops = 42},
                  {.id = 9,
                   .name = "sum",
                   .kind = NodeKind::collective,
                   .data_deps = {4},
                   .bytes = 77,
                   .collective = CollectiveKind::reduce_scatter,
                   .group = "0"},
                  {.id = 11, .kind = NodeKind::metadata, .data_deps = {9}, .stream = Stream::main},
                  {.id = 12, .kind = NodeKind::send, .peer = 1, .tag = 3, .bytes = 88}}};
    const TextTraces text;
    EXPECT_EQ(chakra::file_of(trace, 0),
              text.encoded(version_line + R"(id: 13 name: "process groups" type: METADATA_NODE inputs { values: )" +
                           R"("[{\"pg_name\":\"0\",\"ranks\":[0,1]}]" } attr { name: "is_cpu_op" bool_val: true })" +
                           "\n" + R"(id: 4 name: "forward" type: COMP_NODE ctrl_deps: 9 duration_micros: 2 )" +
                           R"(attr { name: "is_cpu_op" bool_val: false })" + whole("ndsim_ps", 1'000'001) +
                           whole("num_ops", 42) + whole("tensor_size", 1) + "\n" +
                           R"(id: 9 name: "sum" type: COMM_COLL_NODE data_deps: 4 )" +
                           R"(attr { name: "is_cpu_op" bool_val: false })" + whole("comm_type", 7) +
                           whole("comm_size", 77) + string("pg_name", "0") + "\n" +
                           R"(id: 11 type: COMP_NODE data_deps: 9 attr { name: "is_cpu_op" bool_val: false })" +
                           R"( attr { name: "ndsim_wait" bool_val: true })" + whole("ndsim_stream", 0) + "\n" +
                           R"(id: 12 type: COMM_SEND_NODE attr { name: "is_cpu_op" bool_val: false })" +
                           whole("comm_src", 0) + whole("comm_dst", 1) + whole("comm_tag", 3) + whole("comm_size", 88) +
                           "\n"));
}

TEST(ChakraWriting, WritesTheFileOfGroupsThatAstraSimTakes) {
    const TextTraces folder;
    write_traces(folder.prefix(), all_members());
    EXPECT_EQ(content_of(folder.file("t.comm_group.json")), "{\"0\":[0,1],\"1\":[1,0]}\n");
    EXPECT_EQ(chakra::read_group_file(folder.file("t.comm_group.json")), all_members()[0].groups);
}

TEST(ChakraWriting, RefusesFilesOfGroupsThatAreNone) {
    const TextTraces folder;
    const auto refusal = [&](const std::string& content) -> std::string {
        folder.with("groups.json", content);
        try {
            chakra::read_group_file(folder.file("groups.json"));
        } catch (const config::UsageError& error) {
            return error.what();
        }
        return "none";
    };
    EXPECT_THAT(refusal("[1]"), HasSubstr("groups.json: must be an object of groups"));
    EXPECT_THAT(refusal("{"), HasSubstr("groups.json: parse error"));
    EXPECT_THAT(refusal(R"({"0": 3})"), HasSubstr("group \"0\" must be a list of ranks"));
    EXPECT_THAT(refusal(R"({"0": [1.5]})"), HasSubstr("group \"0\": 1.5 is no rank"));
    EXPECT_THAT(refusal(R"({"0": [1, 2, 1]})"), HasSubstr("group \"0\" has rank 1 twice"));
}
