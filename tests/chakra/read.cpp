// Files that the reader accepts, and files that it refuses in one line.
#include "libsim/interop/chakra/run.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/error.hpp"
#include "libsim/report/gzip.hpp"
#include "tests/chakra/traces.hpp"

#include <gmock/gmock.h>

#include <sstream>

namespace {

using namespace sim;
using namespace sim::test;
using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// The message that refuses a trace with this one rank, or "none".
std::string refusal_of(const std::string& lines) {
    try {
        traces_of({lines});
    } catch (const config::UsageError& error) {
        return error.what();
    }
    return "none";
}

std::string refusal_of_bytes(const std::string& bytes) {
    std::stringbuf input(bytes);
    try {
        chakra::read_rank(input, 0, "t.0.et");
    } catch (const config::UsageError& error) {
        return error.what();
    }
    return "none";
}

std::string refusal_of_path(const std::string& path) {
    try {
        chakra::read(path);
    } catch (const config::UsageError& error) {
        return error.what();
    }
    return "none";
}

std::string refusal_of_run(const chakra::Traces& traces) {
    try {
        chakra::run(traces, {.cluster = uniform({.latency = 5us, .bandwidth = 50 * GB_per_s})});
    } catch (const config::UsageError& error) {
        return error.what();
    } catch (const MismatchError& error) {
        return error.what();
    } catch (const std::overflow_error& error) {  // too large to be simulated
        return std::string("beyond: ") + error.what();
    }
    return "none";
}

std::string compressed(const std::string& bytes) {
    std::ostringstream out;
    report::write_gzip(out, [&](std::ostream& to) { to << bytes; });
    return out.str();
}

}  // namespace

TEST(ChakraFiles, HoldNodesWithTheirDependenciesAndAttributes) {
    const chakra::Traces traces = traces_of(
        {"id: 7 name: \"gemm\" type: COMP_NODE ctrl_deps: 3 data_deps: 3 duration_micros: 12" + whole("num_ops", 99) +
             "\n" + "id: 3 type: MEM_LOAD_NODE duration_micros: 2\n" + send(9, 1, 64, after(7), 5),
         receive(1, 0, 64, "", 5)});
    ASSERT_EQ(traces.ranks.size(), 2U);
    const chakra::RankTrace& rank = traces.ranks[0];
    EXPECT_EQ(rank.version, "0.0.4");
    ASSERT_EQ(rank.nodes.size(), 3U);
    EXPECT_EQ(rank.nodes[0], (chakra::Node{.id = 3, .kind = chakra::NodeKind::memory_load, .time = 2us}));
    EXPECT_EQ(rank.nodes[1],
              (chakra::Node{.id = 7, .name = "gemm", .ctrl_deps = {3}, .data_deps = {3}, .time = 12us, .flops = 99}));
    EXPECT_EQ(rank.nodes[2], (chakra::Node{.id = 9,
                                           .name = "send 9",
                                           .kind = chakra::NodeKind::send,
                                           .data_deps = {7},
                                           .peer = 1,
                                           .tag = 5,
                                           .bytes = 64}));
    EXPECT_EQ(traces.ranks[1].nodes[0].peer, 0);
}

TEST(ChakraFiles, HoldWholeNumbersOfAnyType) {
    for (const char* type : {"int32_val", "int64_val", "uint32_val", "uint64_val", "sint32_val", "sint64_val",
                             "fixed32_val", "fixed64_val", "sfixed32_val", "sfixed64_val"}) {
        const chakra::Traces traces =
            traces_of({fmt::format("id: 1 type: COMM_COLL_NODE attr {{ name: \"comm_type\" {0}: 7 }} attr {{ name: "
                                   "\"comm_size\" {0}: 4096 }} attr {{ name: \"is_cpu_op\" {0}: 0 }}\n",
                                   type)});
        EXPECT_EQ(traces.ranks[0].nodes[0].collective, CollectiveKind::reduce_scatter) << type;
        EXPECT_EQ(traces.ranks[0].nodes[0].bytes, 4096) << type;
    }
    EXPECT_THAT(refusal_of("id: 1 type: COMM_COLL_NODE attr { name: \"comm_type\" double_val: 7 }\n"),
                HasSubstr("t.0.et: node 1: comm_type must be a 64-bit whole number"));
    EXPECT_THAT(refusal_of("id: 1 type: COMP_NODE attr { name: \"num_ops\" uint64_val: 18446744073709551615 }\n"),
                HasSubstr("num_ops must be a 64-bit whole number"));
}

