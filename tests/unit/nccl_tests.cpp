// read_nccl_tests() and read_kernel_table(): benchmark output in the forms found in practice.
#include "libsim/fit/calibration/nccl_tests.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/fit/calibration/kernel_table.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::fit;

const std::string ranks_on_two_hosts =
    "#  Rank  0 Group  0 Pid  11 on a device  0 [0000:04:00] NVIDIA H100 80GB HBM3\n"
    "#  Rank  1 Group  0 Pid  12 on a device  1 [0000:05:00] NVIDIA H100 80GB HBM3\n"
    "#  Rank  2 Group  0 Pid  13 on b device  0 [0000:04:00] NVIDIA H100 80GB HBM3\n"
    "#  Rank  3 Group  0 Pid  14 on b device  1 [0000:05:00] NVIDIA H100 80GB HBM3\n";
const std::string nccl_head = "#       size         count      type   redop    root     time   algbw   busbw #wrong\n";

const TimedCollective& timed_collective(const Measurement& one) {
    return std::get<TimedCollective>(one.what);
}

std::string nccl_refusal(const std::string& text, const NcclTestsFacts& facts = {}) {
    try {
        read_nccl_tests(text, "x.txt", facts);
    } catch (const config::UsageError& error) {
        return error.what();
    }
    return "taken";
}

std::string table_refusal(const std::string& text) {
    try {
        read_kernel_table(text, "k.csv");
    } catch (const config::UsageError& error) {
        return error.what();
    }
    return "taken";
}

TEST(NcclTests, AreReadWithTheirRanksHostsAndCollective) {
    const auto rows =
        read_nccl_tests(ranks_on_two_hosts + nccl_head +
                            "           0             0     float     sum      -1     5.00    0.00    0.00      0\n"
                            "     1048576        262144     float     sum      -1   100.00   10.49   15.73      0   "
                            "99.00   10.59   15.89    N/A\n",
                        "x.txt");
    ASSERT_EQ(rows.size(), 1U);  // 0 bytes determine nothing
    EXPECT_DOUBLE_EQ(rows[0].seconds, 100e-6);
    EXPECT_EQ(rows[0].line, 7);
    EXPECT_EQ(timed_collective(rows[0]).kind, CollectiveKind::all_reduce);
    EXPECT_EQ(timed_collective(rows[0]).bytes, 1'048'576);
    EXPECT_EQ(timed_collective(rows[0]).ranks, 4);
    EXPECT_EQ(timed_collective(rows[0]).ranks_per_node, 2);
}

TEST(NcclTests, AreReadFromALogWithTaskNumbersColoursAndNcclsOwnLines) {
    std::string text = "+ srun -l ./all_gather_perf -b 1M -e 1M -g 1\n";
    std::string line;
    for (const char c : ranks_on_two_hosts + nccl_head) {
        line += c;
        if (c == '\n') {
            text += " 0: " + line + " 2: b:13:13 [0] NCCL INFO Channel 00/02 : 0 1 2 3\n";
            line.clear();
        }
    }
    text +=
        " 0: \x1b[32m     1048576         65536     float    none      -1\x1b[0m    26.21   40.00   30.00      0\r\n";
    const auto rows = read_nccl_tests(text, "x.txt");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(timed_collective(rows[0]).kind, CollectiveKind::all_gather);
    EXPECT_DOUBLE_EQ(rows[0].seconds, 26.21e-6);
}

TEST(NcclTests, OfOldVersionsHaveNoColumnRootAndPrintAnError) {
    const std::string text =
        "# nThread 1 nGpus 8 minBytes 8 maxBytes 8 step: 2(factor)\n"
        "#       size         count      type   redop     time   algbw   busbw     error\n"
        "   134217728      33554432     float     sum   1000.0  134.22  234.88     2e-07\n";
    const auto rows = read_nccl_tests(text, "x.txt");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(timed_collective(rows[0]).ranks, 8);
    EXPECT_EQ(timed_collective(rows[0]).ranks_per_node, 8);
    EXPECT_EQ(timed_collective(rows[0]).kind, CollectiveKind::all_reduce);
}

TEST(NcclTests, AsJsonListOneDeviceOfEachProcess) {
    const std::string text =
        R"({"version":2,"args":["./build/all_gather_perf"],"config":{"nthreads":1,"ngpus":2,)"
        R"("devices":[{"rank":0,"hostname":"a"},{"rank":2,"hostname":"b"}]},"results":[)"
        R"({"size":1048576,"count":65536,"type":"float","redop":"none","root":"    -1",)"
        R"("out_of_place":{"time":26.21,"alg_bw":40.0,"bus_bw":30.0,"nwrong":null},"in_place":null}]})";
    const auto rows = read_nccl_tests(text, "x.json");
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(timed_collective(rows[0]).ranks, 4);
    EXPECT_EQ(timed_collective(rows[0]).ranks_per_node, 2);
    EXPECT_EQ(timed_collective(rows[0]).kind, CollectiveKind::all_gather);
}

