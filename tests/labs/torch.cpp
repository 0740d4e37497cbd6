// Requirements for labs as PyTorch scripts: solutions pass with any seed, mistakes are named, and other wrong scripts
// are not. Skipped without PyTorch.
#include "tests/labs/pytorch.hpp"
#include "tests/labs/wrong_scripts.hpp"
#include "tests/scenarios/temporary_folder.hpp"
#include "tools/labs/desk/play_scripts.hpp"
#include "tools/labs/verdict.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

using namespace sim::labs;

namespace {

class EveryTorchLab : public testing::TestWithParam<int> {
protected:
    void SetUp() override {
        if (!has_pytorch()) {
            GTEST_SKIP() << "there is no PyTorch here";
        }
    }

    std::string solution() const {
        return content_of(fmt::format("{}/docs/labs/{}/train_solution.py", NDSIM_SOURCE_DIR, lab().folder));
    }
    const Lab& lab() const { return torch_course()[static_cast<std::size_t>(GetParam())]; }

    std::string write(const std::string& text) {
        const std::string file = folder_.file("script-" + std::to_string(++written_) + ".py");
        std::ofstream(file) << text;
        return file;
    }

private:
    TemporaryFolder folder_;
    int written_ = 0;
};

std::string first_wrong_of(const Verdict& verdict) {
    for (const CaseVerdict& each : verdict.cases) {
        for (const Check& check : each.checks) {
            if (!check.ok) {
                return std::string(name_of(check.aspect)) + ": " + check.found + " where " + check.expected;
            }
        }
    }
    return "";
}

// Everything but the labels, which name the script's lines.
nlohmann::json left_by(const std::vector<Record>& records) {
    nlohmann::json left = nlohmann::json::array();
    for (const nlohmann::json& record : nlohmann::json::parse(sim::lab::to_json(records)).at("records")) {
        left.push_back({{"totals", record.at("totals")}, {"reports", record.at("reports")}});
    }
    return left;
}

// Replaces the text between the marks, where wrong scripts differ.
std::string replaced_in_the_gap(std::string text, const wrong::Script& script) {
    std::size_t places = 0;
    const std::size_t begin = text.find("Your lines begin here");
    for (std::size_t at = text.find(script.from, begin);
         at != std::string::npos && at < text.find("Your lines end here");
         at = text.find(script.from, at + script.to.size())) {
        text.replace(at, script.from.size(), script.to);
        ++places;
    }
    EXPECT_GT(places, 0U) << script.from;
    return text;
}

TEST_P(EveryTorchLab, IsSolvedByItsSolutionWith50Seeds) {
    std::vector<Case> cases;
    std::set<std::string> known;
    std::vector<std::pair<std::uint64_t, std::size_t>> seeds;  // of distinct numbers, and their first case
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const std::vector<Case> more = lab().cases(seed);
        if (known.insert(sim::lab::to_json(more)).second) {
            seeds.emplace_back(seed, cases.size());
            cases.insert(cases.end(), more.begin(), more.end());
        }
    }
    EXPECT_GE(seeds.size(), 10U);
    const PlayedScripts played = play_scripts({write(solution())}, cases);
    ASSERT_EQ(played.trouble, "");
    const std::vector<Record>& all = played.records[0];
    for (const auto& [seed, first] : seeds) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
        const std::vector<Record> records(begin, begin + std::ssize(lab().cases(seed)));
        const Verdict verdict = grade(lab(), seed, Plays{.records = records, .references = records});
        EXPECT_TRUE(verdict.passed()) << "seed " << seed << ": " << first_wrong_of(verdict);
    }
}

TEST_P(EveryTorchLab, IsComparedWithTheRunOfItsSolution) {
    const std::vector<Case> cases = lab().cases(5);
    const PlayedScripts played = play_scripts({write(solution())}, cases);
    ASSERT_EQ(played.trouble, "");
    EXPECT_EQ(left_by(play_solution(lab(), cases)), left_by(played.records[0]));
}