TEST(ChakraFiles, MayBeCompressedAndLieInAFolderOfTheirOwn) {
    const TextTraces text;
    text.with(0, compute(1, 1));
    text.with("t.1.et.gz", compressed(text.encoded(version_line + compute(1, 2))));
    const std::string folder = text.prefix().substr(0, text.prefix().size() - 2);
    for (const std::string& path : {text.prefix(), folder, folder + "/"}) {
        const chakra::Traces traces = chakra::read(path);
        ASSERT_EQ(traces.ranks.size(), 2U) << path;
        EXPECT_EQ(traces.ranks[1].nodes[0].time, 2us) << path;
    }
}

TEST(ChakraFiles, AreRefusedWhereARankIsMissingOrThereTwice) {
    const TextTraces text;
    const std::string folder = text.prefix().substr(0, text.prefix().size() - 2);
    EXPECT_THAT(refusal_of_path(folder), HasSubstr("there are no files PREFIX.0.et, PREFIX.1.et, …"));
    EXPECT_THAT(refusal_of_path(text.prefix()), HasSubstr("there are no files t.0.et, t.1.et, …"));
    text.with(0, compute(1, 1));
    text.with(2, compute(1, 1));
    EXPECT_THAT(refusal_of_path(text.prefix()), HasSubstr("t.1.et is missing, though there is one of rank 2"));
    text.with("t.1.et", "");
    EXPECT_THAT(refusal_of_path(text.prefix()), HasSubstr("t.1.et: is empty"));
    text.with("t.01.et.gz", "");
    EXPECT_THAT(refusal_of_path(text.prefix()), HasSubstr("are both of rank 1; keep one of them"));
    text.with("a.0.et", "");
    EXPECT_THAT(refusal_of_path(folder), HasSubstr("has files of a.RANK.et and t.RANK.et; name one of them"));
    EXPECT_THAT(refusal_of_path(text.file("nowhere/t")), HasSubstr("No such file"));
}

TEST(ChakraFiles, AreRefusedForAttributesThatAreMissing) {
    const auto refuse = [](const std::string& type, const std::string& attributes) {
        return refusal_of("id: 4 name: \"x\" type: " + type + attributes + "\n");
    };
    EXPECT_THAT(refuse("COMM_COLL_NODE", ""), HasSubstr("t.0.et: node 4 \"x\": comm_type is missing"));
    EXPECT_THAT(refuse("COMM_COLL_NODE", whole("comm_type", 0)), HasSubstr("comm_size is missing"));
    EXPECT_THAT(refuse("COMM_COLL_NODE", whole("comm_type", 10)), HasSubstr("comm_type must be 0 to 9, not 10"));
    EXPECT_THAT(refuse("COMM_COLL_NODE", whole("comm_type", 9)), "none");  // a barrier has no size
    EXPECT_THAT(refuse("COMM_SEND_NODE", ""), HasSubstr("comm_dst is missing"));
    EXPECT_THAT(refuse("COMM_RECV_NODE", ""), HasSubstr("comm_src is missing"));
    EXPECT_THAT(refuse("COMM_SEND_NODE", whole("comm_dst", 1)), HasSubstr("comm_tag is missing"));
    EXPECT_THAT(refuse("COMM_SEND_NODE", whole("comm_dst", 1) + whole("comm_tag", 1)),
                HasSubstr("comm_size is missing"));
    EXPECT_THAT(refuse("COMM_SEND_NODE", whole("comm_dst", 0)), HasSubstr("rank 0 cannot send to itself"));
    EXPECT_THAT(refuse("COMM_SEND_NODE", whole("comm_dst", 1) + whole("comm_src", 2)),
                HasSubstr("comm_src is 2, but this is the trace of rank 0"));
    EXPECT_THAT(refuse("COMM_SEND_NODE", whole("comm_dst", -1)), HasSubstr("comm_dst must be 0 to"));
    EXPECT_THAT(refuse("COMM_COLL_NODE", whole("comm_type", 0) + whole("comm_size", -5)),
                HasSubstr("comm_size must be 0 or more, not -5"));
    EXPECT_THAT(refuse("COMM_COLL_NODE", whole("comm_type", 0) + whole("comm_size", 5) + whole("pg_name", 5)),
                HasSubstr("pg_name must be a string"));
    EXPECT_THAT(refuse("INVALID_NODE", ""), HasSubstr("has no type"));
    EXPECT_THAT(refuse("COMP_NODE", " duration_micros: 9223372036855"), HasSubstr("simulated time goes up to"));
}

