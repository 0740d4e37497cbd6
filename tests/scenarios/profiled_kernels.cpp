// Kernels in PyTorch profiler traces, as measurements: the ones that are read, and a calibration's results from them.
#include "tools/ndsim/calibrate/profiled_kernels.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/fit/calibration/calibration.hpp"
#include "libsim/predict/machine_file.hpp"
#include "tests/scenarios/temporary_folder.hpp"
#include "tests/support/synthetic_measurements.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace {

using namespace sim;
using namespace sim::predict;
using namespace sim::fit;
using sim::test::Noise;
using testing::EndsWith;

// The trace of a rank, event by event, as torch.profiler writes it.
class ProfilerTrace {
public:
    // Returns the operator's number.
    int op(const std::string& name, const std::string& args) {
        ++id_;
        add(fmt::format(R"({{"ph":"X","cat":"cpu_op","name":"{}","pid":9,"tid":9,"ts":{}.25,"dur":4,)"
                        R"("args":{{"External id":{},"Record function id":0,{},"Ev Idx":{}}}}})",
                        name, id_, id_, args, id_));
        return id_;
    }
    void kernel(int op, double seconds) {
        add(fmt::format(R"({{"ph":"X","cat":"kernel","name":"sm90_xmma_gemm","pid":0,"tid":7,"ts":{}.5,"dur":{:.3f},)"
                        R"("args":{{"External id":{},"device":0,"stream":7,"correlation":{},"grid":[8,1,1]}}}})",
                        id_, seconds * 1e6, op, op));
    }
    std::string text() const {
        return R"({"schemaVersion":1,"distributedInfo":{"rank":0},"traceEvents":[)" + events_ + "]}";
    }

private:
    void add(const std::string& event) { events_ += (events_.empty() ? "" : ",\n") + event; }

    std::string events_;
    int id_ = 100;
};

std::string product_args(double m, double n, double k) {
    return fmt::format(R"("Concrete Inputs":["",""],"Input Dims":[[{},{}],[{},{}]],)"
                       R"("Input Strides":[[{},1],[1,{}]],"Input type":["c10::BFloat16","c10::BFloat16"])",
                       m, k, k, n, k, k);
}

std::vector<Measurement> kernels_in(const std::string& text) {
    const TemporaryFolder folder;
    return tools::read_profiled_kernels(folder.with("rank0.json", text));
}

std::string refusal_of(const std::string& text) {
    try {
        kernels_in(text);
    } catch (const config::UsageError& error) {
        return error.what();
    }
    return "";
}

const TimedKernel& kernel_of(const Measurement& measurement) {
    return std::get<TimedKernel>(measurement.what);
}

// 30, 10 and 20 us of one shape, the first split over two kernels; 7 us of another shape.
TEST(ProfiledKernels, AreTheMedianOfEachShape) {
    ProfilerTrace trace;
    const int split = trace.op("aten::mm", product_args(512, 256, 128));
    trace.kernel(split, 25e-6);
    trace.kernel(split, 5e-6);
    trace.kernel(trace.op("aten::mm", product_args(512, 256, 128)), 10e-6);
    trace.kernel(trace.op("aten::mm", product_args(64, 256, 128)), 7e-6);
    trace.kernel(trace.op("aten::mm", product_args(512, 256, 128)), 20e-6);
    const std::vector<Measurement> found = kernels_in(trace.text());
    ASSERT_EQ(found.size(), 2U);
    EXPECT_DOUBLE_EQ(found[0].seconds, 20e-6);
    EXPECT_EQ(found[0].line, 1);
    EXPECT_EQ(kernel_of(found[0]).kind, KernelKind::forward);
    EXPECT_EQ(kernel_of(found[0]).precision, training::Precision::bf16);
    EXPECT_EQ(kernel_of(found[0]).gemm.m, 512);
    EXPECT_EQ(kernel_of(found[0]).gemm.n, 256);
    EXPECT_EQ(kernel_of(found[0]).gemm.k, 128);
    EXPECT_FALSE(kernel_of(found[0]).with_gap);
    EXPECT_DOUBLE_EQ(found[1].seconds, 7e-6);
    EXPECT_EQ(found[1].line, 6);
}

TEST(ProfiledKernels, AreOfEveryOperatorThatMultiplies) {
    ProfilerTrace trace;
    const auto add = [&](const char* name, const char* args) { trace.kernel(trace.op(name, args), 1e-6); };
    add("aten::addmm", R"("Input Dims":[[32],[8,16],[16,32],[],[]],)"
                       R"("Input type":["float","c10::Half","c10::Half","Scalar","Scalar"])");
    add("aten::bmm", R"("Input Dims":[[4,8,16],[4,16,24]],"Input type":["c10::Half","c10::Half"])");
    add("aten::_scaled_mm",
        R"("Input Dims":[[8,64],[64,40],[],[],[],[],[],[]],)"
        R"("Input type":["c10::Float8_e4m3fn","c10::Float8_e4m3fn","float","float","","","Scalar","Scalar"])");
    const std::vector<Measurement> found = kernels_in(trace.text());
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(kernel_of(found[0]).gemm.n, 32);
    EXPECT_EQ(kernel_of(found[0]).precision, training::Precision::fp16);
    EXPECT_EQ(kernel_of(found[1]).gemm.batch, 4);
    EXPECT_EQ(kernel_of(found[1]).gemm.n, 24);
    EXPECT_EQ(kernel_of(found[2]).precision, training::Precision::fp8);
}

