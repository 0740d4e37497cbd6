#include "tools/command_line/output_file.hpp"

#include "libsim/config/errors.hpp"
#include "tests/scenarios/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace {

using sim::command_line::AppendedOutput;
using sim::command_line::write_output;
using sim::config::OutputError;

std::string complaint(const std::string& file) {
    try {
        write_output(file, [](std::ostream& out) { out << "new"; });
    } catch (const OutputError& error) {
        return error.what();
    }
    return "none";
}

std::size_t files_in(const std::string& folder) {
    const auto begin = std::filesystem::directory_iterator(folder);
    return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
}

TEST(OutputFile, ReplacesWhatIsThereAndLeavesNothingElse) {
    const TemporaryFolder folder;
    const std::string file = folder.with("out", "old and longer");
    EXPECT_EQ(complaint(file), "none");
    EXPECT_EQ(content_of(file), "new");
    EXPECT_EQ(files_in(folder.file("")), 1U);
}

TEST(OutputFile, MayBeLong) {
    const TemporaryFolder folder;
    const std::string much(1'000'000, 'x');
    write_output(folder.file("out"), [&](std::ostream& out) { out << much << 'y' << much; });
    EXPECT_EQ(content_of(folder.file("out")), much + 'y' + much);
}

TEST(OutputFile, IsAsItWasIfWritingFails) {
    const TemporaryFolder folder;
    const std::string file = folder.with("out", "old");
    EXPECT_THROW(write_output(file, [](std::ostream& out) { out << "half", throw std::runtime_error("no more"); }),
                 std::runtime_error);
    EXPECT_EQ(content_of(file), "old");
    EXPECT_EQ(files_in(folder.file("")), 1U);
}

TEST(OutputFile, IsRefusedWhereThereIsNoFolder) {
    const TemporaryFolder folder;
    const std::string file = folder.file("nowhere/out");
    EXPECT_EQ(complaint(file),
              file + " cannot be written: folder " + folder.file("nowhere") + ": No such file or directory");
}

TEST(OutputFile, IsRefusedInPlaceOfWhatIsNoOrdinaryFile) {
    const TemporaryFolder folder;
    const std::string target = folder.with("target", "old");
    const std::string link = folder.file("link");
    std::filesystem::create_symlink(target, link);
    const std::string pipe = folder.file("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    for (const std::string& file :
         {folder.file(""), link, pipe, std::string("/dev/stdout"), std::string("/dev/null")}) {
        EXPECT_EQ(complaint(file), file + " cannot be written: it exists and is not an ordinary file");
    }
    EXPECT_EQ(content_of(target), "old");
}

TEST(AppendedOutput, HoldsWhatWasAddedAtOnce) {
    const TemporaryFolder folder;
    const std::string file = folder.with("rows", "a\n");
    const AppendedOutput rows(file);
    rows.add("b\n");
    EXPECT_EQ(content_of(file), "a\nb\n");
    rows.add("c\n");
    EXPECT_EQ(content_of(file), "a\nb\nc\n");
}

TEST(AppendedOutput, FollowsNoLinkThatHasTakenTheFilesPlace) {
    const TemporaryFolder folder;
    const std::string target = folder.with("target", "as it was");
    const std::string link = folder.file("rows");
    std::filesystem::create_symlink(target, link);
    EXPECT_THROW(AppendedOutput{link}, OutputError);
    EXPECT_THROW(AppendedOutput{folder.file("")}, OutputError);
    EXPECT_EQ(content_of(target), "as it was");
}

TEST(AppendedOutput, IsRefusedInPlaceOfADevice) {
    EXPECT_THROW(AppendedOutput{"/dev/full"}, OutputError);
}

}  // namespace
