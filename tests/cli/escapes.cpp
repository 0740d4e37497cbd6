// Names with control sequences for a terminal or a browser have no effect: from the command line, from every kind of
// file, in text, in pictures and in messages.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using testing::HasSubstr;
using testing::Not;

// Clears the screen, sets the title, rings the bell, and begins a sequence with a C1 control character.
constexpr const char* hostile = R"(\u001b[2J\u001b]0;gone\u0007\u009b31m<script>alert(1)</script>\"x)";

// The same, written for a shell.
const std::string typed = "$(printf 'x\\033[2J\\007\\302\\233z')";

bool controls(const std::string& text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const bool is_c1 = c == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
        if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f || is_c1) {
            return true;
        }
    }
    return false;
}

Said run_inert(const std::string& line) {
    const Said said = run_command(line);
    EXPECT_FALSE(controls(said.out)) << line << "\n" << said.out;
    EXPECT_FALSE(controls(said.err)) << line << "\n" << said.err;
    return said;
}

TEST(Escapes, FromTheCommandLineAreWrittenOut) {
    for (const char* command :
         {"ndsim \"{}\"", "ndsim topology \"{}\"", "ndsim train --model \"{}\" --gpus 8", "ndsim goal \"{}\"",
          "ndsim train --model llama3-8b --machine \"{}\" --gpus 8", "0d_sequential --profile \"{}\"",
          "1d_data_parallel --fault \"{}\"", "2d_tensor_parallel \"--{}\"", "ndsim trace summary \"{}\"",
          "ndsim flows \"{}\"", "ndsim compare \"{}\" \"{}\"", "ndsim hardware \"{}\"", "ndsim lab show \"{}\""}) {
        std::string line = command;
        for (std::size_t at = line.find("{}"); at != std::string::npos; at = line.find("{}")) {
            line.replace(at, 2, typed);
        }
        const Said said = run_inert(line);
        EXPECT_NE(said.exit_code, 0) << line;
        EXPECT_THAT(said.err, HasSubstr("\\x1b[2J")) << line;
    }
}

TEST(Escapes, FromFilesAreWrittenOut) {
    const TemporaryFolder folder;
    const std::string key = folder.with("key.toml", fmt::format("\"{}\" = 1\n", hostile));
    const std::string value = folder.with("value.toml", fmt::format("host = \"{}\"\n", hostile));
    for (const std::string& file : {key, value}) {
        EXPECT_EQ(run_inert("0d_sequential --config '" + file + "'").exit_code, 2);
        EXPECT_EQ(run_inert("0d_sequential --profile '" + file + "'").exit_code, 2);
        EXPECT_EQ(run_inert("ndsim topology '" + file + "'").exit_code, 2);
        EXPECT_EQ(run_inert("ndsim train --gpus 8 --model llama3-8b --machine '" + file + "'").exit_code, 2);
        EXPECT_EQ(run_inert("ndsim train --gpus 8 --model '" + file + "'").exit_code, 2);
    }
    const std::string json = folder.with("case.json", fmt::format(R"({{"{}": 1}})", hostile));
    for (const char* command : {"flows", "validate", "trace summary", "compare x"}) {
        EXPECT_NE(run_inert(fmt::format("ndsim {} '{}'", command, json)).exit_code, 0);
    }
    const std::string goal = folder.with("x.goal", "num_ranks \x1b[2J\n");
    EXPECT_EQ(run_inert("ndsim goal '" + goal + "'").exit_code, 2);
}

TEST(Escapes, InLabelsOfTracesAreWrittenOut) {
    const TemporaryFolder folder;
    const std::string trace = folder.with(
        "t.json", fmt::format(R"({{"traceEvents": [{{"name": "{}", "cat": "kernel", "ph": "X", "ts": 0, "dur": 5,)"
                              R"( "pid": 0, "tid": 7, "args": {{"device": 0, "stream": 7}}}}]}})",
                              hostile));
    EXPECT_EQ(run_inert("ndsim trace summary '" + trace + "'").exit_code, 0);
    const std::string converted = folder.file("converted.json");
    EXPECT_EQ(run_inert("ndsim trace convert '" + trace + "' --to '" + converted + "'").exit_code, 0);
    EXPECT_FALSE(controls(content_of(converted)));
}

TEST(Escapes, InTopologiesStayInertInPictures) {
    const TemporaryFolder folder;
    const std::string file = folder.with("t.toml", fmt::format(R"(kind = "custom"
[[vertex]]
name = "{0}"
kind = "gpu"
[[vertex]]
name = "b"
kind = "gpu"
[[link]]
from = "{0}"
to = "b"
bytes_per_second = 25e9
)",
                                                               hostile));
    const std::string picture = folder.file("t.svg");
    EXPECT_EQ(run_inert("ndsim topology '" + file + "' --route 0,1 --svg '" + picture + "'").exit_code, 0);
    const std::string svg = content_of(picture);
    EXPECT_THAT(svg, Not(HasSubstr("<script>")));
    EXPECT_FALSE(controls(svg));
}

}  // namespace