TEST(ProfiledKernels, AreOfCausalAttentionWhoseHeadsHaveTheirOwnKeys) {
    ProfilerTrace trace;
    const auto add = [&](const char* name, const std::string& inputs, const char* keys, const char* causal) {
        const std::string q = "[2,1024,16,128]";
        const std::string type = R"("c10::BFloat16")";
        trace.kernel(trace.op(name, fmt::format(R"("Concrete Inputs":["","","","0.","{}"],"Input Dims":[{}{},{},{}],)"
                                                R"("Input type":[{}{},{},{}])",
                                                causal, inputs.empty() ? "" : q + ",", q, keys, keys,
                                                inputs.empty() ? "" : type + ",", type, type, type)),
                     1e-6);
    };
    add("aten::_flash_attention_forward", "", "[2,1024,16,128]", "True");
    add("aten::_flash_attention_forward", "", "[2,1024,16,128]", "False");
    add("aten::_flash_attention_forward", "", "[2,1024,4,128]", "True");
    add("aten::_flash_attention_backward", "grad", "[2,1024,16,128]", "True");
    const std::vector<Measurement> found = kernels_in(trace.text());
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(kernel_of(found[0]).kind, KernelKind::flash_forward);
    EXPECT_EQ(kernel_of(found[0]).sequences, 2);
    EXPECT_EQ(kernel_of(found[0]).tokens, 1024);
    EXPECT_EQ(kernel_of(found[0]).heads, 16);
    EXPECT_EQ(kernel_of(found[0]).head_dim, 128);
    EXPECT_EQ(kernel_of(found[1]).kind, KernelKind::flash_backward);
    EXPECT_EQ(found[1].line, 7);
}

// Ambiguous or absent: products in fp32 (which may run as tf32), mismatched or missing shapes, operators without a
// kernel.
TEST(ProfiledKernels, AreNoneWhereNothingIsSureOrThere) {
    ProfilerTrace trace;
    const auto add = [&](const char* args) { trace.kernel(trace.op("aten::mm", args), 1e-6); };
    add(R"("Input Dims":[[8,16],[16,32]],"Input type":["float","float"])");
    add(R"("Input Dims":[[8,16],[17,32]],"Input type":["c10::Half","c10::Half"])");
    add(R"("Input Dims":[[8,0],[0,32]],"Input type":["c10::Half","c10::Half"])");
    add(R"("Input Dims":[[8,16],[16,32]],"Input type":["c10::Half"])");
    add(R"("Input Dims":[[8,16,1],{"x":[1]}],"Input type":[null,"c10::Half",true,["a\"["]])");
    add(R"("Sequence number":3)");
    trace.op("aten::mm", product_args(8, 8, 8));
    EXPECT_THAT(
        refusal_of(trace.text()),
        EndsWith("rank0.json: has no matrix product and no causal attention in bf16, fp16 or fp8 with its shapes and "
                 "its kernels; torch.profiler keeps both with record_shapes=True and ProfilerActivity.CUDA"));
}

TEST(ProfiledKernels, AreRefusedWhereTheFileIsNoTrace) {
    EXPECT_THAT(refusal_of("{}"), EndsWith(R"(is no trace: it has neither a list "traceEvents" nor is it one)"));
    EXPECT_THAT(refusal_of(R"([{"cat":"kernel","dur":"long","args":{"External id":1}}])"),
                EndsWith("rank0.json: event 1: dur must be a number, not long"));
    EXPECT_THAT(refusal_of(R"([{"cat":"kernel","dur":1,"args":{"External id":1.5e20}}])"),
                EndsWith("rank0.json: event 1: External id must fit into 64 bits"));
    EXPECT_THAT(refusal_of(R"([{"args":{"Input Dims":[")" + std::string(1U << 20U, 'x') + R"("]}}])"),
                EndsWith("rank0.json: event 1: Input Dims is longer than 1 MiB"));
}

// Matrix products of a training run, with hidden numbers and 3 % noise.
TEST(ProfiledKernels, FindWhatAClusterReaches) {
    training::Machine hidden = read_machine("dgx-h100");
    hidden.gpu.efficiency.gemm_peak = 0.58;
    hidden.gpu.efficiency.kernel_gap = 9e-6;  // does not show in a profiler's times
    Noise noise(0.03, 7);
    ProfilerTrace trace;
    for (const double m : {1024.0, 2048.0, 4096.0, 8192.0, 16384.0}) {
        for (const double n : {4096.0, 6144.0, 14336.0}) {
            for (const double k : {4096.0, 14336.0}) {
                const TimedKernel kernel{.gemm = {m, n, k, 1}, .with_gap = false};
                const double seconds = expected_seconds({"", 0, 0, kernel}, hidden);
                for (int step = 0; step < 5; ++step) {
                    trace.kernel(trace.op("aten::mm", product_args(m, n, k)), seconds * noise.factor());
                }
            }
        }
    }
    CalibrationData data;
    data.kernels = kernels_in(trace.text());
    ASSERT_EQ(data.kernels.size(), 30U);
    const Calibration found = calibrate_machine(read_machine("dgx-h100"), data);
    for (const FoundNumber& one : found.numbers) {
        if (one.number->name == std::string("gemm_peak")) {
            EXPECT_EQ(one.finding, Finding::found);
            EXPECT_NEAR(one.value, 0.58, 0.05 * 0.58);
        }
        EXPECT_NE(one.number->name, std::string("kernel_gap"));
    }
}

}  // namespace
