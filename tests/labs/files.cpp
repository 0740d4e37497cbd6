// The files that learners get: starters, which the build cuts out of the solutions, pages, and the output of `ndsim lab
// check` for both, in every language.
#include "tools/labs/desk/files.hpp"
#include "tests/cli/command.hpp"
#include "tests/labs/pytorch.hpp"
#include "tools/labs/desk/desk.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace sim::labs;

namespace {

struct Given {
    const Lab* lab;
    Language language;
};

std::vector<Given> all_given() {
    std::vector<Given> all;
    for (const Lab& lab : course()) {
        for (const Language language : {Language::cpp, Language::python}) {
            all.push_back({&lab, language});
        }
    }
    for (const Lab& lab : torch_course()) {
        all.push_back({&lab, Language::torch});
    }
    return all;
}

std::string source_of(const Lab& lab, const std::string& name) {
    return content_of(fmt::format("{}/docs/labs/{}/{}", NDSIM_SOURCE_DIR, lab.folder, name));
}

std::string solution_of(const Given& given) {
    const char* const name = given.language == Language::cpp      ? "solution.cpp"
                             : given.language == Language::python ? "solution.py"
                                                                  : "train_solution.py";
    return source_of(*given.lab, name);
}

std::string option_of(Language language) {
    return language == Language::cpp ? "" : fmt::format(" --{}", name_of(language));
}

// The text without the lines between the marks.
std::string around_the_gap(const std::string& text) {
    const std::size_t begin = text.find("Your lines begin here");
    const std::size_t end = text.find("Your lines end here");
    return begin == std::string::npos || end == std::string::npos ? "" : text.substr(0, begin) + text.substr(end);
}

// Without those of the starter, which are comments of a solution.
int lines_in_the_gap(const std::string& text) {
    const std::size_t begin = text.find("Your lines begin here");
    std::istringstream gap(text.substr(begin, text.find("Your lines end here") - begin));
    int lines = -2;  // the marks' own
    for (std::string line; std::getline(gap, line);) {
        lines += line.find("Starter: ") == std::string::npos ? 1 : 0;
    }
    return lines;
}

// The text block below `<!-- SIGN -->`.
std::string block_below(const std::string& page, const std::string& sign) {
    const std::size_t at = page.find("<!-- " + sign + " -->\n```text\n");
    if (at == std::string::npos) {
        return "there is no block below <!-- " + sign + " -->";
    }
    const std::size_t begin = page.find("```text\n", at) + 8;
    return page.substr(begin, page.find("```\n", begin) - begin);
}

class EveryFile : public testing::TestWithParam<Given> {
protected:
    void SetUp() override {
        if (GetParam().language == Language::torch && !has_pytorch()) {
            GTEST_SKIP() << "there is no PyTorch here";
        }
    }
};

TEST_P(EveryFile, IsTheSolutionWithAGapOf5To25Lines) {
    const std::string starter = lab_file(GetParam().lab->folder.data(), file_of(GetParam().language));
    const std::string solution = solution_of(GetParam());
    ASSERT_NE(around_the_gap(starter), "");
    EXPECT_EQ(around_the_gap(starter), around_the_gap(solution));
    EXPECT_EQ(starter.find("Starter: "), std::string::npos);
    EXPECT_GE(lines_in_the_gap(solution), 4);
    EXPECT_LE(lines_in_the_gap(solution), 28);  // including the comment that gives the task
}

TEST(Starters, AreNotCutOutOfASolutionThatHasNoneOrHasTwoGaps) {
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder.file("lab"));
    const std::string gap = "# Your lines begin here: 1.\n# Starter: pass\n1\n# Your lines end here.\n";
    const auto is_cut = [&](const std::string& text) {
        const std::string solution = folder.with("lab/solution.py", text);
        return std::system(fmt::format("awk -v into='{}' -f '{}/tools/labs/starters.awk' '{}' 2> '{}'", folder.file(""),
                                       NDSIM_SOURCE_DIR, solution, folder.file("said"))
                               .c_str()) == 0;
    };
    EXPECT_TRUE(is_cut("a = 1\n" + gap));
    EXPECT_EQ(content_of(folder.file("lab/lab.py")),
              "a = 1\n# Your lines begin here: 1.\npass\n# Your lines end here.\n");
    EXPECT_FALSE(is_cut(gap + gap));
    EXPECT_FALSE(is_cut("# Your lines begin here: 1.\n1\n# Your lines end here.\n"));
    EXPECT_EQ(content_of(folder.file("said")),
              folder.file("lab/solution.py") + ": no comment in the gap begins with \"Starter: \"\n");
    EXPECT_FALSE(is_cut("a = 1\n"));
}