TEST_P(EveryTorchLab, NamesItsMistakesAndNoOtherWrongScript) {
    struct Tried {
        std::string what;
        std::string named;
    };
    const sim::command_line::PassingFolder folder;
    std::vector<std::string> files = write_references(lab(), folder);
    std::vector<Tried> tried{{"the solution", ""}};
    for (const ScriptMistake& each : lab().script_mistakes) {
        tried.push_back({std::string(each.name), std::string(each.name)});
    }
    ASSERT_EQ(files.size(), tried.size());
    // The solution comes second, after the first mistake, which has another result.
    std::swap(tried[0], tried[1]);
    std::swap(files[0], files[1]);
    for (const wrong::Script& each : wrong::all_scripts()) {
        if (each.lab == lab().number) {
            tried.push_back({std::string(each.to), std::string(each.named)});
            files.push_back(write(replaced_in_the_gap(solution(), each)));
        }
    }
    const std::size_t mistakes = lab().script_mistakes.size();
    EXPECT_GE(mistakes, 2U);
    EXPECT_GE(tried.size(), mistakes + 1 + 12);
    const PlayedScripts played = play_scripts(files, lab().cases(3));
    ASSERT_EQ(played.trouble, "");
    std::vector<std::vector<Record>> mistaken(played.records.begin(),
                                              played.records.begin() + static_cast<std::ptrdiff_t>(mistakes) + 1);
    mistaken.erase(mistaken.begin() + 1);
    for (std::size_t i = 0; i < tried.size(); ++i) {
        ASSERT_EQ(played.records[i].size(), lab().cases(3).size()) << tried[i].what;
        const Verdict verdict =
            grade(lab(), 3, Plays{.records = played.records[i], .references = played.records[1], .mistaken = mistaken});
        EXPECT_EQ(verdict.passed(), i == 1) << tried[i].what;
        EXPECT_EQ(verdict.diagnosis ? verdict.diagnosis->mistake : "", tried[i].named) << tried[i].what;
    }
}

// A second ndsim, whose interpreter has only NumPy.
std::string ndsim_without_torch(const TemporaryFolder& folder) {
    namespace fs = std::filesystem;
    fs::create_directories(folder.file("prefix/bin"));
    fs::create_directories(folder.file("prefix/share/ndsim"));
    fs::create_directories(folder.file("packages"));
    fs::copy(NDSIM_BIN_DIR "/ndsim", folder.file("prefix/bin/ndsim"));
    fs::create_symlink("/usr/lib/python3/dist-packages/numpy", folder.file("packages/numpy"));
    const std::string interpreter =
        folder.with("python", "#!/bin/sh\nPYTHONPATH=\"$PYTHONPATH:" + folder.file("packages") +
                                  "\" exec /usr/bin/python3 -S \"$@\"\n");
    fs::permissions(interpreter, fs::perms::owner_all);
    folder.with("prefix/share/ndsim/labs.toml", "compiler = \"c++\"\nflags = \"\"\ninterpreter = \"" + interpreter +
                                                    "\"\npython_path = \"" NDSIM_BIN_DIR "/../python\"\n");
    return folder.file("prefix/bin/ndsim");
}

TEST(TorchLabs, SayWhatIsMissingWhereThereIsNoPyTorch) {
    const TemporaryFolder folder;
    const std::string ndsim = ndsim_without_torch(folder);
    const std::string desk = folder.file("desk");
    const std::string said = folder.file("said");
    ASSERT_EQ(std::system((ndsim + " lab start 1 " + desk + " --torch > /dev/null").c_str()), 0);
    const int status = std::system((ndsim + " lab check 1 " + desk + " > /dev/null 2> " + said).c_str());
    EXPECT_EQ(WEXITSTATUS(status), 7);
    EXPECT_NE(content_of(said).find("-m pip install torch` installs it"), std::string::npos) << content_of(said);
    ASSERT_EQ(std::system((ndsim + " lab list 2> " + said + " > /dev/null").c_str()), 0);
    EXPECT_NE(content_of(said).find("cannot be checked here: install PyTorch"), std::string::npos) << content_of(said);
}

std::string name_of_torch_lab(const testing::TestParamInfo<int>& which) {
    std::string name(torch_course()[static_cast<std::size_t>(which.param)].folder);
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(Course, EveryTorchLab, testing::Range(0, static_cast<int>(torch_course().size())),
                         name_of_torch_lab);

}  // namespace
