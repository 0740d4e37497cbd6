#include "libsim/predict/machine_file.hpp"

#include "libsim/config/errors.hpp"
#include "libsim/training/hardware.hpp"

#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::config;
using namespace sim::predict;

training::Accelerator changed(const char* gpu, const std::string& text) {
    training::Accelerator result = training::accelerator(gpu);
    change_efficiency(result, efficiency_changes(text));
    return result;
}

std::string refused(const std::string& text) {
    try {
        efficiency_changes(text);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

TEST(EfficiencyChanges, WithoutAGenerationAreOfEveryGpu) {
    EXPECT_EQ(changed("A100", "gemm_peak=0.5,nic_share=0.7").efficiency.gemm_peak, 0.5);
    EXPECT_EQ(changed("H100-SXM-80GB", "gemm_peak=0.5,nic_share=0.7").efficiency.nic_share, 0.7);
}

TEST(EfficiencyChanges, OfOneGenerationLeaveTheOthers) {
    EXPECT_EQ(changed("A100", "gemm_peak=0.5,hopper.gemm_peak=0.4").efficiency.gemm_peak, 0.5);
    EXPECT_EQ(changed("H100-SXM-80GB", "gemm_peak=0.5,hopper.gemm_peak=0.4").efficiency.gemm_peak, 0.4);
}

TEST(EfficiencyChanges, ThatCannotBeAreRefusedWithWhatIsNearest) {
    EXPECT_EQ(refused("gem_peak=1"), "--efficiency: there is no \"gem_peak\"; did you mean gemm_peak?");
    EXPECT_EQ(refused("amper.gemm_peak=0.7"), "--efficiency: there is no generation \"amper\"; did you mean ampere?");
    EXPECT_EQ(refused("gemm_peak=2"), "--efficiency: gemm_peak must be a number from 0.01 to 1.2, not \"2\"");
    EXPECT_EQ(refused("gemm_peak=0.5,"), "--efficiency must be KEY=VALUE or GENERATION.KEY=VALUE, not \"\"");
}

}  // namespace