TEST_P(EveryFile, FailsAtFirstAsItsPageShows) {
    const TemporaryFolder folder;
    const auto& [lab, language] = GetParam();
    const std::string desk = folder.file("desk");
    ASSERT_EQ(run_command(fmt::format("ndsim lab start {} {}{}", lab->number, desk, option_of(language))).exit_code, 0);
    const Said said = run_command(fmt::format("ndsim lab check {} {}", lab->number, desk));
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_EQ(said.out, block_below(source_of(*lab, page_of(language)), fmt::format("starter: {}", name_of(language))));
    EXPECT_EQ(said.err, "");
}

TEST_P(EveryFile, PassesAsTheSolution) {
    const TemporaryFolder folder;
    const auto& [lab, language] = GetParam();
    const std::string desk = folder.file("desk");
    ASSERT_EQ(run_command(fmt::format("ndsim lab start {} {}{}", lab->number, desk, option_of(language))).exit_code, 0);
    std::ofstream(desk + "/" + file_of(language)) << solution_of(GetParam());
    const Said said = run_command(fmt::format("ndsim lab check {} {} --json", lab->number, desk));
    EXPECT_EQ(said.exit_code, 0) << said.out << said.err;
    EXPECT_TRUE(said.json().at("passed"));
    EXPECT_EQ(said.json().at("score"), said.json().at("max_score"));
}

std::string name_of_given(const testing::TestParamInfo<Given>& which) {
    std::string name = fmt::format("{}_{}", which.param.lab->folder, name_of(which.param.language));
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(Course, EveryFile, testing::ValuesIn(all_given()), name_of_given);

class EveryPythonSolution : public testing::TestWithParam<int> {};

// In one process, because Python takes a tenth of a second to start.
TEST_P(EveryPythonSolution, PassesWith50Seeds) {
    const Lab& lab = course()[static_cast<std::size_t>(GetParam())];
    const TemporaryFolder folder;
    std::vector<Case> cases;
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const std::vector<Case> more = lab.cases(seed);
        cases.insert(cases.end(), more.begin(), more.end());
    }
    std::ofstream(folder.file("cases.json")) << sim::lab::to_json(cases);
    const std::string line =
        fmt::format("PYTHONPATH='{}/../python' /usr/bin/python3 '{}/docs/labs/{}/solution.py' --play '{}' --into '{}'",
                    NDSIM_BIN_DIR, NDSIM_SOURCE_DIR, lab.folder, folder.file("cases.json"), folder.file("records"));
    ASSERT_EQ(std::system(line.c_str()), 0);
    const std::vector<Record> records = sim::lab::records_from_json("records", content_of(folder.file("records")));
    ASSERT_EQ(records.size(), cases.size());
    for (std::uint64_t seed = 1, at = 0; seed <= 50; ++seed) {
        const std::size_t count = lab.cases(seed).size();
        const std::vector<Record> of_seed(records.begin() + static_cast<std::ptrdiff_t>(at),
                                          records.begin() + static_cast<std::ptrdiff_t>(at + count));
        EXPECT_TRUE(grade(lab, seed, of_seed).passed()) << "seed " << seed;
        at += count;
    }
}

std::string name_of_solution(const testing::TestParamInfo<int>& which) {
    std::string name(course()[static_cast<std::size_t>(which.param)].folder);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(Course, EveryPythonSolution, testing::Range(0, static_cast<int>(course().size())),
                         name_of_solution);

}  // namespace
