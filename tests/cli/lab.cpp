// `ndsim lab` from outside: the files it writes, what it refuses, and its messages for wrong programs.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace {

using testing::HasSubstr;
using testing::Not;

class Desk {
public:
    explicit Desk(const std::string& options = "--python") {
        EXPECT_EQ(run_command(fmt::format("ndsim lab start 2 {} {}", folder(), options)).exit_code, 0);
    }
    std::string folder() const { return temporary_.file("desk"); }
    std::string file(const std::string& name) const { return folder() + "/" + name; }
    Said check(const std::string& options = "") const { return run_command("ndsim lab check 2 " + folder() + options); }
    Said check_of(const std::string& program, const std::string& options = "") const {
        std::ofstream(file("lab.py")) << "from ndsim import lab\n\n\ndef program(gpu, given):\n"
                                      << program << "\n\n\nlab.run(program)\n";
        return check(options);
    }

private:
    TemporaryFolder temporary_;
};

TEST(NdsimLab, WritesThePageTheFileAndTheCase) {
    const Desk desk;
    EXPECT_THAT(content_of(desk.file("README.md")), HasSubstr("# Lab 2: Ring all-reduce"));
    EXPECT_THAT(content_of(desk.file("lab.py")), HasSubstr("lab.gap(gpu"));
    EXPECT_THAT(content_of(desk.file("case.json")), HasSubstr("latency_seconds"));
    EXPECT_FALSE(std::filesystem::exists(desk.file("solution.py")));
}

TEST(NdsimLab, OverwritesNothing) {
    const Desk desk;
    EXPECT_THAT(refusal("ndsim lab start 2 " + desk.folder()), HasSubstr("already exists and would be lost"));
    EXPECT_THAT(refusal("ndsim lab start 2 " + desk.folder() + " --python"), HasSubstr("lab.py already exists"));
}

TEST(NdsimLab, RefusesWhatIsNotThereWithTheNearest) {
    EXPECT_THAT(refusal("ndsim lab chekc 2"), HasSubstr("unknown action \"chekc\"; did you mean check?"));
    EXPECT_THAT(refusal("ndsim lab start 99"), HasSubstr("there is no lab \"99\"; ndsim lab list shows all"));
    EXPECT_THAT(refusal("ndsim lab check 2 /nowhere"),
                HasSubstr("has not been started in /nowhere; ndsim lab start 2"));
    EXPECT_THAT(refusal("ndsim lab start 2 --python --torch"), HasSubstr("give one of them"));
    EXPECT_THAT(refusal("ndsim lab start 2 --seed 0"), HasSubstr("--seed"));
    const Desk desk;
    EXPECT_THAT(refusal("ndsim lab check 2 " + desk.folder() + " --predict 16"), HasSubstr("must be a time"));
    EXPECT_THAT(refusal("ndsim lab check 2 " + desk.folder() + " --host fiber"), HasSubstr("only C++ has fibers"));
    std::ofstream(desk.file("lab.json")) << "{}";
    EXPECT_THAT(refusal("ndsim lab check 2 " + desk.folder()), HasSubstr("lab.json: no desk of a lab"));
}

TEST(NdsimLab, TellsTheAnswerAfterThreePredictionsAndKeepsTheFirst) {
    const Desk desk;
    const auto reported = [&] {
        return run_command("ndsim lab report " + desk.folder() + " --json").json()["labs"][0]["prediction"];
    };
    const std::string first = desk.check(" --predict 12us").out;
    EXPECT_THAT(first, HasSubstr("You predicted 12us: too low. This is (N-1) (L + S/(N B)), half of it"));
    EXPECT_THAT(first, Not(HasSubstr("24 us")));
    EXPECT_TRUE(reported()["truth"].is_null());
    EXPECT_THAT(desk.check(" --predict 0.024s").out, HasSubstr("too high. It is off by a power of 1000"));
    EXPECT_THAT(desk.check(" --predict 0.024ms").out, HasSubstr("You predicted 0.024ms; it is 24 us: right."));
    EXPECT_EQ(reported()["predicted"], 12e-6);
    EXPECT_EQ(reported()["ratio"], 0.5);
}

