// The machines and accelerators of recent years: names as people type them, figures as their sources state them.
#include "libsim/network/nccl.hpp"
#include "libsim/training/hardware.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace {

using namespace sim;
using namespace sim::training;

TEST(HardwareOfTheYear, IsFoundAsPeopleTypeIt) {
    for (const auto& [typed, name] : {std::pair{"VR200", "vr200-nvl72"},
                                      {"Rubin", "vr200-nvl72"},
                                      {"Rubin NVL144", "vr200-nvl72"},
                                      {"VR200 NVL144", "vr200-nvl72"},
                                      {"vera rubin nvl72", "vr200-nvl72"},
                                      {"RTX 5090", "8 x RTX-5090"},
                                      {"RTX PRO 6000 Blackwell", "8 x RTX-PRO-6000"},
                                      {"RTX 6000 Ada", "8 x RTX-6000-Ada"},
                                      {"A6000", "8 x RTX-A6000"},
                                      {"H100 NVL", "8 x H100-NVL-94GB"},
                                      {"GB10", "dgx-spark"},
                                      {"DGX Spark", "dgx-spark"},
                                      {"MI300A", "el-capitan"},
                                      {"mi350x", "mi350x-8"},
                                      {"MI450", "helios"},
                                      {"Gaudi 3", "gaudi3-8"},
                                      {"gaudi3", "gaudi3-8"},
                                      {"Trainium", "trn1.32xlarge"},
                                      {"Trainium 2", "trn2.48xlarge"},
                                      {"trainium3", "trn3-ultraserver"},
                                      {"TPU v7", "tpu-v7-pod"},
                                      {"Ironwood", "tpu-v7-pod"},
                                      {"TPU7x", "tpu-v7-pod"},
                                      {"Ascend 910B", "atlas-800t-a2"},
                                      {"910C", "cloudmatrix-384"},
                                      {"Leonardo", "leonardo"},
                                      {"JUPITER", "jupiter"},
                                      {"Aurora", "aurora"},
                                      {"El Capitan", "el-capitan"},
                                      {"Jean Zay H100", "jean-zay-h100"}}) {
        EXPECT_EQ(machine(typed).name, name) << typed;
    }
}

TEST(HardwareOfTheYear, IsFoundByTheCloudsOwnNames) {
    for (const auto& [typed, name] : {std::pair{"p4d", "p4d.24xlarge"},
                                      {"p5", "p5.48xlarge"},
                                      {"p5e", "p5e.48xlarge"},
                                      {"p5en", "p5en.48xlarge"},
                                      {"p6-b200", "p6-b200.48xlarge"},
                                      {"p6-b300", "p6-b300.48xlarge"},
                                      {"p6e-gb200", "u-p6e-gb200x72"},
                                      {"g6e", "g6e.48xlarge"},
                                      {"g7e", "g7e.48xlarge"},
                                      {"trn1", "trn1.32xlarge"},
                                      {"trn2", "trn2.48xlarge"},
                                      {"trn3", "trn3-ultraserver"},
                                      {"a2", "gcp-a2-high"},
                                      {"a2-ultragpu-8g", "gcp-a2-ultra"},
                                      {"a3-high", "gcp-a3-high"},
                                      {"a3-mega", "gcp-a3-mega"},
                                      {"a3-edgegpu-8g", "gcp-a3-edge"},
                                      {"a3-ultra", "gcp-a3-ultra"},
                                      {"a4", "gcp-a4"},
                                      {"a4x", "gb200-nvl72"},
                                      {"a4x-maxgpu-4g-metal", "gb300-nvl72"},
                                      {"tpu-v5p", "tpu-v5p-pod"},
                                      {"ND A100 v4", "azure-nd-a100-v4"},
                                      {"Standard_ND96asr_v4", "azure-nd-a100-v4-40gb"},
                                      {"ND H100 v5", "azure-nd-h100-v5"},
                                      {"ND H200 v5", "azure-nd-h200-v5"},
                                      {"Standard_ND128isr_NDR_GB200_v6", "gb200-nvl72"},
                                      {"ND GB300 v6", "gb300-nvl72"},
                                      {"Standard_ND96isr_MI300X_v5", "mi300x-8"},
                                      {"BM.GPU.H100.8", "bm.gpu.h100.8"},
                                      {"BM.GPU4.8", "bm.gpu4.8"},
                                      {"BM.GPU.A100-v2.8", "bm.gpu.a100-v2.8"},
                                      {"BM.GPU.GB200.4", "gb200-nvl72"}}) {
        EXPECT_EQ(machine(typed).name, name) << typed;
    }
}

