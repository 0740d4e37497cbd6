// read_machine(): a name or a file.
#include "libsim/predict/machine_file.hpp"

#include "libsim/config/errors.hpp"
#include "tests/scenarios/temporary_folder.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim::config;
using namespace sim::predict;

std::string refusal(const std::string& name) {
    try {
        read_machine(name);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

TEST(ReadMachine, TakesANameOrAFile) {
    const TemporaryFolder folder;
    EXPECT_EQ(read_machine("dgx-a100").gpus_per_node, 8);
    EXPECT_EQ(read_machine("A100").name, "dgx-a100");
    EXPECT_EQ(read_machine(folder.with("c.toml", "base = 'dgx-a100'\ngpus_per_node = 4\n")).gpus_per_node, 4);
    EXPECT_EQ(read_hardware("A100").machine.gpus_per_node, 1);  // the accelerator alone
}

TEST(ReadMachine, RefusesAsUsageErrors) {
    const TemporaryFolder folder;
    EXPECT_EQ(refusal("dgx-a10"), "there is no machine \"dgx-a10\"; did you mean dgx-a100?");
    EXPECT_EQ(refusal("/nowhere/c.toml"), "/nowhere/c.toml: No such file or directory");
    const std::string file = folder.with("c.toml", "base = 'dgx-a100'\ngpus_per_node = 0\n");
    EXPECT_EQ(refusal(file), file + ":2: gpus_per_node must be a whole number from 1 to 1e+06, not 0");
}

}  // namespace
