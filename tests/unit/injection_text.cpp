#include "libsim/config/injection_text.hpp"

#include "libsim/config/errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace sim;
using namespace sim::faults;
using config::injection_of_text;
using testing::HasSubstr;

// Reads a text and writes it back.
std::string again(const std::string& text) {
    return to_text(injection_of_text("--fault", text));
}

std::string refusal(const std::string& text) {
    try {
        injection_of_text("--fault", text);
    } catch (const config::UsageError& error) {
        return error.what();
    }
    return "none";
}

TEST(InjectionText, IsReadAndWrittenAlike) {
    for (const char* const text :
         {"kill rank 3 at 120ms", "kill node 1 at 1.5s", "stop rank 1 at 2s for 500ms", "slow rank 2 x2.5",
          "slow rank 1 x2 from 1s", "noise 200%", "fail rank mtbf 1us", "slow rank 2 x2.5 from 1s to 4s",
          "slow rank 0 x1.25 from 1s to 2s every 10s", "slow link 0-1 x4",
          "slow link 'leaf 2'-'node 3 nic 0' x4 from 1us", "drop nic 5 at 0s", "noise 5%",
          "noise 2.5% on rank 3 seed 7", "fail rank mtbf 100s", "fail node mtbf 3600s shape 0.7 seed 3"}) {
        EXPECT_EQ(again(text), text);
    }
}

TEST(InjectionText, HasAsManySpacesAsOneLikes) {
    EXPECT_EQ(again("  kill  rank 3   at 120 ms "), "kill rank 3 at 120ms");
    EXPECT_EQ(again("slow link 0 - 1 x 4"), "slow link 0-1 x4");
    EXPECT_EQ(again("drop nic 5"), "drop nic 5 at 0s");
    EXPECT_EQ(again("kill rank 0 at 1234567ns"), "kill rank 0 at 1234.567us");
}

TEST(InjectionText, IsRefusedWithTheFormThatBeginsLikeIt) {
    EXPECT_EQ(refusal("kill rank 3"), "--fault 'kill rank 3' is no fault; write kill rank R at TIME");
    EXPECT_EQ(refusal("slow rank 2 by 3"),
              "--fault 'slow rank 2 by 3' is no fault; write slow rank R xFACTOR [from TIME] [to TIME] [every TIME]");
    EXPECT_EQ(refusal("kill nodes 1 at 2s"), "--fault 'kill nodes 1 at 2s' is no fault; write kill node N at TIME");
    EXPECT_THAT(refusal("burn rank 3"), HasSubstr("write kill rank R at TIME; kill node N at TIME; stop rank R"));
    EXPECT_THAT(refusal(""), HasSubstr("is no fault"));
}

TEST(InjectionText, IsRefusedWithWhatIsWrongInIt) {
    EXPECT_EQ(refusal("kill rank 3 at 12 km"),
              "--fault 'kill rank 3 at 12 km': '12 km' is not a time such as 120ms or 1.5s");
    EXPECT_EQ(refusal("slow rank 3 x0.5"),
              "--fault 'slow rank 3 x0.5': x0.5 must be x1 to x1000000: the factor by which it takes longer");
    EXPECT_EQ(refusal("slow rank 3 x2 from 4s to 1s"),
              "--fault 'slow rank 3 x2 from 4s to 1s': it must end after it begins");
    EXPECT_THAT(refusal("slow rank 3 x2 from 4s every 1s"), HasSubstr("must end before it repeats: add 'to TIME'"));
    EXPECT_THAT(refusal("slow rank 3 x2 from 1s to 4s every 1s"), HasSubstr("must end before it repeats"));
    EXPECT_THAT(refusal("noise 5000%"), HasSubstr("must be 0 to 1000 %"));
    EXPECT_EQ(refusal("stop rank 1 at 1s for 0s"), "--fault 'stop rank 1 at 1s for 0s': '0s' must be above 0");
    EXPECT_EQ(refusal("fail rank mtbf 1ps"),
              "--fault 'fail rank mtbf 1ps': a mean of 1us or more, and a shape of 0.1 to 20, are needed");
    EXPECT_THAT(refusal("kill rank 3 at " + std::string(10'000, '9') + "s"), HasSubstr("is no fault"));
}

}  // namespace