TEST(ChakraFiles, AreRefusedForAlgorithmsAndReductionsThatThereAreNot) {
    const auto refuse = [](const std::string& attribute) {
        return refusal_of("id: 4 name: \"x\" type: COMM_COLL_NODE" + whole("comm_type", 0) + whole("comm_size", 5) +
                          attribute + "\n");
    };
    EXPECT_THAT(refuse(string("ndsim_algorithm", "rign")),
                HasSubstr("ndsim_algorithm: there is no algorithm \"rign\"; did you mean ring?"));
    EXPECT_THAT(refuse(string("ndsim_reduction", "min")), HasSubstr("ndsim_reduction: there is no \"min\""));
    EXPECT_EQ(refuse(string("ndsim_algorithm", "ring") + string("ndsim_reduction", "max")), "none");
}

TEST(ChakraFiles, AreRefusedBeyondTheLargestRank) {
    const TextTraces text;
    text.with("t.9999999.et", text.encoded(version_line));
    EXPECT_THAT(refusal_of_path(text.prefix()), HasSubstr("t.9999999.et: is of rank 9999999; ranks are 0 to "));
}

TEST(ChakraFiles, AreRefusedForDependenciesThatCannotBe) {
    EXPECT_THAT(refusal_of(compute(1, 1, after(2))),
                HasSubstr("t.0.et: node 1 \"compute 1\" depends on node 2, which is not there"));
    EXPECT_THAT(refusal_of(compute(1, 1) + compute(1, 2)),
                HasSubstr("node 1 \"compute 1\" and node 1 \"compute 1\" have one id"));
    EXPECT_THAT(refusal_of(compute(1, 1) + compute(2, 1, after(4)) + compute(3, 1, after(2)) + compute(4, 1, after(3))),
                HasSubstr("a cycle of dependencies: node 2 \"compute 2\", which depends on node 4 \"compute 4\", which "
                          "depends on node 3 \"compute 3\", which depends on the first again"));
    EXPECT_THAT(refusal_of(compute(1, 1, after(1))),
                HasSubstr("a cycle of dependencies: node 1 \"compute 1\", which depends on the first again"));
}

TEST(ChakraFiles, NameProcessGroupsInMetadata) {
    const auto metadata = [](const std::string& values) {
        return "id: 2 type: METADATA_NODE inputs { values: \"" + values + "\" }\n" + compute(1, 1);
    };
    // Once as in PyTorch's traces, and once as a bare list.
    for (const char* const values : {R"(['[{\"pg_name\": \"4\", \"pg_desc\": \"tp\", \"ranks\": [0, 3]}]'])",
                                     R"([{\"pg_name\": \"4\", \"ranks\": [0, 3]}])"}) {
        const chakra::Traces traces = traces_of({metadata(values)});
        EXPECT_THAT(traces.ranks[0].groups, ElementsAre(std::pair("4", std::vector{0, 3})));
        EXPECT_EQ(traces.ranks[0].nodes.size(), 1U);  // nothing depends on the metadata
    }
    EXPECT_THAT(refusal_of(metadata(R"([{\"pg_name\": 4}])")), HasSubstr("a process group needs a pg_name"));
    EXPECT_THAT(refusal_of(metadata(R"([{\"pg_name\": \"4\", \"ranks\": [-1]}])")),
                HasSubstr("group \"4\": -1 is no rank"));
    EXPECT_THAT(refusal_of(metadata(R"([{\"pg_name\": \"4\", }])")), HasSubstr("process groups: parse error"));
    EXPECT_THAT(refusal_of(metadata(R"(\"pg_name\")")), HasSubstr("but not as a JSON list"));
}

