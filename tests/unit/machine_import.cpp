// A node described by NCCL or nvidia-smi is turned into a machine file.
#include "libsim/interop/machine_import/machine_of_node.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/interop/machine_import/gpu_facts.hpp"
#include "libsim/interop/machine_import/xml.hpp"
#include "libsim/training/hardware.hpp"
#include "tests/support/repeated.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::machine_import;

training::Machine imported_machine(const std::string& text, const ImportFacts& facts = {.gpu = "", .name = "x"}) {
    return training::machine_of_toml(machine_file_of(read_described_node(text, "x"), facts), "x.toml");
}

std::string import_refusal(const std::string& text, const ImportFacts& facts = {.gpu = "", .name = "x"}) {
    try {
        imported_machine(text, facts);
    } catch (const config::UsageError& error) {
        return error.what();
    }
    return "taken";
}

std::string gpu_element(int number, const std::string& links, const std::string& device = "0x2330",
                        const std::string& sm = "90") {
    return "<pci busid=\"0000:" + std::to_string(number) + "0:00.0\" vendor=\"0x10de\" device=\"" + device +
           "\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"" + std::to_string(number) + "\" sm=\"" + sm +
           "\">" + links + "</gpu></pci>\n";
}
const std::string links_to_switch = "<nvlink target=\"0000:07:00.0\" count=\"18\" tclass=\"0x068000\"/>";
const std::string two_cards =
    "<pci><nic><net name=\"mlx5_0\" speed=\"400000\"/><net name=\"mlx5_1\" speed=\"400000\"/></nic></pci>\n";

std::string topology_of(const std::string& inside) {
    return "<?xml version=\"1.0\"?>\n<system version=\"1\"><cpu numaid=\"0\">\n" + inside + "</cpu></system>\n";
}

const std::string matrix_head = "\tGPU0\tGPU1\tmlx5_0\tCPU Affinity\tNUMA Affinity\n";

TEST(MachineImport, TakesGpusLinksAndCardsOfNcclsTopology) {
    const training::Machine machine =
        imported_machine(topology_of(gpu_element(0, links_to_switch) + gpu_element(1, links_to_switch) + two_cards));
    EXPECT_EQ(machine.gpu.name, "H100-SXM-80GB");
    EXPECT_EQ(machine.gpus_per_node, 2);
    EXPECT_EQ(machine.scale_up, 450e9);  // 18 links of 25 GB/s
    EXPECT_EQ(machine.scale_out, 50e9);  // 800 Gb/s over 2 GPUs
    EXPECT_TRUE(machine.switch_sums);
}

TEST(MachineImport, OfGpusWithoutLinksTakesWhatPcieCarries) {
    const training::Machine machine =
        imported_machine(topology_of(gpu_element(0, "", "0x26b9", "89") + gpu_element(1, "", "0x26b9", "89")));
    EXPECT_EQ(machine.gpu.name, "L40S");
    EXPECT_NEAR(machine.scale_up, 32e9 * 16 / 8 * 128 / 130, 1);
    EXPECT_EQ(machine.scale_out, 0);
    EXPECT_FALSE(machine.switch_sums);
}

TEST(MachineImport, OfAMeshAddsUpTheLinksToAllNeighbours) {
    const auto link = [](int to) { return "<nvlink target=\"" + std::to_string(to) + "\" count=\"4\"/>"; };
    std::string gpus;
    for (int i = 0; i < 4; ++i) {
        std::string links;
        for (int j = 0; j < 4; ++j) {
            links += i == j ? "" : link(j);
        }
        gpus += "<gpu dev=\"" + std::to_string(i) + "\" sm=\"80\">" + links + "</gpu>\n";
    }
    const training::Machine machine = imported_machine(topology_of(gpus), {.gpu = "a100", .name = "x"});
    EXPECT_EQ(machine.scale_up, 300e9);  // 3 x 4 links of 25 GB/s
    EXPECT_FALSE(machine.switch_sums);
}

TEST(MachineImport, OfNvidiaSmisMatrixTellsSwitchesFromBridges) {
    const std::string rows =
        "GPU0\t X \tNV12\tPXB\t0-31\t0\nGPU1\tNV12\t X \tSYS\t0-31\t0\nmlx5_0\tPXB\tSYS\t X \t\t\n";
    const ImportFacts facts{.gpu = "A100-PCIE-80GB", .name = "x", .card_gigabits = 200};
    const training::Machine machine = imported_machine("$ nvidia-smi topo -m\n" + matrix_head + rows, facts);
    EXPECT_EQ(machine.gpus_per_node, 2);
    EXPECT_EQ(machine.scale_up, 300e9);
    EXPECT_EQ(machine.scale_out, 12.5e9);  // 200 Gb/s over 2 GPUs
    EXPECT_FALSE(machine.switch_sums);
}

