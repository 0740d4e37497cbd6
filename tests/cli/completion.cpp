// Shell completion with the scripts of `ndsim completion`, and the manual pages in man. Each is tested in the real
// program if it is installed.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <sstream>

namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Lines = std::vector<std::string>;

bool is_there(const std::string& program) {
    return std::system(("command -v " + program + " > /dev/null 2>&1").c_str()) == 0;
}

Lines lines_of(const std::string& text) {
    std::istringstream in(text);
    Lines lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

// Output of a program that reads a script from a file.
std::string printed_by(const std::string& shell, const std::string& script) {
    const TemporaryFolder folder;
    const std::string out = folder.file("out");
    const std::string line = fmt::format("{} '{}' > '{}' 2>&1", shell, folder.with("script", script), out);
    EXPECT_EQ(std::system(line.c_str()), 0) << content_of(out);
    return content_of(out);
}

// The completion script of a shell, generated once.
const std::string& script_of(const std::string& shell) {
    static std::map<std::string, std::string> scripts;
    if (!scripts.contains(shell)) {
        scripts[shell] = run_command("ndsim completion " + shell).out;
    }
    return scripts[shell];
}

// Bash's completions for these words, the last of which is being typed.
Lines in_bash(const std::string& words) {
    return lines_of(printed_by(
        "bash", script_of("bash") + fmt::format("COMP_WORDS=({}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))\n_ndsim\n"
                                                "((${{#COMPREPLY[@]}})) && printf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
                                                "exit 0\n",
                                                words)));
}

TEST(CompletionInBash, OffersCommandsAndOptions) {
    EXPECT_THAT(in_bash("ndsim tra"), ElementsAre("train", "trace"));
    EXPECT_THAT(in_bash("ndsim train --sche"), ElementsAre("--schedule"));
    EXPECT_THAT(in_bash("/usr/bin/1d_data_parallel --sync"), ElementsAre("--synchronize"));
    EXPECT_THAT(in_bash("0d_sequential --sync"), IsEmpty());
    EXPECT_THAT(in_bash("ndsim train train"), IsEmpty());
    EXPECT_THAT(in_bash("ndsim lab ch"), ElementsAre("check"));
    EXPECT_THAT(in_bash("ndsim lab check --pred"), ElementsAre("--predict"));
}

TEST(CompletionInBash, OffersTheValuesOfAnOption) {
    EXPECT_THAT(in_bash("ndsim train --zero 1 --schedule g"), ElementsAre("gpipe"));
    EXPECT_THAT(in_bash("ndsim train --schedule = g"), ElementsAre("gpipe"));  // the way bash splits --schedule=g
    EXPECT_THAT(in_bash("ndsim train --schedule ="), Contains("1f1b"));
    EXPECT_THAT(in_bash("ndsim train --model llama3-40"), ElementsAre("llama3-405b"));
    EXPECT_THAT(in_bash("ndsim sweep --machine dgx-h1"), ElementsAre("dgx-h100"));
    EXPECT_THAT(in_bash("ndsim train --overlap-tensor o"), ElementsAre("on", "off"));
    EXPECT_THAT(in_bash("1d_data_parallel --json --synchronize d"), ElementsAre("direct"));
    EXPECT_THAT(in_bash("ndsim train --gpus ''"), IsEmpty());
    EXPECT_THAT(in_bash("ndsim train --help ''"), ElementsAre("columns", "man", "options"));
}

TEST(CompletionInBash, OffersArgumentsByTheirPlace) {
    EXPECT_THAT(in_bash("ndsim completion ''"), ElementsAre("bash", "zsh", "fish"));
    EXPECT_THAT(in_bash("ndsim collective all-re"), ElementsAre("all-reduce"));
    EXPECT_THAT(in_bash("ndsim collective all-reduce all-re"), IsEmpty());
    EXPECT_THAT(in_bash("ndsim topology --ranks 4 tpu-v4"), ElementsAre("tpu-v4", "tpu-v4-pod"));
}

TEST(CompletionInBash, OffersFilesWhereAFileIsTaken) {
    const std::string file = NDSIM_SOURCE_DIR "/CMakeLists.txt";
    const std::string begun = NDSIM_SOURCE_DIR "/CMakeLis";
    EXPECT_THAT(in_bash("ndsim train --config " + begun), ElementsAre(file));
    EXPECT_THAT(in_bash("ndsim trace summary " + begun), ElementsAre(file));
    EXPECT_THAT(in_bash("ndsim train --machine " + begun), ElementsAre(file));
    EXPECT_THAT(in_bash("ndsim compare a.json b.json c.json d.json " + begun), ElementsAre(file));
    EXPECT_THAT(in_bash("ndsim train --schedule " + begun), IsEmpty());
}

TEST(CompletionInFish, OffersCommandsOptionsAndValues) {
    if (!is_there("fish")) {
        GTEST_SKIP() << "fish is not installed";
    }
    const TemporaryFolder home;  // fish creates folders in it
    const std::string& script = script_of("fish");
    const auto offered = [&](const std::string& line) {
        return printed_by(fmt::format("HOME='{}' fish --no-config", home.file("")),
                          fmt::format("{}complete -C '{}'\n", script, line));
    };
    EXPECT_THAT(offered("ndsim tra"),
                AllOf(HasSubstr("train\tpredict a training step"), HasSubstr("trace\tsummarise, compare")));
    EXPECT_THAT(offered("ndsim train --sche"), HasSubstr("--schedule\t"));
    EXPECT_THAT(offered("ndsim train --schedule gp"), HasSubstr("gpipe"));
    EXPECT_THAT(offered("1d_data_parallel --synchronize d"), HasSubstr("direct"));
    EXPECT_EQ(offered("0d_sequential --sync"), "");
    EXPECT_THAT(offered("ndsim lab ch"), HasSubstr("check\t"));
    EXPECT_THAT(offered("ndsim lab check --pred"), HasSubstr("--predict\t"));
    EXPECT_EQ(offered("ndsim collective all-re"), "all-reduce\n");
    EXPECT_EQ(offered("ndsim collective --ranks 4 all-re"), "all-reduce\n");
    EXPECT_EQ(offered("ndsim collective all-reduce all-re"), "");
    EXPECT_THAT(offered("ndsim compare a b c d " NDSIM_SOURCE_DIR "/CMakeLis"), HasSubstr("CMakeLists.txt"));
    EXPECT_EQ(offered("ndsim topology tpu-v4 " NDSIM_SOURCE_DIR "/CMakeLis"), "");
    EXPECT_THAT(offered("ndsim train --config " NDSIM_SOURCE_DIR "/CMakeLis"), HasSubstr("CMakeLists.txt"));
}

// Types a line with a tab at its end into a zsh on a pseudo terminal. Waits for `awaited` to appear, at most until the
// test times out.
std::string in_zsh(const std::string& typed, const std::string& awaited) {
    const TemporaryFolder folder;
    const std::string script = folder.with("_ndsim", script_of("zsh"));
    return printed_by(
        "timeout 60 zsh -f",
        fmt::format("zmodload zsh/zpty\nzpty inner zsh -f -i\n"
                    "zpty -w inner \"PS1=; autoload -U compinit; compinit -u -D; source '{}'; bindkey '^I' "
                    "complete-word; print REA''DY\"\nzpty -r inner seen '*READY*'\n"
                    "zpty -w -n inner $'{}\\t'\nzpty -r inner seen '*{}*'\nprint -r -- $seen\nzpty -d inner\n",
                    script, typed, awaited));
}

TEST(CompletionInZsh, OffersCommandsOptionsAndValues) {
    if (!is_there("zsh")) {
        GTEST_SKIP() << "zsh is not installed";
    }
    EXPECT_THAT(in_zsh("ndsim compl", "completion"), HasSubstr("completion"));
    EXPECT_THAT(in_zsh("ndsim train --sched", "--schedule"), HasSubstr("--schedule"));
    EXPECT_THAT(in_zsh("ndsim train --schedule interl", "interleaved"), HasSubstr("interleaved"));
    EXPECT_THAT(in_zsh("ndsim train --schedule=interl", "interleaved"), HasSubstr("interleaved"));
    EXPECT_THAT(in_zsh("1d_data_parallel --synchronize para", "parameter-server"), HasSubstr("parameter-server"));
}

TEST(Completion, IsOneOfTheShellsThatThereAre) {
    EXPECT_EQ(refusal("ndsim completion"), "ndsim completion: SHELL is missing: bash, zsh, fish; see --help");
    EXPECT_EQ(refusal("ndsim completion bish"),
              "ndsim completion: SHELL must be bash or zsh or fish, not \"bish\"; did you mean bash?");
}

// A program, its commands, and their subcommands.
Lines with_commands(const std::string& program) {
    Lines names{program};
    const nlohmann::json facts = run_command(program + " --help options").json();
    for (const nlohmann::json& command : facts["commands"]) {
        const Lines more = with_commands(program + " " + command["name"].get<std::string>());
        names.insert(names.end(), more.begin(), more.end());
    }
    return names;
}

Lines programs() {
    Lines names{"0d_sequential", "1d_data_parallel",  "2d_tensor_parallel",   "3d_pipeline_parallel",
                "4d_hybrid",     "distributed_hello", "communication_profile"};
    const Lines more = with_commands("ndsim");
    names.insert(names.end(), more.begin(), more.end());
    return names;
}

TEST(ManPages, OfEveryProgramAreReadWithoutAWarning) {
    if (!is_there("man")) {
        GTEST_SKIP() << "man is not installed";
    }
    for (const std::string& program : programs()) {
        const TemporaryFolder folder;
        const std::string page = folder.with("page.1", run_command(program + " --help man").out);
        const std::string warnings = folder.file("warnings");
        const std::string text = folder.file("text");
        const std::string line =
            fmt::format("LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -l '{}' > '{}' 2> '{}'", page, text, warnings);
        EXPECT_EQ(std::system(line.c_str()), 0) << program;
        EXPECT_EQ(content_of(warnings), "") << program;
        EXPECT_THAT(content_of(text), HasSubstr("EXIT STATUS")) << program;
        EXPECT_THAT(content_of(text), HasSubstr("--help")) << program;
    }
}

TEST(ManPages, HaveEveryOptionOfTheHelp) {
    for (const std::string& program : programs()) {
        const std::string page = run_command(program + " --help man").out;
        for (const nlohmann::json& option : run_command(program + " --help options").json()["options"]) {
            const auto name = option["name"].get<std::string>();
            const bool dashed = option["role"] == "option";
            std::string shown = dashed ? "--" + name : name;
            for (std::size_t at = 0; (at = shown.find('-', at)) != std::string::npos; at += 2) {
                shown.insert(at, "\\");
            }
            EXPECT_THAT(page, HasSubstr("\\f" + std::string(dashed ? "B" : "I") + shown + "\\fR")) << program;
            EXPECT_THAT(run_command(program + " --help").out, HasSubstr(dashed ? "--" + name : name)) << program;
        }
    }
}

}  // namespace