TEST(NcclTests, AreRefusedWithTheLineAndWhatIsMissing) {
    const std::string row = "  1048576  262144  float  sum  -1  100.00  10.49  15.73  0\n";
    const std::string gather = "  1048576  65536  float  none  -1  26.21  40.00  30.00  0\n";
    EXPECT_EQ(nccl_refusal("hello\n"),
              "x.txt: has no line of nccl-tests' table: size, count, type, redop, root, time, algbw, busbw");
    EXPECT_EQ(nccl_refusal(nccl_head + row), "x.txt:2: does not say how many ranks there were; give --ranks N");
    EXPECT_EQ(nccl_refusal(nccl_head + row, {.ranks = 4}),
              "x.txt:2: does not say how many ranks were on a node; give --ranks-per-node N");
    EXPECT_EQ(nccl_refusal(nccl_head + row, {.ranks = 4, .ranks_per_node = 4}), "taken");
    EXPECT_EQ(nccl_refusal(ranks_on_two_hosts + nccl_head + gather),
              "x.txt:6: does not say which collective it is; give --collective NAME");
    EXPECT_EQ(nccl_refusal(ranks_on_two_hosts + nccl_head + row, {.ranks = 8, .ranks_per_node = 4}),
              "x.txt:6: busbw 15.73 is not algbw 10.49 times 1.75, as it is of all_reduce among 8 ranks");
    EXPECT_EQ(
        nccl_refusal(ranks_on_two_hosts + nccl_head + "  1048576  262144  float  sum  -1  100.00  10.49  15.73  7\n"),
        "x.txt:6: 7 wrong values: what is not right is not measured");
    EXPECT_EQ(nccl_refusal(ranks_on_two_hosts + nccl_head + "  1048576  262144  float  sum  -1  100.00\n"),
              "x.txt:6: the line of the table ends after 6 columns, before time, algbw and busbw");
    EXPECT_EQ(
        nccl_refusal(ranks_on_two_hosts + nccl_head + "  1048576  262144  float  sum  -1  fast  10.49  15.73  0\n"),
        "x.txt:6: time must be a number, not \"fast\"");
    EXPECT_EQ(
        nccl_refusal(row + "# Collective test starting: broadcast_perf\n# Collective test starting: reduce_perf\n"),
        "x.txt:3: reduce_perf follows the table of broadcast_perf: give each a file of its own");
}

TEST(NcclTests, AsJsonAreRefusedWithTheResult) {
    EXPECT_EQ(nccl_refusal("{\"results\":[{\"size\":1}]}"), "x.txt: result 1: has neither out_of_place nor in_place");
    EXPECT_EQ(nccl_refusal("{\"tests\":[]}"), "x.txt: has no list \"results\", as nccl-tests write it with -J");
    EXPECT_EQ(nccl_refusal("{\"results\":[{\"size\":1,\"in_place\":{\"time\":\"nan\"}}]}"),
              "x.txt: result 1: time must be a number from 0 on");
}

TEST(KernelTable, IsReadByItsNamesInAnyOrder) {
    const auto rows = read_kernel_table(
        "# NVIDIA H100\nseconds,k,n,m,kind,precision,bytes,note\n"
        "1e-3,3,2,1,weight_gradient,fp16,,x\n2e-5,,,,memory,,1048576,\n",
        "k.csv");
    ASSERT_EQ(rows.size(), 2U);
    const auto& product = std::get<TimedKernel>(rows[0].what);
    EXPECT_EQ(product.kind, KernelKind::weight_gradient);
    EXPECT_EQ(product.precision, training::Precision::fp16);
    EXPECT_EQ(product.gemm.m, 1);
    EXPECT_EQ(product.gemm.n, 2);
    EXPECT_EQ(product.gemm.k, 3);
    EXPECT_EQ(rows[1].seconds, 2e-5);
    EXPECT_EQ(rows[1].line, 4);
    EXPECT_EQ(std::get<TimedKernel>(rows[1].what).bytes, 1'048'576);
}

TEST(KernelTable, IsRefusedWithLineAndColumn) {
    const std::string names = "kind,precision,m,n,k,seconds\n";
    EXPECT_EQ(table_refusal("kind,second\n"), "k.csv:1: there is no column \"seconds\"; did you mean second?");
    EXPECT_EQ(table_refusal(names),
              "k.csv: has no kernel; a line of names, then one for each: "
              "kind,precision,m,n,k,batch,bytes,sequences,heads,head_dim,tokens,seconds");
    EXPECT_EQ(table_refusal(names + "forward,bf16,64,64,0,1e-5\n"),
              "k.csv:2: k of forward must be a number above 0, not \"0\"");
    EXPECT_EQ(table_refusal(names + "forward,bf16,64,64,64\n"), "k.csv:2: has 5 fields, and the line of names 6");
    EXPECT_EQ(table_refusal(names + "forward,int4,64,64,64,1e-5\n"),
              "k.csv:2: precision must be one of fp32, fp16, bf16, fp8, not \"int4\"");
    EXPECT_EQ(table_refusal(names + "gemm,bf16,64,64,64,1e-5\n"),
              "k.csv:2: kind must be one of forward, input_gradient, weight_gradient, memory, flash_forward, "
              "flash_backward, not \"gemm\"");
}

}  // namespace