TEST(MachineImport, RefusesContradictionsWithLineAndReason) {
    const std::string h100 = gpu_element(0, "") + gpu_element(1, links_to_switch);
    EXPECT_EQ(import_refusal(topology_of(h100)), "x:3: this GPU has no links, and the one of line 4 has some");
    EXPECT_EQ(import_refusal(topology_of(gpu_element(0, "") + gpu_element(0, ""))),
              "x:4: the GPU 0000:00:00.0 appears twice");
    EXPECT_EQ(import_refusal(topology_of(gpu_element(0, "") + gpu_element(1, "", "0x20b2", "80"))),
              "x:4: this GPU differs from the one at line 3: a machine has GPUs of one kind");
    EXPECT_EQ(import_refusal(topology_of(gpu_element(0, "", "0xffff"))),
              "x:3: the PCI device 0x10de:0xffff is not known; give --gpu NAME");
    EXPECT_EQ(import_refusal(topology_of(gpu_element(0, "")), {.gpu = "a100", .name = "x"}),
              "x:3: says sm=\"90\", and A100-SXM-80GB is of the generation ampere (sm 80 to 87)");
    EXPECT_EQ(import_refusal(topology_of(gpu_element(0, "<nvlink target=\"1\" count=\"4\"/>") +
                                         gpu_element(1, "<nvlink target=\"0\" count=\"2\"/>"))),
              "x:3: GPU 0 has 4 links to GPU 1, which has 2 back");
    EXPECT_EQ(import_refusal(topology_of(gpu_element(0, "<nvlink target=\"1\" count=\"many\"/>") + gpu_element(1, ""))),
              "x:3: count of <nvlink> must be a number from 1 to 1000, not \"many\"");
    EXPECT_EQ(import_refusal(topology_of(two_cards)),
              "x:2: there is no <gpu> in it: let NCCL write it from a running job, with "
              "NCCL_TOPO_DUMP_FILE");
    EXPECT_EQ(import_refusal("<graphs version=\"1\"/>"),
              "x:1: the first element must be <system>, not <graphs>: this is no topology of NCCL's");
}

TEST(MachineImport, RefusesAMatrixThatIsNoneWithLineAndReason) {
    const ImportFacts facts{.gpu = "h100", .name = "x"};
    EXPECT_EQ(import_refusal("hello\n", facts),
              "x: has no line \"GPU0 GPU1 …\", with which the matrix of nvidia-smi topo -m begins");
    EXPECT_EQ(import_refusal(matrix_head + "GPU0\t X \tNV4\tSYS\n", facts),
              "x:2: the file ends before the row of GPU1");
    EXPECT_EQ(import_refusal(matrix_head + "GPU0\t X \tNV4\n", facts),
              "x:2: the row of GPU0 has 2 cells, and the head 3 columns");
    EXPECT_EQ(import_refusal(matrix_head + "GPU0\t X \tNV4\tSYS\nGPU1\tNV2\t X \tSYS\n", facts),
              "x:2: GPU0 has 4 links to GPU1, which has 2 back");
    EXPECT_EQ(import_refusal(matrix_head + "GPU0\t X \tfast\tSYS\n", facts),
              "x:2: the cell of GPU0 and GPU1 must be NV1, NV2 …, PIX, PXB, PHB, NODE or SYS, not \"fast\"");
}

TEST(Xml, RefusesWhatIsNoneOrWouldExhaustAReader) {
    const auto why = [](const std::string& text) {
        try {
            read_xml(text, "x");
        } catch (const config::UsageError& error) {
            return std::string(error.what());
        }
        return std::string("taken");
    };
    EXPECT_EQ(why("<a b='1'><c/><!-- <d> --></a>\n"), "taken");
    EXPECT_EQ(why("<a>\n<b></a>"), "x:2: </a> stands where </b> must");
    EXPECT_EQ(why("<a b=\"1\" b=\"2\"/>"), "x:1: <a> has the attribute b twice");
    EXPECT_EQ(why("<!DOCTYPE a [<!ENTITY b \"c\">]><a/>"),
              "x:1: document types and sections are not read here, only elements");
    EXPECT_EQ(why("<a>"), "x:1: the file ends within <a> of line 1");
    EXPECT_EQ(why("<a/><b/>"), "x:1: there is a second element beside the root");
    EXPECT_EQ(why(repeated(100'000, "<a>")), "x:1: is nested more than 64 deep");
}

TEST(GpuFacts, NameAcceleratorsThatShip) {
    for (const GpuDevice& one : gpu_devices()) {
        EXPECT_NE(link_facts(training::accelerator(one.accelerator).generation), nullptr) << one.accelerator;
    }
}

}  // namespace
