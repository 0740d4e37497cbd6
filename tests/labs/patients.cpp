// The twenty patients of the deadlock clinic: each program hangs, and ndsim reports the deadlock shown on its page.
#include "tests/cli/command.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

constexpr int patients = 20;
const std::string folder = NDSIM_SOURCE_DIR "/docs/labs/11-deadlock-clinic";

// The first block in this language within the patient's section of the page.
std::string block_of(const std::string& page, int patient, const std::string& language) {
    const std::size_t section = page.find(fmt::format("\n## {}. ", patient));
    const std::string sign = fmt::format("```{}\n", language);
    const std::size_t begin = page.find(sign, section) + sign.size();
    return section == std::string::npos ? "" : page.substr(begin, page.find("```\n", begin) - begin);
}

// The output for the patient, without its title.
std::string said_of(const std::string& said, int patient) {
    const std::size_t title = ("\n" + said).find(fmt::format("\n{}. ", patient));
    const std::size_t begin = title == std::string::npos ? title : said.find('\n', title) + 1;
    return begin == std::string::npos ? "" : said.substr(begin, said.find("\n\n", begin) + 1 - begin);
}

TEST(Patients, AreExplainedAsTheirPageShows) {
    const TemporaryFolder out;
    const std::string line = fmt::format("PYTHONPATH='{}/../python' /usr/bin/python3 '{}/patients.py' > '{}' 2>&1",
                                         NDSIM_BIN_DIR, folder, out.file("said"));
    ASSERT_EQ(std::system(line.c_str()), 0) << content_of(out.file("said"));
    const std::string said = content_of(out.file("said"));
    const std::string page = content_of(folder + "/patients.md");
    const std::string programs = content_of(folder + "/patients.py");
    for (int patient = 1; patient <= patients; ++patient) {
        EXPECT_EQ(said_of(said, patient), block_of(page, patient, "text")) << patient;
        EXPECT_TRUE(said_of(said, patient).starts_with("Deadlock: ")) << patient;
        const std::string program = block_of(page, patient, "python");
        EXPECT_TRUE(program.starts_with("@patient(")) << patient;
        EXPECT_NE(programs.find(program), std::string::npos) << program;
    }
    EXPECT_EQ(block_of(page, patients + 1, "text"), "");
}

}  // namespace
