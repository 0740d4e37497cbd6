// The pictures in the pages match the program's present output.
#include "tests/cli/command.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace {

const std::string bin = "build/bin/";
const std::string option = " --svg docs/pictures/";

// The lines of the page that draw a committed picture.
std::vector<std::string> drawing_lines(const std::string& page) {
    std::istringstream in(page);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with(bin) && line.find(option) != std::string::npos) {
            lines.push_back(line);
        }
    }
    return lines;
}

TEST(Pictures, OfTheReadmeAreWhatItsCommandDraws) {
    const std::string page = content_of(NDSIM_SOURCE_DIR "/README.md");
    const std::vector<std::string> lines = drawing_lines(page);
    ASSERT_EQ(lines.size(), 1U);
    const std::string& line = lines.front();
    const std::size_t at = line.find(option);
    const std::string name = line.substr(at + option.size(), line.find(' ', at + option.size()) - at - option.size());
    EXPECT_NE(page.find("](docs/pictures/" + name + ")"), std::string::npos) << name;
    const TemporaryFolder folder;
    const std::string drawn = folder.file("drawn.svg");
    const std::string command = line.substr(bin.size(), at - bin.size());
    ASSERT_EQ(run_command(command + " --svg '" + drawn + "'").exit_code, 0) << command;
    EXPECT_EQ(content_of(drawn), content_of(std::string(NDSIM_SOURCE_DIR "/docs/pictures/") + name))
        << "docs/pictures/" << name << " is not what is drawn today; run " << line;
    EXPECT_LT(content_of(drawn).size(), 100'000U);
}

}  // namespace