TEST(NdsimLab, TellsAWrongFormulaOfABubbleByItsNumber) {
    const TemporaryFolder folder;
    const std::string desk = folder.file("desk");
    run_command("ndsim lab start 7 --python " + desk);
    EXPECT_THAT(run_command("ndsim lab check 7 --predict 37.5% " + desk).out,
                HasSubstr("too high. This is (p-1)/m, the bubble over the time of the work."));
    EXPECT_THAT(run_command("ndsim lab check 7 --predict 0.2 " + desk).out, HasSubstr("did you mean 20 %?"));
}

TEST(NdsimLab, TellsADeadlockInTheLearnersLines) {
    const Said said = Desk().check_of("    gpu.compute(flops=1e6)\n    gpu.receive((gpu.rank + 1) % gpu.world_size)");
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, HasSubstr("Deadlock: 4 of 4 ranks wait for something that never comes."));
    EXPECT_THAT(said.out, HasSubstr("lab.py:6: gpu.receive((gpu.rank + 1) % gpu.world_size)"));
}

TEST(NdsimLab, TellsADeadlockInLinesOfCpp) {
    const Desk desk("");
    std::ofstream(desk.file("lab.cpp")) << "#include <ranks/lab.hpp>\n"
                                           "void program(sim::GPU& gpu, const sim::lab::Given&) {\n"
                                           "    gpu.receive<double>((gpu.rank() + 1) % gpu.world_size());\n"
                                           "}\n"
                                           "NDSIM_LAB(program)\n";
    const Said said = desk.check(" --json");
    EXPECT_EQ(said.exit_code, 1);
    ASSERT_EQ(said.json()["waiting"].size(), 4U);
    EXPECT_EQ(said.json()["waiting"][2]["line"], 3);
    EXPECT_EQ(said.json()["waiting"][2]["file"], "lab.cpp");
    EXPECT_EQ(said.json()["waiting"][2]["waits_for"], 3);
}

TEST(NdsimLab, SaysWhatTheCompilerSays) {
    const Desk desk("");
    std::ofstream(desk.file("lab.cpp")) << "int x = ;\n";
    const Said said = desk.check();
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, HasSubstr("lab.cpp cannot be run:\n"));
    EXPECT_THAT(said.out, HasSubstr("lab.cpp:1:9: error: expected primary-expression"));
}

TEST(NdsimLab, SaysWhatPythonSays) {
    const Said said = Desk().check_of("    this is no Python");
    EXPECT_EQ(said.exit_code, 1);
    EXPECT_THAT(said.out, HasSubstr("SyntaxError: invalid syntax"));
    EXPECT_THAT(Desk().check_of("    1 / 0").out, HasSubstr("ZeroDivisionError: division by zero"));
}

TEST(NdsimLab, NamesAMistakeOfAPythonProgram) {
    const Said said = Desk().check_of(
        "    import numpy\n"
        "    own = given.factor * (gpu.rank + 1) + numpy.arange(given.elements, dtype=float)\n"
        "    total = own.copy()\n"
        "    for step in range(gpu.world_size - 1):\n"
        "        gpu.send((gpu.rank + 1) % gpu.world_size, own)\n"
        "        own = gpu.receive((gpu.rank - 1) % gpu.world_size, dtype=float)\n"
        "        total += own\n"
        "    gpu.report('gradient', total)",
        " --json");
    EXPECT_EQ(said.json()["mistake"], "whole-gradient-each-step");
    EXPECT_THAT(said.json()["output"].get<std::string>(),
                HasSubstr("30 us: you sent S (32 kB), not S/N, in each step"));
}