// A file cut off at any byte is broken, or the message before the cut has no partner.
TEST(ChakraFiles, AreRefusedWhereverTheyAreCutOff) {
    const TextTraces text;
    const std::string good =
        text.encoded(version_line + compute(1, 10) + collective(2, all_reduce_type, 1 << 20, after(1)) +
                     compute(3, 300, after(2)) + send(4, 1, 1 << 20, after(3)));
    std::stringbuf peer(text.encoded(version_line + collective(1, all_reduce_type, 1 << 20) + receive(2, 0, 1 << 20)));
    const chakra::RankTrace other = chakra::read_rank(peer, 1, "t.1.et");
    for (std::size_t length = 0; length <= good.size(); ++length) {
        std::string said = refusal_of_bytes(good.substr(0, length));
        if (said == "none") {
            std::stringbuf input(good.substr(0, length));
            said = refusal_of_run(
                {.ranks = {chakra::read_rank(input, 0, "t.0.et"), other}, .files = {"t.0.et", "t.1.et"}});
        }
        EXPECT_EQ(said == "none", length == good.size()) << length << " of " << good.size() << ": " << said;
        EXPECT_THAT(said, Not(HasSubstr("\n")));
    }
}

TEST(ChakraFiles, AreRefusedWhereverTheirCompressionIsCutOff) {
    const TextTraces text;
    const std::string good = compressed(text.encoded(version_line + compute(1, 10)));
    for (std::size_t length = 0; length <= good.size(); ++length) {
        text.with("t.0.et.gz", good.substr(0, length));
        EXPECT_EQ(refusal_of_path(text.prefix()) == "none", length == good.size()) << length << " of " << good.size();
    }
}

// With any byte changed, a file is read, refused in one line, or run; it never crashes the reader.
TEST(ChakraFiles, NeverCrashWhateverAByteBecomes) {
    const TextTraces text;
    const std::string good = text.encoded(version_line + compute(1, 10) +
                                          collective(2, all_gather_type, 1 << 20, after(1) + string("pg_name", "")));
    for (std::size_t at = 0; at < good.size(); ++at) {
        for (int value = 0; value < 256; ++value) {
            std::string bytes = good;
            bytes[at] = static_cast<char>(value);
            std::string said = refusal_of_bytes(bytes);
            if (said == "none") {
                std::stringbuf input(bytes);
                said = refusal_of_run({.ranks = {chakra::read_rank(input, 0, "t.0.et")}, .files = {"t.0.et"}});
            }
            EXPECT_TRUE(said == "none" || said.starts_with("t.0.et: ") || said.starts_with("beyond: ")) << said;
        }
    }
}

TEST(ChakraFiles, AreRefusedWhereTheyAreSomethingElse) {
    EXPECT_THAT(refusal_of_bytes("{\"traceEvents\":[]}"), HasSubstr("t.0.et: is "));
    EXPECT_THAT(refusal_of_bytes(std::string(20, '\xff')), HasSubstr("the length of a message is invalid"));
    EXPECT_THAT(refusal_of_bytes("\xff\xff\xff\xff\x0f"), HasSubstr("a message of 4294967295 bytes"));
    EXPECT_THAT(refusal_of_bytes(std::string(1, '\0')), HasSubstr("has no nodes"));
}