TEST(HardwareOfTheYear, HasTheFiguresOfItsSources) {
    struct Figures {
        const char* machine;
        int gpus;
        double bf16;     // TFLOP/s
        double memory;   // GB/s
        double within;   // GB/s
        double between;  // GB/s
    };
    for (const Figures& one : {Figures{"vr200", 72, 4000, 22000, 1800, 200},
                               {"gb10", 1, 125, 273, 25, 25},
                               {"mi300a", 4, 980.6, 5300, 384, 25},
                               {"mi455x", 72, 10000, 19600, 1800, 300},
                               {"gaudi2", 8, 432, 2460, 262.5, 37.5},
                               {"gaudi3", 8, 1835, 3670, 525, 75},
                               {"trainium1", 16, 190, 880, 192, 6.25},
                               {"trainium2", 16, 667, 2900, 512, 25},
                               {"trn2u", 64, 667, 2900, 640, 25},
                               {"trainium3", 144, 671, 4900, 1280, 25},
                               {"tpu-v7", 9216, 2307, 7380, 600, 12.5},
                               {"910b", 8, 313, 1600, 196, 25},
                               {"910c", 384, 752, 3200, 392, 50},
                               {"pvc", 6, 734, 3277, 424, 1600 / 8.0 / 6},
                               {"leonardo", 4, 358, 1638, 300, 12.5},
                               {"jupiter", 4, 989, 4000, 450, 25}}) {
        const Machine is = machine(one.machine);
        EXPECT_EQ(is.gpus_per_node, one.gpus) << one.machine;
        EXPECT_DOUBLE_EQ(is.gpu.bf16_flops, one.bf16 * 1e12) << one.machine;
        EXPECT_DOUBLE_EQ(is.gpu.memory_bandwidth, one.memory * 1e9) << one.machine;
        EXPECT_DOUBLE_EQ(is.scale_up, one.within * 1e9) << one.machine;
        EXPECT_DOUBLE_EQ(is.scale_out, one.between * 1e9) << one.machine;
    }
}

// Nothing was measured on these, so that a prediction is good within a factor of 1.6 or worse.
TEST(HardwareOfTheYear, HasWideRangesWhereLittleIsKnown) {
    for (const char* name : {"vr200", "mi455x", "gb10", "gaudi3", "trainium2", "910b", "pvc"}) {
        EXPECT_GE(accelerator(name).uncertainty.dense, 0.5) << name;
        EXPECT_GE(accelerator(name).uncertainty.experts, 0.6) << name;
    }
}

TEST(HardwareOfTheYear, StatesWhichLibraryRunsItsCollectives) {
    for (const auto& [name, library] : {std::pair{"h100", "NCCL"},
                                        {"rubin", "NCCL"},
                                        {"mi250x", "RCCL"},
                                        {"mi300a", "RCCL"},
                                        {"mi455x", "RCCL"},
                                        {"gaudi3", "HCCL"},
                                        {"910c", "HCCL"},
                                        {"trainium2", "nccom"},
                                        {"pvc", "oneCCL"},
                                        {"xeon-8480c", "oneCCL"},
                                        {"tpu-v7", ""}}) {
        EXPECT_EQ(accelerator(name).collectives, library) << name;
    }
}

// LL, LL128 and Simple are protocols of NCCL, and of RCCL, which is derived from it.
TEST(HardwareOfTheYear, HasProtocolsOfNcclOnlyWithItOrItsDescendant) {
    for (const std::string& name : accelerator_names()) {
        const std::string library = accelerator(name).collectives;
        EXPECT_EQ(machine(name).network.one_protocol, library != "NCCL" && library != "RCCL") << name;
    }
}

TEST(HardwareOfTheYear, PassesDataThroughTheHostWithoutPeerToPeerAccess) {
    for (const char* name : {"rtx-3090", "rtx-4090", "rtx-5090"}) {
        const Machine one = machine(name);
        EXPECT_EQ(one.gpu.through_host, 0.32) << name;
        EXPECT_DOUBLE_EQ(one.network.within, 0.32 * one.scale_up) << name;
    }
    const Machine professional = machine("rtx-pro-6000");
    EXPECT_EQ(professional.gpu.through_host, 0);
    EXPECT_DOUBLE_EQ(professional.network.within, professional.gpu.efficiency.link_share * professional.scale_up);
    const Machine driver = machine_of_toml("base = 'rtx-4090'\naccelerator.through_host = 0\n", "patched.toml");
    EXPECT_GT(driver.network.within, 2 * machine("rtx-4090").network.within);
}

TEST(HardwareOfTheYear, HasAmazonsFabricWhereAmazonsInstancesHaveIt) {
    EXPECT_EQ(machine("p5").network.card_latency, 75e-6);
    EXPECT_EQ(machine("p5en").network.card_latency, 35e-6);
    EXPECT_EQ(machine("dgx-h100").network.card_latency, 0);
    const Footprint nodes{.members = 32, .on_node = 8};
    const auto time = [&](const char* name) {
        return nccl_time(machine(name).network, CollectiveKind::all_reduce, 1 << 20, nodes);
    };
    EXPECT_GT(time("p5"), 2 * time("dgx-h100"));
}

// A TPU has two links an axis, and a group of 2 chips uses one of them.
TEST(HardwareOfTheYear, IsATorusWhereItIsOne) {
    const Machine pod = machine("tpu-v5p");
    EXPECT_DOUBLE_EQ(node_rate(pod.network, 2), pod.network.within / 6);
    EXPECT_DOUBLE_EQ(node_rate(pod.network, 64), pod.network.within);
    EXPECT_DOUBLE_EQ(node_rate(machine("trn2").network, 16), machine("trn2").network.within);
    EXPECT_EQ(nccl_choice(pod.network, CollectiveKind::all_reduce, 1 << 20, {.members = 64, .on_node = 64}).algorithm,
              std::string("torus"));
}

TEST(HardwareOfTheYear, HasPricesWhereItIsRented) {
    for (const char* name : {"b300", "gb200", "gb300", "h20", "h800", "mi300x", "mi325x", "mi355x", "l40s", "rtx-3090",
                             "rtx-4090", "rtx-5090", "rtx-a6000", "rtx-6000-ada", "rtx-pro-6000", "trn1"}) {
        EXPECT_GT(machine(name).gpu.usd_per_hour, 0) << name;
    }
}

}  // namespace