TEST(NdsimLab, GivesOneHintAfterTheOther) {
    const Desk desk;
    const std::string hint = "ndsim lab hint 2 " + desk.folder();
    EXPECT_THAT(run_command(hint).out, HasSubstr("Hint 1 of 3"));
    EXPECT_THAT(run_command(hint).out, HasSubstr("Hint 2 of 3"));
    EXPECT_THAT(run_command(hint).out, HasSubstr("Hint 3 of 3"));
    EXPECT_THAT(run_command(hint).out, HasSubstr("Hint 3 of 3"));
}

TEST(NdsimLab, ShowsBothTimelinesWithTheFirstDifference) {
    const Desk desk;
    desk.check_of("    gpu.compute('nothing to do with it', flops=1e6)");
    const Said said = run_command("ndsim lab show 2 --ascii " + desk.folder());
    EXPECT_THAT(said.out, HasSubstr("yours, which ends at 1 us"));
    EXPECT_THAT(said.out, HasSubstr("the reference, which ends at 24 us"));
    EXPECT_THAT(said.out, HasSubstr("First difference, at the mark: rank 0: yours computes 1000000 FLOPs"));
}

TEST(NdsimLab, WritesAPageWithBothTimelines) {
    const Desk desk;
    desk.check_of("    gpu.compute('nothing to do with it', flops=1e6)");
    const TemporaryFolder folder;
    const std::string page = folder.file("ring.html");
    EXPECT_EQ(run_command("ndsim lab show 2 --report '" + page + "' " + desk.folder()).exit_code, 0);
    EXPECT_THAT(content_of(page), HasSubstr("\"title\":\"Yours\""));
    EXPECT_THAT(content_of(page), HasSubstr("\"title\":\"The reference\""));
    EXPECT_THAT(content_of(page), HasSubstr("[\"first difference\",\"rank 0: yours computes 1000000 FLOPs"));
}

TEST(NdsimLab, PrintsWhatTheLearnersProgramPrintsOnStandardError) {
    const Said said = Desk().check_of("    print('a thought')", " --json");
    EXPECT_THAT(said.err, HasSubstr("a thought"));
    EXPECT_THAT(said.out, Not(HasSubstr("a thought")));
    EXPECT_EQ(std::count(said.out.begin(), said.out.end(), '\n'), 1);
}

// Adds N too often: time, bytes and order are right.
const char* const wrong_ring =
    "    import numpy\n"
    "    gradient = given.factor * (gpu.rank + 1) + numpy.arange(given.elements, dtype=float)\n"
    "    length, ranks, right, left = given.elements // gpu.world_size, gpu.world_size, gpu.rank + 1, gpu.rank - 1\n"
    "    for step in range(2 * ranks - 2):\n"
    "        gpu.send(right % ranks, gradient[:length])\n"
    "        gradient[:length] += gpu.receive(left % ranks, dtype=float)\n"
    "    gpu.report('gradient', gradient)";

TEST(NdsimLab, GivesNoPointsForTheTimeOfAWrongSum) {
    const Desk desk;
    const Said said = desk.check_of(wrong_ring, " --json");
    EXPECT_EQ(said.json()["scores"]["time"], 3);
    EXPECT_EQ(said.json()["max_score"], 12);
    EXPECT_EQ(said.json()["score"], 3);  // the right order, which is the point of the lab, too
    const std::string grade = "ndsim lab grade 2 " + desk.folder() + " --json";
    EXPECT_EQ(run_command(grade + " --weights order=9").json()["max_score"], 36);
    EXPECT_EQ(run_command(grade + " --weights order=9").json()["score"], 27);
    EXPECT_EQ(run_command(grade + " --weights order=9 --points 8").json()["score"], 6);
    EXPECT_EQ(run_command(grade + " --weights order=9 --points 8 --pass-fail").json()["score"], 0);
    EXPECT_THAT(refusal(grade + " --weights orde=9"), HasSubstr("--weights must be points of checks"));
}

TEST(NdsimLab, DoesNotTakeTheLibrarysAllReduceForARing) {
    const Said said = Desk().check_of(
        "    import numpy\n"
        "    gradient = given.factor * (gpu.rank + 1) + numpy.arange(given.elements, dtype=float)\n"
        "    gpu.all_reduce(gradient, algorithm='ring')\n"
        "    gpu.report('gradient', gradient)",
        " --json");
    EXPECT_EQ(said.json()["mistake"], "library-all-reduce");
    EXPECT_EQ(said.json()["score"], 3);
}

