// Requirements for every lab: solutions pass with any seed on both hosts, known mistakes are named, other wrong
// programs are not, and a starter is the solution with a gap.
#include "tests/labs/wrong.hpp"
#include "tools/labs/verdict.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace sim::labs;
using sim::ranks::Host;

namespace {

std::vector<Record> records_of(const Lab& lab, std::uint64_t seed, const sim::lab::Program& program,
                               Host host = Host::fiber) {
    std::vector<Record> records;
    for (const Case& each : lab.cases(seed)) {
        records.push_back(play_here(each, program, host));
    }
    return records;
}

std::string first_wrong(const Verdict& verdict) {
    for (const CaseVerdict& each : verdict.cases) {
        for (const Check& check : each.checks) {
            if (!check.ok) {
                return std::string(name_of(check.aspect)) + ": " + check.found + " where " + check.expected + ": " +
                       check.why;
            }
        }
    }
    return "";
}

class EveryLab : public testing::TestWithParam<int> {
protected:
    const Lab& lab() const { return course()[static_cast<std::size_t>(GetParam())]; }
};

TEST_P(EveryLab, IsSolvedByItsSolutionWith50SeedsOnBothHosts) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        for (const Host host : {Host::fiber, Host::process}) {
            const Verdict verdict = grade(lab(), seed, records_of(lab(), seed, lab().solution, host));
            ASSERT_TRUE(verdict.passed()) << "seed " << seed << ": " << first_wrong(verdict);
        }
    }
}

TEST_P(EveryLab, NamesItsMistakes) {
    EXPECT_GE(lab().mistakes.size(), 2U);
    for (const Mistake& mistake : lab().mistakes) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const Host host = seed == 1 ? Host::process : Host::fiber;  // learners' programs run as processes
            const Verdict verdict = grade(lab(), seed, records_of(lab(), seed, mistake.program, host));
            ASSERT_FALSE(verdict.passed()) << mistake.name;
            ASSERT_TRUE(verdict.diagnosis) << mistake.name << ", seed " << seed;
            EXPECT_EQ(verdict.diagnosis->mistake, mistake.name) << "seed " << seed;
            EXPECT_GT(verdict.diagnosis->text.size(), 20U) << mistake.name;
        }
    }
}

TEST_P(EveryLab, HasOtherNumbersWithAnotherSeed) {
    std::set<std::string> cases;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        cases.insert(sim::lab::to_json(lab().cases(seed)));
    }
    EXPECT_GE(cases.size(), 10U);
}

TEST_P(EveryLab, GivesItsCasesTheSameWayTwice) {
    const std::vector<Case> cases = lab().cases(7);
    EXPECT_GE(cases.size(), 2U);
    EXPECT_EQ(sim::lab::to_json(cases), sim::lab::to_json(lab().cases(7)));
    EXPECT_EQ(sim::lab::to_json(sim::lab::cases_from_json("cases", sim::lab::to_json(cases))),
              sim::lab::to_json(cases));
}

TEST_P(EveryLab, NamesNoOtherWrongProgram) {
    int tried = 0;
    for (const std::vector<wrong::Program>& of_lab : wrong::of_all_labs()) {
        for (const wrong::Program& each : of_lab) {
            if (each.lab == lab().number) {
                const Verdict verdict = grade(lab(), 3, records_of(lab(), 3, each.program));
                EXPECT_FALSE(verdict.passed()) << each.what;
                EXPECT_EQ(verdict.diagnosis ? verdict.diagnosis->mistake : "", each.named) << each.what;
                ++tried;
            }
        }
    }
    EXPECT_GE(tried, 12);
}

std::string name_of_lab(const testing::TestParamInfo<int>& which) {
    std::string name(course()[static_cast<std::size_t>(which.param)].folder);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}
TEST(Course, KnowsFarMoreThanThirtyMistakesAndIsTriedOnTwoHundredOtherPrograms) {
    std::size_t mistakes = 0;
    for (const Lab& lab : course()) {
        mistakes += lab.mistakes.size();
    }
    EXPECT_GE(mistakes, 80U);
    std::size_t others = 0;
    for (const std::vector<wrong::Program>& of_lab : wrong::of_all_labs()) {
        others += static_cast<std::size_t>(std::count_if(
            of_lab.begin(), of_lab.end(), [](const wrong::Program& each) { return each.named[0] == '\0'; }));
    }
    EXPECT_GE(others, 200U);
}

INSTANTIATE_TEST_SUITE_P(Course, EveryLab, testing::Range(0, static_cast<int>(course().size())), name_of_lab);

}  // namespace