const std::string key_of_2 = "ndsim lab key 2 --source '" NDSIM_SOURCE_DIR "'";

TEST(NdsimLab, GivesInstructorsTheKeyOfAnySeedAndAPicture) {
    const TemporaryFolder folder;
    const Said said = run_command(fmt::format("{} --seed 7 --svg '{}'", key_of_2, folder.file("ring.svg")));
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_THAT(said.out, HasSubstr("How long does the all-reduce take?"));
    EXPECT_THAT(content_of(folder.file("ring.svg")), HasSubstr("<svg"));
    EXPECT_NE(said.out, run_command(key_of_2 + " --seed 8").out);
}

TEST(NdsimLab, TellsKeysToThoseAloneWhoHaveTheSolution) {
    const TemporaryFolder folder;
    EXPECT_THAT(refusal("ndsim lab key 2 --source " + folder.file("")),
                HasSubstr("--source must be the folder of ndsim's source tree, which has the solutions"));
    const std::string solutions = folder.file("docs/labs/02-ring-all-reduce");
    std::filesystem::create_directories(solutions);
    std::ofstream(solutions + "/solution.cpp") << "int main() {}\n";
    EXPECT_THAT(refusal("ndsim lab key 2 --source " + folder.file("")),
                HasSubstr("solution.cpp is not the solution that this ndsim was built with"));
}

// Changes one place in lab.json.
void change(const Desk& desk, const std::string& from, const std::string& to) {
    std::string text = content_of(desk.file("lab.json"));
    const std::size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    std::ofstream(desk.file("lab.json")) << text.replace(at, from.size(), to);
}

bool is_signed(const Desk& desk) {
    return run_command("ndsim lab report " + desk.folder() + " --json").json()["labs"][0]["signed"];
}

TEST(NdsimLab, ShowsAChangedPredictionAndKeepsShowingIt) {
    const Desk desk;
    desk.check(" --predict 12us");
    EXPECT_TRUE(is_signed(desk));
    change(desk, "\"12us\"", "\"24us\"");
    EXPECT_FALSE(is_signed(desk));
    EXPECT_THAT(desk.check().out,
                HasSubstr("lab.json was changed by hand: the prediction and the attempts in it do not count."));
    EXPECT_EQ(desk.check(" --json").json()["desk"], "changed");
    EXPECT_THAT(run_command("ndsim lab report " + desk.folder()).out, HasSubstr("NO: changed by hand"));
}

TEST(NdsimLab, ShowsAttemptsThatWereAddedTakenAwayOrChanged) {
    for (const auto& [from, to] :
         {std::pair{"\"passed\": false", "\"passed\": true"}, std::pair{"\"points\": 0", "\"points\": 1"},
          std::pair{"\"hints_seen\": 0", "\"hints_seen\": 1"}, std::pair{"\"seed\": 1", "\"seed\": 2"}}) {
        const Desk desk;
        desk.check();
        ASSERT_TRUE(is_signed(desk));
        change(desk, from, to);
        EXPECT_FALSE(is_signed(desk)) << from;
    }
    const Desk desk;
    const std::string first = content_of(desk.file("lab.json"));
    desk.check();
    change(desk, content_of(desk.file("lab.json")), first.substr(0, first.find("\"seal\"")) + "\"seal\": \"\"\n}\n");
    EXPECT_FALSE(is_signed(desk));
}

TEST(NdsimLab, StaysSignedThroughHintsAndChecks) {
    const Desk desk;
    run_command("ndsim lab hint 2 " + desk.folder());
    desk.check(" --predict 12us");
    desk.check();
    EXPECT_TRUE(is_signed(desk));
    EXPECT_EQ(desk.check(" --json").json()["desk"], "signed");
}

}  // namespace
